"""The robot in flat coordinates: the base by its place and three angles, not a quaternion.

Splines need coordinates that may be added. The base is carried by three slides along the world's
axes and by yaw, pitch and roll joints; rates and accelerations are then plain derivatives, and
Pinocchio's derivatives hold as they are. Pitch stays away from a right angle, where yaw and roll
become one (`MOST_PITCH`).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pinocchio as pin

from poise.robot import Robot
from poise.robot.quaternion import quat_of
from poise.robot.robot import BASE_Q, BASE_V

MOST_PITCH = 1.2  # [rad], of the base
MORE_JOINTS = 3  # one root joint becomes four


class Chart:
    """A robot's model with coordinates (x, y, z, yaw, pitch, roll, joints), all of which add."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.model = _flattened(robot.model)
        self.nv = self.model.nv
        self.na = self.nv - BASE_V

    def flat(self, q: np.ndarray) -> np.ndarray:
        """Flat coordinates of a configuration (nq,); yaw within half a turn of zero."""
        R = pin.Quaternion(q[3:7]).matrix()
        yaw, pitch, roll = _angles(R)
        return np.concatenate([q[:3], [yaw, pitch, roll], q[BASE_Q:]])

    def full(self, flat: np.ndarray) -> np.ndarray:
        """Configurations (n, nq) of flat coordinates (n, nv)."""
        q = np.empty((len(flat), self.robot.nq))
        q[:, :3], q[:, BASE_Q:] = flat[:, :3], flat[:, BASE_V:]
        for row, (yaw, pitch, roll) in zip(q, flat[:, 3:6], strict=True):
            row[3:7] = quat_of(_rotation(yaw, pitch, roll))
        return q

    def rates(self, flat: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Velocities (n, nv), base parts in base axes, of flat coordinates and their rates."""
        v = np.array(speed)
        for row, place, rate in zip(v, flat, speed, strict=True):
            R = _rotation(*place[3:6])
            row[:3] = R.T @ rate[:3]
            row[3:6] = R.T @ (_turning(place[3:6]) @ rate[3:6])
        return v

    @cached_property
    def lower(self) -> np.ndarray:
        """Lowest coordinates, (nv,); the base may go anywhere but tip over."""
        free = [-np.inf, -np.inf, -np.inf, -np.inf, -MOST_PITCH, -np.inf]
        return np.concatenate([free, self.robot.lower])

    @cached_property
    def upper(self) -> np.ndarray:
        """Highest coordinates, (nv,)."""
        free = [np.inf, np.inf, np.inf, np.inf, MOST_PITCH, np.inf]
        return np.concatenate([free, self.robot.upper])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates."""
        base = ("base x", "base y", "base z", "base yaw", "base pitch", "base roll")
        return base + self.robot.joint_names

    def chain(self, joint: int) -> np.ndarray:
        """Which coordinates move a joint of `model`, rising."""
        moved: list[int] = []
        while joint > 0:
            start = self.model.idx_vs[joint]
            moved += range(start, start + self.model.nvs[joint])
            joint = self.model.parents[joint]
        return np.array(sorted(moved), dtype=int)

    def carrier(self, frame: str) -> tuple[int, pin.SE3]:
        """The joint of `model` that carries a frame, and the frame's place on it."""
        found = self.robot.model.frames[self.robot.frame_id(frame)]
        return found.parentJoint + MORE_JOINTS, found.placement.copy()


def _flattened(model: pin.Model) -> pin.Model:
    flat = pin.Model()
    flat.gravity = model.gravity
    slides = flat.addJoint(0, pin.JointModelTranslation(), pin.SE3.Identity(), "base place")
    last = slides
    for joint in (pin.JointModelRZ(), pin.JointModelRY(), pin.JointModelRX()):
        last = flat.addJoint(last, joint, pin.SE3.Identity(), f"base {joint.shortname()}")
    flat.appendBodyToJoint(last, model.inertias[1], pin.SE3.Identity())
    for j in range(2, model.njoints):
        parent = model.parents[j] + MORE_JOINTS
        new = flat.addJoint(parent, model.joints[j], model.jointPlacements[j], model.names[j])
        flat.appendBodyToJoint(new, model.inertias[j], pin.SE3.Identity())
    flat.armature[BASE_V:] = model.armature[BASE_V:]
    return flat


def _rotation(yaw: float, pitch: float, roll: float) -> np.ndarray:
    (cz, sz), (cy, sy), (cx, sx) = ((np.cos(a), np.sin(a)) for a in (yaw, pitch, roll))
    return np.array(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
    )


def _angles(R: np.ndarray) -> tuple[float, float, float]:
    return (
        float(np.arctan2(R[1, 0], R[0, 0])),
        float(np.arcsin(np.clip(-R[2, 0], -1.0, 1.0))),
        float(np.arctan2(R[2, 1], R[2, 2])),
    )


def _turning(angles: np.ndarray) -> np.ndarray:
    """Rates of yaw, pitch and roll to angular velocity, world axes, (3, 3)."""
    yaw, pitch, _ = angles
    cz, sz, cy, sy = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    return np.array([[0.0, -sz, cz * cy], [0.0, cz, sz * cy], [1.0, 0.0, -sy]])
