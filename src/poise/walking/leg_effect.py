"""What a swinging leg does to the ZMP, so small that it fits into polynomials.

The pendulum has all its mass in one point. A leg that swings has angular momentum of its own, and
while the centre of mass obeys its plan the ZMP is off by what changes that momentum. For a foot
that accelerates by a along the ground and by b upwards,

    dp = along a + lift b (towards the swinging foot) + knee b (forward),

with three numbers per robot. A quintic swing has a cubic acceleration: so the pendulum can be
planned with the ZMP that, the leg added, is the one that is wished.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.robot import Robot
from poise.robot.robot import BASE_V
from poise.walking.analytic import ZERO, Pair, Poly, later

UNIT_BEND: Poly = (0.0, 60.0, -180.0, 120.0, 0.0)  # of a quintic from 0 to 1 in a second


@dataclass(frozen=True)
class LegEffect:
    """How the ZMP answers to a foot's acceleration, and how a foot swings."""

    along: float = 0.0  # [s^2], over the ground
    lift: float = 0.0  # [s^2], upwards; towards the swinging foot
    knee: float = 0.0  # [s^2], upwards; forward, where the knee goes
    height: float = 0.05  # [m], of a swing
    apex: float = 0.45  # of a swing: when it is highest
    still: float = 0.1  # of a swing: over its landing before it touches


def leg_effect(robot: Robot, q: np.ndarray, height: float, apex: float, still: float) -> LegEffect:
    """Measure a robot at a posture with both feet on the ground.

    Args:
        robot: who.
        q: posture (nq,).
        height: of a swing [m].
        apex: share of a swing at which it is highest.
        still: share of a swing for which the foot waits over its landing.
    """
    x = _angular(robot, q, 0)[1] / -robot.weight
    y = _angular(robot, q, 1)[0] / robot.weight
    aside, ahead = _angular(robot, q, 2)  # of the left foot: to the left
    lift, knee = aside / robot.weight, ahead / -robot.weight
    return LegEffect(0.5 * (x + y), float(lift), float(knee), height, apex, still)


def pendulum_height(robot: Robot, q: np.ndarray) -> float:
    """Height of the pendulum that a robot with an upright trunk is [m].

    Its centre of mass moves with less than the speed of the trunk, because the feet stay; the
    angular momentum of that makes the pendulum longer than the centre of mass is high.

    Args:
        robot: who.
        q: posture with both feet on the ground (nq,).
    """
    forward, sideways = _angular(robot, q, 12)[1], -_angular(robot, q, 13)[0]
    more = 0.5 * (forward + sideways) / robot.mass
    return float(robot.at(q).com[2]) + more


def _angular(robot: Robot, q: np.ndarray, row: int) -> np.ndarray:
    """Angular momentum about x and y of a unit of speed, all else at rest [kg m], (2,).

    Rows: left foot 0 to 5, right foot 6 to 11, centre of mass x 12 and y 13; the base keeps its
    height and stays upright, arms and trunk keep their joints.
    """
    at = robot.at(q)
    legs = [*robot.indices("left_leg"), *robot.indices("right_leg")]
    columns = np.zeros((robot.nv, BASE_V + len(legs)))
    columns[:BASE_V, :BASE_V] = np.eye(BASE_V)
    for k, joint in enumerate(legs):
        columns[BASE_V + joint, BASE_V + k] = 1.0
    left, right = robot.feet
    base = at.jacobian("base")
    rows = [at.jacobian(left), at.jacobian(right), at.com_jacobian[:2], base[2:5]]
    A = np.vstack([*rows, robot.coupling_rows]) @ columns
    wish = np.zeros(len(A))
    wish[row] = 1.0
    v = columns @ np.linalg.lstsq(A, wish, rcond=1e-8)[0]
    return (at.momentum_matrix @ v)[3:5]


def swing_effect(
    leg: LegEffect, duration: float, way: Pair, aside: Pair, ahead: Pair
) -> tuple[tuple[float, ...], tuple[tuple[Poly, Poly], ...]]:
    """What a swing does to the ZMP: where its pieces begin [s], and the cubics of each [m].

    Args:
        leg: of the robot.
        duration: of the swing [s].
        way: from lift-off to landing [m].
        aside: unit vector from the standing foot to the swinging one.
        ahead: unit vector to where the knees point.
    """
    top, arrival = leg.apex * duration, (1.0 - leg.still) * duration
    over = quintic_bend(arrival, leg.along)
    up, down = quintic_bend(top, leg.height), quintic_bend(duration - top, -leg.height)
    to = lift_direction(leg, aside, ahead)
    ground = (over, later(over, top), ZERO)
    height = (up, down, later(down, arrival - top))
    polys = tuple(
        (
            tuple(way[0] * a + to[0] * b for a, b in zip(g, h, strict=True)),
            tuple(way[1] * a + to[1] * b for a, b in zip(g, h, strict=True)),
        )
        for g, h in zip(ground, height, strict=True)
    )
    return (0.0, top, arrival), polys


def lift_direction(leg: LegEffect, aside: Pair, ahead: Pair) -> Pair:
    """Where to, and how much, the ZMP moves when a foot accelerates upwards [s^2].

    Args:
        leg: of the robot.
        aside: unit vector from the standing foot to the swinging one.
        ahead: unit vector to where the knees point.
    """
    return leg.lift * aside[0] + leg.knee * ahead[0], leg.lift * aside[1] + leg.knee * ahead[1]


def quintic_bend(T: float, size: float) -> Poly:
    """Second derivative of the quintic from 0 to a size in a time T, coefficients of time."""
    _, a, b, c, _ = UNIT_BEND
    return (0.0, a * size / T**3, b * size / T**4, c * size / T**5, 0.0)
