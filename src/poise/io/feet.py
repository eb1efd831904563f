"""Where the base must be when a file tells only the joints: the standing foot does not move."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.robot import Robot

SUNK = 1e-5  # [m], how far below the ground the other foot takes over


def base_from_feet(robot: Robot, joints: np.ndarray) -> np.ndarray:
    """Base poses that keep the standing foot where it is, flat on the ground, (n, 7).

    The foot that carries is the one below which the other never is; the other takes over where
    it was an instant before, when it would sink. The motion starts with the feet around
    the origin and the base facing along x.

    Args:
        robot: whose joints they are.
        joints: angles [rad], (n, na).
    """
    model, data = robot.model, robot.model.createData()
    neutral = pin.neutral(model)
    ids = [robot.frame_id(foot) for foot in robot.feet]
    soles = [robot.soles[foot].outline for foot in robot.feet]

    def feet_in_base(k: int) -> list[pin.SE3]:
        neutral[7:] = joints[k]
        pin.forwardKinematics(model, data, neutral)
        return [pin.SE3(pin.updateFramePlacement(model, data, i)) for i in ids]

    now = feet_in_base(0)
    stance, T_world_base = _start(now, soles)
    T_world_foot = T_world_base * now[stance]
    path = np.empty((len(joints), 7))
    for k in range(len(joints)):
        before, now = now, feet_in_base(k)
        T_before, T_world_base = T_world_base, T_world_foot * now[stance].inverse()
        lowest = [_lowest(T_world_base * foot, sole) for foot, sole in zip(now, soles, strict=True)]
        deepest = int(np.argmin(lowest))
        if deepest != stance and lowest[deepest] < -SUNK:
            stance = deepest
            T_world_foot = _flattened(T_before * before[stance])
            T_world_base = T_world_foot * now[stance].inverse()
        path[k] = pin.SE3ToXYZQUAT(T_world_base)
    return path


def _start(feet: list[pin.SE3], soles: list[np.ndarray]) -> tuple[int, pin.SE3]:
    """Which foot carries at first, and the base pose with that foot flat on the ground."""
    tries = []
    for stance, foot in enumerate(feet):
        T_world_base = foot.inverse()
        sunk = min(
            _lowest(T_world_base * other, sole) for other, sole in zip(feet, soles, strict=True)
        )
        tries.append((min(sunk, -SUNK / 2), -stance))
    stance = -max(tries)[1]
    T_world_base = feet[stance].inverse()
    forward = T_world_base.rotation[:, 0]
    turn = pin.rpy.rpyToMatrix(0.0, 0.0, -float(np.arctan2(forward[1], forward[0])))
    T_world_base = pin.SE3(turn, np.zeros(3)) * T_world_base
    centre = np.mean([(T_world_base * foot).translation for foot in feet], axis=0)
    return stance, pin.SE3(np.eye(3), -np.array([centre[0], centre[1], 0.0])) * T_world_base


def _lowest(T_world_foot: pin.SE3, sole: np.ndarray) -> float:
    return float((sole @ T_world_foot.rotation[2]).min() + T_world_foot.translation[2])


def _flattened(T: pin.SE3) -> pin.SE3:
    """The same place and heading, flat on the ground."""
    yaw = float(np.arctan2(T.rotation[1, 0], T.rotation[0, 0]))
    return pin.SE3(
        pin.rpy.rpyToMatrix(0.0, 0.0, yaw), np.array([T.translation[0], T.translation[1], 0.0])
    )
