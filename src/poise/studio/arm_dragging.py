"""The rest pose of an arm from where its hand is dragged."""

from __future__ import annotations

import numpy as np

from poise.control import reach
from poise.engines.expressive import Style
from poise.engines.expressive.resting import rest_joints
from poise.errors import Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.tasks import FramePose, FramePosition, Posture, Task

STAY = 3e-2  # how strongly the joints of the arm stay where they are
OTHERS = 1e3  # and all others
CLOSE = 1e-4  # [m, rad], good enough for a hand that moves on


def sides_of(robot: Robot) -> dict[int, str]:
    """Joints of arms that have a hand -> "left" or "right"."""
    return {
        robot.model.getJointId(joint): side
        for side in ("left", "right")
        if f"{side}_hand" in robot.parts
        for joint in robot.groups.get(f"{side}_arm", ())
    }


def rest_with_hand(robot: Robot, style: Style, side: str, place: np.ndarray) -> dict[str, float]:
    """Joints of an arm whose hand rests at a place, as near as it can [rad].

    Args:
        robot: who.
        style: whose rest pose it starts from.
        side: "left" or "right".
        place: where the hand should be, seen from the chest [m], (3,).
    """
    q = np.r_[robot.half_sitting[:BASE_Q], rest_joints(robot, style)]
    at = robot.at(q)
    arm = robot.indices(f"{side}_arm")
    scale = np.full(robot.na, OTHERS)
    scale[arm] = STAY
    hand = f"{side}_hand"
    tasks = [
        Task(hand, FramePosition(hand, at.pose("chest").act(place))),
        Task("stay", Posture(q[BASE_Q:], scale)),
    ]
    base = Task("base", FramePose("base", at.pose("base")))
    try:
        found = reach(robot, q, tasks, [base], CLOSE, 30)
    except Infeasible:  # out of reach altogether: stay
        return {}
    followers = {c.joint for c in robot.couplings}
    return {
        name: float(found[BASE_Q + robot.index(name)])
        for name in robot.groups[f"{side}_arm"]
        if name not in followers
    }
