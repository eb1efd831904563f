"""Walk through some footprints without a world, and say what goes wrong first.

The generator plans, the stack moves the whole body, and every posture on the way is looked at:
reach, joint ranges, knees, legs too close to each other, the ZMP's room in the sole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, sin
from typing import NamedTuple

import numpy as np

from poise.engines.interact.body import Body, Wishes, knees
from poise.engines.interact.footprint import compose, mean_place, seen_from
from poise.engines.interact.gait import Gait, Walker
from poise.engines.interact.holding import offering
from poise.engines.interact.options import InteractOptions
from poise.engines.interact.rest import Rest
from poise.engines.interact.safe_area import LEG_ROOM, SafeArea, box_area
from poise.engines.interact.size import Size
from poise.engines.interact.swing import APEX, STILL
from poise.robot import Robot, load_robot
from poise.robot.collision import SelfCollision
from poise.robot.robot import BASE_Q
from poise.walking.analytic import Pair
from poise.walking.leg_effect import leg_effect, pendulum_height
from poise.walking.pendulum import pendulum_rate
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

DT = 0.02  # [s]
RANGE_KEPT = 0.025  # of a joint's range, at both of its ends
ZMP_ROOM = 0.010  # [m], between the ZMP and the border of the sole
REACHED = 0.004  # [m], how well a foot has to be where it should
LEAST_KNEE = np.deg2rad(5.0)
LOOK_EVERY = 2  # periods between two looks at the distances of the legs


@dataclass(frozen=True, eq=False)
class Bench:
    """Everything that trials of one robot share."""

    robot: Robot
    rest: Rest
    options: InteractOptions
    walker: Walker
    open_area: SafeArea
    size: Size
    body: Body
    collision: SelfCollision
    watched: np.ndarray  # pairs of links of which one is a leg's
    rooms: np.ndarray  # [m], how close they may come
    low: np.ndarray  # (na,), of the legs' joints; others are free
    high: np.ndarray
    knees: tuple[int, ...]


@lru_cache(maxsize=4)
def bench(name: str) -> Bench:
    """Prepare trials of a robot by its name or path; one per process."""
    robot = load_robot(name)
    rest = offering(robot, "right")
    rest = replace(rest, hands={})  # nobody holds the hands here
    options = InteractOptions().on(robot)
    stature, size = Stature.of(robot), Size.of(robot)
    room = ZMP_ROOM * size.length
    options = replace(
        options,
        most_x=min(stature.sole_front, stature.sole_back, 0.5 * stature.sole_length) - room,
        most_y=0.5 * stature.sole_width - room,
    )
    walker = Walker(
        pendulum_rate(pendulum_height(robot, rest.q)),
        rest.half_spacing,
        stature.sole_centre,
        leg_effect(robot, rest.q, options.step_height, APEX, STILL),
    )
    collision = SelfCollision(robot)
    legs = {
        robot.model.getJointId(joint)
        for group in ("left_leg", "right_leg")
        for joint in robot.groups[group]
    }
    frames = robot.model.frames
    watched = np.flatnonzero(
        [
            any(frames[robot.frame_id(link)].parentJoint in legs for link in pair)
            for pair in collision.pairs
        ]
    )
    near = collision.distances(rest.q)[watched]
    rooms = np.minimum(LEG_ROOM * size.length, 0.5 * near)
    margin = RANGE_KEPT * (robot.upper - robot.lower)
    low, high = np.full(robot.na, -np.inf), np.full(robot.na, np.inf)
    for group in ("left_leg", "right_leg"):
        k = robot.indices(group)
        # a joint that already stands near its end may stay there
        low[k] = np.minimum(robot.lower + margin, rest.q[BASE_Q:] - margin)[k]
        high[k] = np.maximum(robot.upper - margin, rest.q[BASE_Q:] + margin)[k]
    body = Body(robot, rest, DT)
    area = box_area(robot.name, 10.0, -10.0, 10.0, 3.0)
    return Bench(
        robot,
        rest,
        options,
        walker,
        area,
        size,
        body,
        collision,
        watched,
        rooms,
        low,
        high,
        knees(robot),
    )


class Walked(NamedTuple):
    """What came of walking through some footprints."""

    wrong: str  # what went wrong first, or nothing
    step: int  # which footprint it went wrong at; as many as there are when none
    speeds: tuple[Pair, ...]  # of the mass at each lift-off, seen from the left foot [m/s]


def trial(name: str, footprints: Sequence[Place]) -> str:
    """Walk through some footprints and stop; what went wrong, or nothing."""
    return walk_through(name, footprints).wrong


def walk_through(name: str, footprints: Sequence[Place]) -> Walked:
    """Walk through some footprints and stop; what went wrong first, and at which of them.

    Args:
        name: of the robot.
        footprints: of the right foot seen from the left, the left one from the right mirrored,
            and so on; the first step is the right foot's.
    """
    b = bench(name)
    robot, rest = b.robot, b.rest
    at = robot.at(rest.q)
    places = [_place(at, part) for part in robot.feet]
    com = (float(rest.com[0]), float(rest.com[1]))
    gait = Gait(b.walker, b.options, b.open_area, places[0], places[1], com)
    b.body.reset(rest.q)
    wishes = list(footprints)
    speeds: list[Pair] = []

    def ask(support: Place, support_is_left: bool) -> Place:
        vx, vy = gait.mass(time)[1]
        c, s = cos(support[2]), sin(support[2])
        aside = -s * vx + c * vy
        speeds.append((c * vx + s * vy, aside if support_is_left else -aside))
        if not wishes:
            gait.stop()
            return gait._beside(support, not support_is_left)
        x, y, turn = wishes.pop(0)
        seen = (x, y, turn) if support_is_left else (x, -y, -turn)
        return compose(support, seen)

    gait.start(0.0, left_first=False)
    time, tick = 0.0, 0
    while gait.moving:
        gait.advance(time, ask)
        wrong = _look(b, gait, time, tick % LOOK_EVERY == 0)
        if wrong:
            at_step = min(max(len(gait.steps) - 1, 0), len(footprints) - 1)
            return Walked(wrong, at_step, tuple(speeds))
        time += DT
        tick += 1
    for k, step in enumerate(gait.steps[: len(footprints)]):
        off = seen_from(step.wish, step.replan.landing)
        if np.hypot(off[0], off[1]) > 1e-3:
            return Walked("the ZMP would come too near the border of the sole", k, tuple(speeds))
    return Walked("", len(footprints), tuple(speeds))


def _look(b: Bench, gait: Gait, time: float, closely: bool) -> str:
    """Move the body to a time [s] and look at it."""
    com, velocity, _ = gait.mass(time)
    feet = gait.feet(time)
    parts = b.robot.feet
    b.body.look()
    reached = max(
        float(np.linalg.norm(b.body.at.position(part) - feet[left][0].translation))
        for part, left in zip(parts, (True, False), strict=True)
    )
    if time > 5 * DT and reached > REACHED * max(b.size.length, 0.5) + 2.0 * DT * DT * 5.0:
        return "a foot is out of reach"
    b.body.step(
        Wishes(
            np.array(com),
            np.array(velocity),
            {parts[0]: feet[True][0], parts[1]: feet[False][0]},
            {parts[0]: feet[True][1], parts[1]: feet[False][1]},
            0.5 * (feet[True][2] + feet[False][2]),
            0.5 * (feet[True][1][5] + feet[False][1][5]),
        ),
        {},
    )
    q = b.body.q
    joints = q[BASE_Q:]
    tight = np.flatnonzero((joints < b.low) | (joints > b.high))
    if len(tight):
        return f"{b.robot.joint_names[int(tight[0])]} is near the end of its range"
    for knee in b.knees:
        if abs(joints[knee]) < LEAST_KNEE and abs(b.rest.q[BASE_Q + knee]) > 2.0 * LEAST_KNEE:
            return f"{b.robot.joint_names[knee]} is nearly straight"
    if closely:
        near = b.collision.distances(q)[b.watched] - b.rooms
        worst = int(near.argmin())
        if near[worst] < 0.0:
            a, c = b.collision.pairs[int(b.watched[worst])]
            return f"{a} and {c} come too close"
    return ""


def centre(places: Sequence[Place]) -> Place:
    """The middle of two feet."""
    return mean_place(places)


def _place(at, part: str) -> Place:
    T = at.pose(part)
    R = T.rotation
    return float(T.translation[0]), float(T.translation[1]), float(np.arctan2(R[1, 0], R[0, 0]))
