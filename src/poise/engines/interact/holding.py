"""The posture in which a robot offers its hands: found by rules, for any robot."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pinocchio as pin

from poise.control import reach
from poise.engines.interact.footprint import over_ground, seen_from
from poise.engines.interact.size import Size
from poise.errors import BadInput, Infeasible
from poise.robot import Robot
from poise.robot.collision import SelfCollision
from poise.robot.robot import BASE_Q
from poise.tasks import FramePose, FramePosition, Posture, Task
from poise.walking.legs import Legs
from poise.walking.shifting import BodyShift
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

FORWARD, DOWN = 0.26, 0.46  # of the arm's length, from the shoulder to the hand
ASIDE = (0.0, 0.1, 0.2, 0.3, 0.4)  # of the arm's length, further out than the shoulder
ROOM = 0.01  # of the robot's height: room between links that should not touch
STRIDE = 0.22  # [m], how far a foot may be behind or before the hips of the paper's robot
TRUNK = 30.0  # how much dearer a joint of the trunk is than one of an arm
ARM_ROOM = 0.15  # of an arm joint's range: how far from its ends it is meant to rest
STRETCHED = 0.97  # of the arm's length: a hand further from the shoulder is beyond reach


@dataclass(frozen=True, eq=False)
class Rest:
    """A robot that offers its hands, feet side by side around the origin."""

    q: np.ndarray  # (nq,)
    com: np.ndarray  # [m], (3,)
    hands: dict[str, Place]  # held hand -> where it rests over the ground, seen from the centre
    R_hands: dict[str, np.ndarray]  # held hand -> how it is turned at rest
    heights: dict[str, float]  # held hand -> how high it rests [m]
    reach: dict[str, float]  # held hand -> how far it may be from its shoulder [m]
    shoulders: dict[str, int]  # held hand -> joint of the shoulder
    base_height: float  # [m]
    R_base: np.ndarray  # how the base is turned at rest
    half_spacing: float  # [m]


def held_parts(hands: str) -> tuple[str, ...]:
    """The parts of held hands, from the option's word."""
    return ("right_hand", "left_hand") if hands == "both" else (f"{hands}_hand",)


def offering(robot: Robot, hands: str) -> Rest:
    """The posture of a robot that offers its hands.

    Args:
        robot: who.
        hands: "right", "left" or "both".
    """
    held = held_parts(hands)
    for part in held:
        if part not in robot.parts:
            raise BadInput(robot.name, "parts", f"without {part}", "a robot with that hand")
    stature = Stature.of(robot)
    arms = {part: _arm(robot, part) for part in held}
    lengths = {part: length for part, (_, length) in arms.items()}
    body = SelfCollision(robot)
    watched = np.flatnonzero([_of_arm(robot, arms, pair) for pair in body.pairs])
    best, widest = None, -np.inf
    for aside in ASIDE:  # the first posture with room between the links, or the roomiest
        q = _offered(robot, arms, aside)
        room = float(body.distances(q)[watched].min(initial=np.inf))
        if room > widest:
            best, widest = q, room
        if room > ROOM * robot.height:
            break
    assert best is not None
    q = best
    at = robot.at(q)
    centre = (*(0.5 * (at.position(robot.feet[0]) + at.position(robot.feet[1])))[:2], 0.0)
    return Rest(
        q=q,
        com=at.com,
        hands={
            part: seen_from(
                (float(centre[0]), float(centre[1]), 0.0),
                over_ground(at.position(part), at.rotation(part), at.rotation(part)),
            )
            for part in held
        },
        R_hands={part: at.rotation(part).copy() for part in held},
        heights={part: float(at.position(part)[2]) for part in held},
        reach={part: STRETCHED * lengths[part] for part in held},
        shoulders={part: joint for part, (joint, _) in arms.items()},
        base_height=float(at.position("base")[2]),
        R_base=at.rotation("base").copy(),
        half_spacing=stature.half_spacing,
    )


