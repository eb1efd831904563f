"""Faults planted into clean motions, each with the question that has to name it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pinocchio as pin

from checks_helpers.clean import ease, hump, lift, sway
from poise.checks import CheckOptions
from poise.checks.frames_and_units import _breadth_first
from poise.contacts import ContactPlan
from poise.motion import Motion, motion_of
from poise.motion.editing import moved
from poise.robot import Robot, load_robot
from poise.robot.collision import SelfCollision

MIDDLE = 0.5  # [s], when the small faults happen


@dataclass(frozen=True)
class Fault:
    """A motion with something wrong, and what the judge has to say about it."""

    name: str
    question: str
    plant: Callable[[str], Motion]  # robot name -> the motion
    says: str = ""  # words of the finding
    alone: bool = True  # nothing else may fail
    coupled: bool = False  # needs a robot with coupled joints
    options: CheckOptions | None = None


def rejoined(motion: Motion, robot: Robot, joints: np.ndarray) -> Motion:
    """The same motion with other joint angles, velocities made anew."""
    q = motion.q.copy()
    q[:, 7:] = joints
    return motion_of(robot, motion.time, q, contacts=motion.contacts)


def with_loose_joint(robot_name: str, angle: Callable[[np.ndarray], np.ndarray]) -> Motion:
    """A clean sway while a joint that carries nothing goes its own way [rad]."""
    robot, motion = load_robot(robot_name), sway(robot_name)
    joints = motion.joints.copy()
    joints[:, loose(robot)] += angle(motion.time)
    return rejoined(motion, robot, joints)


def loose(robot: Robot) -> int:
    """A joint that carries nothing and has room to turn: of the head, or at a wrist."""
    group = [*robot.groups.get("head", ()), *robot.groups["left_arm"][-2:]]
    ends = [robot.index(name) for name in group]
    room = robot.upper[ends] - robot.half_sitting[7:][ends]
    return int(ends[int(np.argmax(room))])


def carriers(robot: Robot) -> set[str]:
    """The joints that carry the body."""
    groups = ("left_leg", "right_leg", "torso")
    return {joint for group in groups for joint in robot.groups.get(group, ())}


def leg_pair(robot: Robot) -> tuple[int, int]:
    """The two knees: the leg joints that bend most when half-sitting, left and right."""
    legs = robot.indices("left_leg")
    left = int(legs[np.argmax(np.abs(robot.half_sitting[7:][legs]))])
    return left, int(robot.mirror.index[left])


# -- faults ----------------------------------------------------------------------------


def swapped_knees(name: str) -> Motion:
    robot, motion = load_robot(name), lift(name)
    left, right = leg_pair(robot)
    joints = motion.joints.copy()
    joints[:, [left, right]] = joints[:, [right, left]]
    return rejoined(motion, robot, joints)


def jumped_frame(name: str) -> Motion:
    robot = load_robot(name)
    step = 0.02 * robot.velocity_limit[loose(robot)]  # [rad], four times what 5 ms allow
    return with_loose_joint(name, lambda t: np.where(np.isclose(t, MIDDLE), step, 0.0))


def jumped_base(name: str) -> Motion:
    motion = sway(name)
    q = motion.q.copy()
    q[len(q) // 2, :3] += [0.03, 0.0, 0.0]
    return motion_of(load_robot(name), motion.time, q, contacts=motion.contacts)


def too_fast(name: str) -> Motion:
    robot = load_robot(name)
    far = 0.5  # [rad]
    span = far * 1.875 / (1.1 * robot.velocity_limit[loose(robot)])  # [s], quintic peak 15/8
    return with_loose_joint(
        name, lambda t: far * (ease((t - MIDDLE) / span) - ease((t - 1.2) / span))
    )


def kinked(name: str) -> Motion:
    rate = 0.3 * load_robot(name).velocity_limit[loose(load_robot(name))]
    return with_loose_joint(
        name, lambda t: rate * np.maximum(0.0, 0.2 - np.abs(t - MIDDLE - 0.2)) / 2
    )


def jerked(name: str) -> Motion:
    robot = load_robot(name)
    push = 0.6 * robot.velocity_limit[loose(robot)] / 0.03  # [rad/s^2], on, reversed, off

    def angle(t: np.ndarray) -> np.ndarray:
        rate = push * np.clip(0.025 - np.abs(t - MIDDLE), 0.0, None)
        return np.cumsum(rate) * (t[1] - t[0]) * (1.0 - ease((t - 1.0) / 0.8))

    return with_loose_joint(name, angle)


def beyond_its_stop(name: str) -> Motion:
    robot = load_robot(name)
    watch, motion = SelfCollision(robot), sway(name)
    clear = watch.distances(np.array(robot.half_sitting)).min() - 1e-3
    for j in range(robot.na):
        beyond = robot.posture({robot.joint_names[j]: robot.upper[j] + 0.05})
        if robot.joint_names[j] in carriers(robot) or watch.distances(beyond).min() < clear:
            continue
        joints = motion.joints.copy()
        joints[:, j] += (beyond[7 + j] - joints[0, j]) * hump(motion.time / 2.0)
        return rejoined(motion, robot, joints)
    raise AssertionError("every stop collides")


def not_a_number(name: str) -> Motion:
    motion = sway(name)
    q = motion.q.copy()
    q[100, 9] = np.nan
    return replace(motion, q=q)


def backwards(name: str) -> Motion:
    motion = sway(name)
    time = motion.time.copy()
    time[[200, 201]] = time[[201, 200]]
    return replace(motion, time=time)


def breadth_first_order(name: str) -> Motion:
    robot, motion = load_robot(name), sway(name)
    order = [robot.index(joint) for joint in _breadth_first(robot)]
    return reordered(motion, np.array(order))


def reordered(motion: Motion, order: np.ndarray) -> Motion:
    """Joint columns in another order under the old names."""
    q = np.hstack([motion.q[:, :7], motion.q[:, 7:][:, order]])
    v = np.hstack([motion.v[:, :6], motion.v[:, 6:][:, order]])
    return replace(motion, q=q, v=v)


def shuffled_order(name: str) -> Motion:
    robot, motion = load_robot(name), sway(name)
    return reordered(motion, np.random.default_rng(5).permutation(robot.na))


def uncoupled(name: str) -> Motion:
    robot, motion = load_robot(name), sway(name)
    joints = motion.joints.copy()
    joints[:, robot.index(robot.couplings[0].joint)] += 0.01 * hump(motion.time / 2.0)
    return rejoined(motion, robot, joints)


@cache
def colliding_arm(name: str) -> np.ndarray:
    """Joint angles with the left arm in the body, found by trying [rad]."""
    robot = load_robot(name)
    watch, rng = SelfCollision(robot), np.random.default_rng(1)
    arm = robot.indices("left_arm")
    for _ in range(2000):
        q = np.array(robot.half_sitting)
        q[7 + arm] = rng.uniform(robot.lower[arm] + 0.05, robot.upper[arm] - 0.05)
        if -0.02 < watch.distances(q).min() < -0.005:
            return q[7:]
    raise AssertionError("no arm posture collides")


def self_colliding(name: str) -> Motion:
    robot, motion = load_robot(name), sway(name, duration=6.0, rate=100.0)
    arm = robot.indices("left_arm")
    joints = motion.joints.copy()
    way = colliding_arm(name)[arm] - joints[0, arm]
    joints[:, arm] += hump(motion.time / 6.0)[:, None] * way
    return rejoined(motion, robot, joints)


def wrong_quaternion(name: str) -> Motion:
    motion = turned(sway(name))
    q = motion.q.copy()
    q[:, 3:7] = q[:, [6, 3, 4, 5]]
    return replace(motion, q=q)


def without_plan(motion: Motion) -> Motion:
    return replace(motion, contacts=ContactPlan())


def in_degrees(name: str) -> Motion:
    motion = sway(name)
    q, v = motion.q.copy(), motion.v.copy()
    q[:, 7:], v[:, 6:] = np.degrees(q[:, 7:]), np.degrees(v[:, 6:])
    return replace(motion, q=q, v=v)


def in_centimetres(name: str) -> Motion:
    motion = sway(name)
    q, v = motion.q.copy(), motion.v.copy()
    q[:, :3] *= 100.0
    v[:, :3] *= 100.0
    return replace(motion, q=q, v=v)


def claimed_contact(name: str) -> Motion:
    motion = lift(name)
    touches = [t for t in motion.contacts.touches if t.part == "left_foot"]
    right = next(t for t in motion.contacts.touches if t.part == "right_foot")
    always = replace(right, end=float(motion.time[-1]))
    return replace(motion, contacts=ContactPlan.of([*touches, always]))


def turned(motion: Motion, yaw: float = 0.8) -> Motion:
    """The same motion facing elsewhere, so that world and base axes differ."""
    return moved(motion, pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, yaw), np.array([0.5, -0.3, 0.0])))


def world_velocity(name: str) -> Motion:
    motion = turned(sway(name))
    v = motion.v.copy()
    for row, q in zip(v, motion.q, strict=True):
        row[:3] = pin.Quaternion(q[3:7]).matrix() @ row[:3]
    return replace(motion, v=v)


def degree_velocity(name: str) -> Motion:
    motion = sway(name, duration=6.0, rate=100.0)
    v = motion.v.copy()
    v[:, 6:] = np.degrees(v[:, 6:])
    return replace(motion, v=v)


def mirror_image(name: str) -> Motion:
    robot, motion = load_robot(name), lift(name)
    return motion_of(robot, motion.time, robot.mirrored(motion.q), contacts=motion.contacts)


def misplaced(name: str) -> Motion:
    motion = sway(name)
    away = moved(motion, pin.SE3(np.eye(3), np.array([0.015, 0.0, 0.0])))
    return replace(away, contacts=motion.contacts)


def hovering(name: str) -> Motion:
    motion = sway(name)
    early = motion.contacts.between(0.0, 0.6).touches
    late = motion.contacts.between(1.0, 2.0).touches
    return replace(motion, contacts=ContactPlan.of([*early, *late]))


def unknown_joint(name: str) -> Motion:
    motion = sway(name)
    first, *others = motion.joint_names
    return replace(motion, joint_names=("x" + first, *others))


def unknown_part(name: str) -> Motion:
    motion = sway(name)
    wrong = replace(motion.contacts.touches[0], part="left_foo")
    return replace(motion, contacts=ContactPlan.of([wrong, *motion.contacts.touches[1:]]))


def stretched_quaternion(name: str) -> Motion:
    motion = sway(name)
    q = motion.q.copy()
    q[50, 3:7] *= 1.1
    return replace(motion, q=q)


def inner_edge(robot: Robot) -> float:
    """Distance from the middle of the left sole to its inner edge [m]."""
    corners = robot.soles["left_foot"].corners
    return float(corners[:, 1].mean() - corners[:, 1].min())


def zmp_outside(name: str) -> Motion:
    """Centre of mass 1 cm on the wrong side of the inner edge while one foot stands."""
    return lift(name, height=0.005, short=inner_edge(load_robot(name)) + 0.01)


SLIPPERY = CheckOptions(friction=0.02)

FAULTS = (
    Fault("swapped knees", "frames and units", swapped_knees, "exchanged", alone=False),
    Fault("foot slips 5 mm", "contact slip", lambda n: sway(n, slide=0.005)),
    Fault("foot 3 mm in the floor", "contact penetration", lambda n: sway(n, sunk=0.003)),
    Fault("foot leans 2 deg", "contact tilt", lambda n: sway(n, leaning=0.035), alone=False),
    Fault("one frame jumped", "position jump", jumped_frame, alone=False),
    Fault("base jumped", "position jump", jumped_base, "base x", alone=False),
    Fault("kink in the path", "velocity jump", kinked, alone=False),
    Fault("jerk", "acceleration jump", jerked),
    Fault("velocity 10 % over", "joint velocity", too_fast, "110 %"),
    Fault("beyond its stop", "joint position", beyond_its_stop),
    Fault("ZMP 1 cm outside", "ZMP margin", zmp_outside, "outside", alone=False),
    Fault("ZMP 1 cm outside", "support", zmp_outside, "left_foot", alone=False),
    Fault("NaN", "finite and ordered", not_a_number, "NaN"),
    Fault("time goes backwards", "finite and ordered", backwards, "time goes from"),
    Fault("long quaternion", "finite and ordered", stretched_quaternion, "length 1.1"),
    Fault("breadth-first order", "frames and units", breadth_first_order, "order", alone=False),
    Fault("shuffled order", "frames and units", shuffled_order, "nowhere near", alone=False),
    Fault("uncoupled hips", "couplings", uncoupled, coupled=True),
    Fault("self-collision", "self-collision", self_colliding, "overlap"),
    Fault("wrong quaternion order", "frames and units", wrong_quaternion, "wxyz", alone=False),
    Fault(
        "wrong quaternion order, no plan",
        "frames and units",
        lambda n: without_plan(wrong_quaternion(n)),
        "wxyz",
        alone=False,
    ),
    Fault("degrees", "frames and units", in_degrees, "in degrees", alone=False),
    Fault("centimetres", "frames and units", in_centimetres, "in centimetres", alone=False),
    Fault("mirror image", "frames and units", mirror_image, "mirror", alone=False),
    Fault("floating foot claimed", "contact gap", claimed_contact, "right_foot"),
    Fault("swing foot in the floor", "swing clearance", lambda n: lift(n, height=-0.004)),
    Fault("swing foot drags", "swing drag", lambda n: lift(n, height=0.0, forward=0.02)),
    Fault("misplaced feet", "contact placement", misplaced),
    Fault("hovering", "flight", hovering, "in the air", alone=False),
    Fault("slippery floor", "support", lambda n: sway(n, 1.0), alone=False, options=SLIPPERY),
    Fault("base velocity in world axes", "velocity matches path", world_velocity, "world axes"),
    Fault(
        "velocities in degrees",
        "velocity matches path",
        degree_velocity,
        "degrees per",
        alone=False,
    ),
    Fault("unknown joint", "robot and joints", unknown_joint, "unknown"),
    Fault("unknown part", "contact plan", unknown_part, "left_foo", alone=False),
)
