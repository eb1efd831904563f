"""The posture in which a robot offers its hands: found by rules, for any robot."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pinocchio as pin

from poise.control import reach
from poise.engines.interact.footprint import over_ground, seen_from
from poise.engines.interact.free_way import free_way
from poise.engines.interact.rest import Rest, held_parts
from poise.engines.interact.size import Size
from poise.errors import BadInput, Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.tasks import FramePose, FramePosition, Posture, Task
from poise.walking.legs import Legs
from poise.walking.shifting import BodyShift
from poise.walking.stature import Stature

FORWARD, DOWN = 0.26, 0.46  # of the arm's length, from the shoulder to the hand
FURTHER = (1.0, 1.1, 1.2, 1.3, 1.4, 1.5)  # times as far, where an arm cannot fold up so much
MISSED = 0.02  # of the arm's length: a hand further from its place has not come to it
ASIDE = (0.0, 0.1, 0.2, 0.3, 0.4)  # of the arm's length, further out than the shoulder
WAY = 0.15  # [m], as far as a hand of the paper's robot should be free to go, whichever way
DEAR = 0.25  # of a way outwards: how much more freedom it has to buy
STRIDE = 0.22  # [m], how far a foot may be behind or before the hips of the paper's robot
TRUNK = 30.0  # how much dearer a joint of the trunk is than one of an arm
ARM_ROOM = 0.15  # of an arm joint's range: how far from its ends it is meant to rest
STRETCHED = 0.97  # of the arm's length: a hand further from the shoulder is beyond reach


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
    arms = {part: _arm(robot, part) for part in held}
    enough = WAY * Size.of(robot).length
    longest = max(length for _, length in arms.values())
    best, most = None, -np.inf
    for aside in ASIDE:  # the nearest place with room all around, or the best that there is
        rest = _at_rest(robot, arms, _over_soles(robot, _offered(robot, arms, aside)))
        price = DEAR * aside * longest
        free = free_way(robot, rest, enough, most + price)
        worth = free - price
        if worth > most:
            best, most = rest, worth
        if free >= enough:
            break
    assert best is not None
    return best


def _at_rest(robot: Robot, arms: dict[str, tuple[int, float]], q: np.ndarray) -> Rest:
    """Where everything is in a posture."""
    held, stature = tuple(arms), Stature.of(robot)
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
        reach={part: STRETCHED * length for part, (_, length) in arms.items()},
        shoulders={part: joint for part, (joint, _) in arms.items()},
        base_height=float(at.position("base")[2]),
        R_base=at.rotation("base").copy(),
        half_spacing=stature.half_spacing,
    )


def _offered(robot: Robot, arms: dict[str, tuple[int, float]], aside: float) -> np.ndarray:
    """Half-sitting with the hands offered, some way further apart than they hang.

    An arm that cannot fold as far as that has no way to give; so its hand is further away.
    """
    best, least = None, np.inf
    for further in FURTHER:
        q, missed = _reached(robot, arms, aside, further)
        if missed < least:
            best, least = q, missed
        if missed <= MISSED:
            break
    assert best is not None
    return best


def _reached(
    robot: Robot, arms: dict[str, tuple[int, float]], aside: float, further: float
) -> tuple[np.ndarray, float]:
    """Half-sitting with the hands at their places; how far one is from it, of its arm's length."""
    at = robot.at(robot.half_sitting)
    targets, places = [], {}
    for part, (shoulder, L) in arms.items():
        p = at.data.oMi[shoulder].translation
        side = 1.0 if "left" in part else -1.0
        way = np.array([further * FORWARD, side * aside, -further * DOWN])
        places[part] = p + L * way
        targets.append(Task(f"{part} offered", FramePosition(part, places[part]), 30.0))
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
    found_at = robot.at(q)
    missed = [
        float(np.linalg.norm(found_at.position(part) - place)) / arms[part][1]
        for part, place in places.items()
    ]
    return q, max(missed)


def _over_soles(robot: Robot, q: np.ndarray) -> np.ndarray:
    """The hips moved, so that the mass is over the middle of the soles, low enough to stride."""
    at, stature = robot.at(robot.half_sitting), Stature.of(robot)
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
