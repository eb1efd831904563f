"""The rest pose: where arms, head and waist go when nothing else asks for them.

Portable knobs (raise the arms, bow the head) are worked out for a robot by inverse kinematics, so
a style needs no joint names; joints that a style does name come on top.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.control import reach
from poise.engines.expressive.options import Style, checked_pose
from poise.errors import Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V
from poise.tasks import FrameOrientation, FramePose, FramePosition, Posture, Task

STAY = 1e-3  # how strongly joints stay where they are while hands and head are placed


def rest_joints(robot: Robot, style: Style) -> np.ndarray:
    """The rest pose of a style on a robot [rad], (na,)."""
    q = np.array(robot.half_sitting)
    if style.arm_raise or style.head_pitch:
        q = _posed(robot, q, style.arm_raise, style.head_pitch)
    pose = checked_pose(robot, style.rest_pose, f"style '{style.name}'")
    return robot.posture(pose, start=q)[BASE_Q:]


def _posed(robot: Robot, q: np.ndarray, arm_raise: float, head_pitch: float) -> np.ndarray:
    """Arms raised about the shoulders and head bowed, as far as the joints go [rad]."""
    at = robot.at(q)
    free = np.zeros(robot.na, dtype=bool)
    tasks: list[Task] = []
    for side in ("left", "right"):
        group, hand = f"{side}_arm", f"{side}_hand"
        if arm_raise and hand in robot.parts and robot.groups.get(group):
            free[robot.indices(group)] = True
            shoulder = _shoulder(robot, at.data, group)
            lifted = _about_y(-arm_raise) @ (at.position(hand) - shoulder)
            tasks.append(Task(hand, FramePosition(hand, shoulder + lifted)))
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
    """How much each joint counts in the posture task, (na,): legs less than the rest.

    A rest pose that holds the legs as firmly as the arms fights the sway.
    """
    scale = np.ones(robot.na)
    for group in ("left_leg", "right_leg"):
        scale[robot.indices(group)] = legs
    assert len(scale) == robot.nv - BASE_V
    return scale
