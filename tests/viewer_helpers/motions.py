"""Motions to look at, made without any engine: a squat with swaying arms, a shuffle forward."""

from __future__ import annotations

import re

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch
from poise.motion import Motion, motion_of
from poise.robot import Robot
from poise.robot.robot import BASE_Q


def squat(robot: Robot, duration: float = 4.0, rate: float = 30.0) -> Motion:
    """Down and up on two planted feet, arms swaying."""
    time = np.arange(round(duration * rate) + 1) / rate
    q = np.tile(robot.half_sitting, (len(time), 1))
    depth = 0.5 - 0.5 * np.cos(2.0 * np.pi * time / duration)
    for group in ("left_leg", "right_leg"):
        columns = BASE_Q + robot.indices(group)
        q[:, columns] = robot.half_sitting[columns] * (1.0 + 0.7 * depth[:, None])
    for group in ("left_arm", "right_arm"):
        columns = BASE_Q + robot.indices(group)[:3]
        q[:, columns] += 0.25 * np.sin(2.0 * np.pi * time[:, None] / duration)
    q = robot.coupled(q)
    start = robot.at(q[0])
    stand = {part: start.pose(part) for part in robot.feet}
    foot = robot.feet[0]
    for row in q:
        _hold(robot, row, foot, stand[foot])
    touches = [
        Touch(part, 0.0, float(time[-1]), stand[part], robot.soles[part].points)
        for part in robot.feet
    ]
    return motion_of(robot, time, q, contacts=ContactPlan.of(touches))


def shuffle(robot: Robot, steps: int = 6, period: float = 0.8, rate: float = 50.0) -> Motion:
    """Small steps forward, one foot planted at a time: nothing a robot could do, but it moves."""
    count = round(period * rate)
    swing = {part: _leg(robot, part) for part in robot.feet}
    rows: list[np.ndarray] = []
    touches = []
    q = np.array(robot.half_sitting)
    T = {part: robot.at(q).pose(part) for part in robot.feet}
    for step in range(steps):
        stance, moving = robot.feet[step % 2], robot.feet[(step + 1) % 2]
        start = T[stance]
        flat = pin.SE3(np.eye(3), start.translation * [1.0, 1.0, 0.0])
        for k in range(count):
            s = (k + 1) / count
            ahead = 0.22 * (1.0 if step else 0.5) * (1.0 - np.cos(np.pi * s)) - (
                0.22 if step else 0
            )
            for part, sign in ((moving, -1.0), (stance, 1.0)):
                hip, knee, ankle = swing[part]
                lift = 0.35 * np.sin(np.pi * s) ** 2 if part == moving else 0.0
                row = robot.half_sitting
                q[hip] = row[hip] + 0.5 * sign * ahead - lift
                q[knee] = row[knee] + 2.0 * lift
                q[ankle] = row[ankle] - 0.5 * sign * ahead - lift
            _hold(robot, q, stance, pin.SE3.Interpolate(start, flat, min(1.0, 4.0 * s)))
            rows.append(q.copy())
        begin, end = step * period, (step + 1) * period
        touches.append(Touch(stance, begin, end, flat, robot.soles[stance].points))
        landed = robot.at(q).pose(moving)
        T = {stance: flat, moving: landed}
    time = np.arange(len(rows)) / rate
    return motion_of(robot, time, np.array(rows), contacts=ContactPlan.of(touches))


def _leg(robot: Robot, foot: str) -> tuple[int, int, int]:
    """Columns in q of the pitch joints of hip, knee and ankle."""
    names = robot.groups[foot.replace("foot", "leg")]

    def find(pattern: str) -> int:
        name = next(n for n in names if re.search(pattern, n, re.IGNORECASE))
        return BASE_Q + robot.index(name)

    return (
        find("hip_?pitch|leg.*_3_|leg_joint.3"),
        find("knee|leg.*_4_|leg_joint.4"),
        find("ankle_?pitch|leg.*_5_|leg_joint.5"),
    )


def _hold(robot: Robot, q: np.ndarray, foot: str, T_world_foot: pin.SE3) -> None:
    """Move the base so that a foot is where it should be, in place."""
    T_world_base = pin.XYZQUATToSE3(q[:BASE_Q])
    T_base_foot = T_world_base.actInv(robot.at(q).pose(foot))
    q[:BASE_Q] = pin.SE3ToXYZQUAT(T_world_foot * T_base_foot.inverse())