def _of_arm(robot: Robot, arms: dict[str, tuple[int, float]], links: tuple[str, str]) -> bool:
    """Whether one of two links is carried by an arm that is held."""
    frames = robot.model.frames
    joints = [frames[robot.frame_id(link)].parentJoint for link in links]
    carried = [set(robot.model.subtrees[shoulder].tolist()) for shoulder, _ in arms.values()]
    return any(joint in arm for joint in joints for arm in carried)


def _offered(robot: Robot, arms: dict[str, tuple[int, float]], aside: float) -> np.ndarray:
    """Half-sitting with the hands offered, some way further apart than they hang."""
    at, stature = robot.at(robot.half_sitting), Stature.of(robot)
    targets = []
    for part, (shoulder, L) in arms.items():
        p = at.data.oMi[shoulder].translation
        side = 1.0 if "left" in part else -1.0
        y = p[1] + side * aside * L
        target = np.array([p[0] + FORWARD * L, y, p[2] - DOWN * L])
        targets.append(Task(f"{part} offered", FramePosition(part, target), 30.0))
    feet = [Task(f"{part} on the ground", FramePose(part, at.pose(part))) for part in robot.feet]
    base = Task("base upright", FramePose("base", at.pose("base")))
    stiff = np.full(robot.na, TRUNK)  # arms offer the hands, the trunk stays
    stiff[np.concatenate([robot.indices("left_arm"), robot.indices("right_arm")])] = 1.0
    posture = Task("posture", Posture(_with_room(robot), stiff), 0.02)
    try:
        q = reach(robot, robot.half_sitting, [*targets, posture], [*feet, base], 1e-6)
    except Infeasible as error:
        found = str(error)
        raise BadInput(robot.name, "its posture", found, "a robot that can offer its hands") from (
            error
        )
    # now the hips, so that the mass is over the middle of the soles, low enough for long steps
    middle = np.array([at.position(part) for part in robot.feet]).mean(axis=0)
    middle[0] += stature.sole_centre[0]
    offered, body = robot.at(q), BodyShift(robot)
    over = (middle - offered.com)[:2]
    way = np.r_[over, -_lowering(robot, float(over[0]))]
    for share in np.linspace(0.1, 1.0, 10):
        moved = body.solve(q, share * way, {})
    for _ in range(10):
        moved = body.solve(q, way, {})
    return moved


def _with_room(robot: Robot) -> np.ndarray:
    """Joints of half-sitting, those of the arms with room to both sides, (na,)."""
    joints = robot.half_sitting[BASE_Q:].copy()
    arms = np.concatenate([robot.indices("left_arm"), robot.indices("right_arm")])
    low, high = robot.lower[arms], robot.upper[arms]
    room = ARM_ROOM * (high - low)
    joints[arms] = np.clip(joints[arms], low + room, high - room)
    return joints


def _lowering(robot: Robot, forward: float) -> float:
    """How much lower than in half-sitting the hips are, so that no long step stretches a leg.

    Args:
        robot: who.
        forward: how far the hips go forward from half-sitting [m].
    """
    legs, at = Legs.of(robot), robot.at(robot.half_sitting)
    hip = at.data.oMi[robot.model.getJointId(robot.groups["left_leg"][0])].translation
    high = float(hip[2] - at.position(robot.feet[0])[2]) - legs.ankle_height
    behind = float(at.position(robot.feet[0])[0] - hip[0]) - forward
    apart = STRIDE * Size.of(robot).length + max(behind, 0.0)
    return max(high - float(np.sqrt(max(legs.reach**2 - apart**2, 0.0))), 0.0)


def _arm(robot: Robot, part: str) -> tuple[int, float]:
    """The joint of a shoulder, and the length of the arm from it to the hand [m]."""
    names = robot.groups["left_arm" if "left" in part else "right_arm"]
    joints = [robot.model.getJointId(name) for name in names]
    at = robot.at(pin.neutral(robot.model))
    hand = robot.model.frames[robot.frame_id(part)].parentJoint
    chain = [j for j in joints if robot.model.subtrees[j].tolist().count(hand)]
    points = [at.data.oMi[j].translation for j in chain] + [at.position(part)]
    length = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(points))
    return chain[0], length
