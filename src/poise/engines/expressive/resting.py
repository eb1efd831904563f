"""The rest pose: where arms, head and waist go when nothing else asks for them.

Portable knobs (raise the arms, bow the head) are worked out for a robot by inverse kinematics, so
a style needs no joint names; joints that a style does name come on top.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pinocchio as pin

from poise.control import reach
from poise.engines.expressive.options import Style, checked_pose
from poise.errors import Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.tasks import FrameOrientation, FramePose, FramePosition, Posture, Task

SIDEWAYS = 8.0  # how much more an arm joint counts that does not swing fore and aft
HEAD = 1.5  # and a joint of the head, which would loll about otherwise
STAY = 1e-3  # how strongly joints stay where they are while hands and head are placed


def rest_joints(robot: Robot, style: Style) -> np.ndarray:
    """The rest pose of a style on a robot [rad], (na,)."""
    q = np.array(_posed(robot, style.arm_raise, style.arm_spread, style.head_pitch))
    pose = checked_pose(robot, style.rest_pose, f"style '{style.name}'")
    return robot.posture(pose, start=q)[BASE_Q:]


@lru_cache(maxsize=64)  # most sliders leave arms and head where they are
def _posed(robot: Robot, arm_raise: float, arm_spread: float, head_pitch: float) -> np.ndarray:
    """Half-sitting, arms turned about the shoulders and head bowed, as far as the joints go."""
    q = robot.half_sitting
    if not (arm_raise or arm_spread or head_pitch):
        return q
    at = robot.at(q)
    free = np.zeros(robot.na, dtype=bool)
    tasks: list[Task] = []
    for side in ("left", "right"):
        group, hand = f"{side}_arm", f"{side}_hand"
        if not (arm_raise or arm_spread):
            continue
        if hand in robot.parts and robot.groups.get(group):
            free[robot.indices(group)] = True
            shoulder = _shoulder(robot, at.data, group)
            out = arm_spread if side == "left" else -arm_spread
            turn = pin.exp3(np.array([out, 0.0, 0.0])) @ _about_y(-arm_raise)
            there = shoulder + turn @ (at.position(hand) - shoulder)
            tasks.append(Task(hand, FramePosition(hand, there)))
    if head_pitch and "head" in robot.parts and robot.groups.get("head"):
        free[robot.indices("head")] = True
        R = _about_y(head_pitch) @ at.rotation("head")
        tasks.append(Task("head", FrameOrientation("head", R)))
    if not tasks:
        return q
    # joints that do not take part stay, those that do stay as near as they can
    scale = np.where(free, STAY**0.5, 1e3)
    tasks.append(Task("stay", Posture(q[BASE_Q:], scale)))
    base = Task("base", FramePose("base", at.pose("base")))
    try:
        return reach(robot, q, tasks, [base])
    except Infeasible:  # out of reach altogether: stay
        return q


def _shoulder(robot: Robot, data: pin.Data, group: str) -> np.ndarray:
    """Mean place of the first joints of an arm [m], (3,)."""
    joints = [robot.model.getJointId(name) for name in robot.groups[group][:2]]
    return np.mean([data.oMi[j].translation for j in joints], axis=0)


def _about_y(angle: float) -> np.ndarray:
    return pin.exp3(np.array([0.0, angle, 0.0]))


def posture_scale(robot: Robot, legs: float) -> np.ndarray:
    """How much each joint counts in the posture task, (na,).

    Legs count less: a rest pose that holds them as firmly as the arms fights the sway. In the
    arms, joints that swing fore and aft are the freest; the others bring hands to the body.
    """
    scale = np.ones(robot.na)
    if robot.groups.get("head"):
        scale[robot.indices("head")] = HEAD
    at = robot.at(robot.half_sitting)
    for side in ("left", "right"):
        scale[robot.indices(f"{side}_leg")] = legs
        for name in robot.groups.get(f"{side}_arm", ()):
            axis = at.data.oMi[robot.model.getJointId(name)].rotation @ _axis(robot, name)
            scale[robot.index(name)] = 1.0 + SIDEWAYS * (1.0 - axis[1] ** 2)
    return scale


def _axis(robot: Robot, joint: str) -> np.ndarray:
    """Axis of a joint in its own frame, (3,)."""
    index = robot.model.getJointId(joint)
    data = robot.model.joints[index].createData()
    robot.model.joints[index].calc(data, np.zeros(robot.nq), np.zeros(robot.nv))
    return np.asarray(data.S).reshape(6)[3:]
