"""The largest push that is survived, direction by direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np
from scipy.spatial import ConvexHull

from poise.robot import Robot

DIRECTIONS = (0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0)  # [deg]
LEAST, MOST = 0.4, 2.2  # of the force that a rigid robot bears for ever: where the search begins
HALVINGS = 7


@dataclass(frozen=True)
class Survived:
    """What one feedback survived: force [N] and impulse [N s] of each direction [deg]."""

    feedback: str
    directions: tuple[float, ...]
    forces: tuple[float, ...]
    impulses: tuple[float, ...]


def steady_force(robot: Robot, q: np.ndarray, direction: float) -> float:
    """The force at the CoM's height that puts the ZMP of a rigid robot on the rim of its soles [N].

    Args:
        robot: who is pushed.
        q: how it stands.
        direction: of the push [deg], 0 forward in the world.
    """
    at = robot.at(q)
    com = at.com
    corners = np.vstack(
        [at.pose(part).act(point)[:2] for part in robot.feet for point in robot.soles[part].outline]
    )
    hull = ConvexHull(corners)
    ray = np.array([cos(radians(direction)), sin(radians(direction))])
    normals, offsets = hull.equations[:, :2], hull.equations[:, 2]
    facing = normals @ ray > 1e-9
    room = -(normals @ com[:2] + offsets)[facing] / (normals @ ray)[facing]
    return float(robot.weight * room.min() / com[2])


def greatest(
    survives: Callable[[float], bool], low: float, high: float, halvings: int = HALVINGS
) -> float:
    """The greatest value for which a question is answered with yes, by halving.

    Args:
        survives: asked with a value; yes below the answer, no above.
        low: taken to survive.
        high: not to; where it does, the search goes on beyond it.
        halvings: how often the range is halved.
    """
    never = True
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        if survives(middle):
            low = middle
        else:
            high, never = middle, False
    return greatest(survives, high, 2.0 * high, halvings) if never and survives(high) else low


def survey(
    robot: Robot,
    feedbacks: Sequence[str],
    question: Callable[[str], Callable[[float, float], bool]],
    impulse_of: Callable[[float], float],
    start: np.ndarray,
    directions: Sequence[float] = DIRECTIONS,
    tell: Callable[[str], None] = lambda words: None,
) -> list[Survived]:
    """The greatest push of each feedback from each direction.

    Args:
        robot: who is pushed.
        feedbacks: to compare.
        question: feedback -> (force [N], direction [deg]) -> survived.
        impulse_of: force [N] -> impulse [N s].
        start: how the robot stands, (nq,).
        directions: [deg].
        tell: called with a line of progress.
    """
    found = []
    for feedback in feedbacks:
        ask, forces = question(feedback), []
        for direction in directions:
            unit = steady_force(robot, start, direction)

            def survives(share: float, unit: float = unit, to: float = direction) -> bool:
                return ask(share * unit, to)  # noqa: B023, asked before the loop moves on

            forces.append(unit * greatest(survives, LEAST, MOST))
            tell(f"{robot.name}, {feedback}, {direction:g} deg: {impulse_of(forces[-1]):.3g} N s")
        impulses = tuple(impulse_of(force) for force in forces)
        found.append(Survived(feedback, tuple(directions), tuple(forces), impulses))
    return found
