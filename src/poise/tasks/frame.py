"""Bring a frame of the robot to a pose, a point or an orientation of the world."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pinocchio as pin

from poise.compiled import compiled
from poise.robot import Snapshot
from poise.robot.frames import FrameTables, write_jacobian, write_rates
from poise.tasks.residual import Linear, Residual
from poise.tasks.rotations import ALIGNED_SQUARED, bend_rotation, rotation_vector

ORIGIN, UPRIGHT, STILL = np.zeros(3), np.asfortranarray(np.eye(3)), np.zeros(6)

Goal = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class FrameResidual(Residual):
    """What concerns the pose of one frame: rows of its position error over its rotation vector."""

    frame: str
    first: ClassVar[int]  # of the six rows of a pose
    height: ClassVar[int]  # how many of them

    @property
    def rows(self) -> int:
        """Six of a pose, three of a point or an orientation."""
        return self.height

    @property
    @abstractmethod
    def goal(self) -> Goal:
        """Position, orientation, twist and acceleration wanted; they follow what is written."""

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Position minus target, then rotation vector from target to frame, world axes."""
        fill_frame(at.tables, at.robot.frame_id(self.frame), self.first, *self.goal, *out)


@dataclass(frozen=True, eq=False)
class FramePosition(FrameResidual):
    """Bring the origin of a frame to a point of the world."""

    frame: str
    p_world_target: np.ndarray  # [m]
    velocity: np.ndarray | None = None  # of the target [m/s]
    acceleration: np.ndarray | None = None  # [m/s^2]
    unit: ClassVar[str] = "m"
    first: ClassVar[int] = 0
    height: ClassVar[int] = 3

    @cached_property
    def goal(self) -> Goal:
        """The point, and how it moves."""
        twist, acceleration = _moving(self.velocity), _moving(self.acceleration)
        return np.ascontiguousarray(self.p_world_target, dtype=float), UPRIGHT, twist, acceleration


@dataclass(frozen=True, eq=False)
class FrameOrientation(FrameResidual):
    """Turn a frame to an orientation of the world."""

    frame: str
    R_world_target: np.ndarray
    spin: np.ndarray | None = None  # of the target, world axes [rad/s]
    spin_rate: np.ndarray | None = None  # [rad/s^2]
    unit: ClassVar[str] = "rad"
    first: ClassVar[int] = 3
    height: ClassVar[int] = 3

    @cached_property
    def goal(self) -> Goal:
        """The orientation, and how it turns."""
        twist, acceleration = (
            STILL if w is None else np.concatenate([ORIGIN, w]) for w in (self.spin, self.spin_rate)
        )
        return ORIGIN, np.asfortranarray(self.R_world_target, dtype=float), twist, acceleration


@dataclass(frozen=True, eq=False)
class FramePose(FrameResidual):
    """Bring a frame to a pose of the world; three rows of metres, three of radians."""

    frame: str
    T_world_target: pin.SE3
    twist: np.ndarray | None = None  # of the target, world axes [m/s, rad/s]
    acceleration: np.ndarray | None = None  # [m/s^2, rad/s^2]
    unit: ClassVar[str] = "m, rad"
    first: ClassVar[int] = 0
    height: ClassVar[int] = 6

    @cached_property
    def goal(self) -> Goal:
        """The pose, and how it moves."""
        T, twist, acceleration = (
            self.T_world_target,
            _moving(self.twist),
            _moving(self.acceleration),
        )
        return T.translation, T.rotation, twist, acceleration


def _moving(rates: np.ndarray | None) -> np.ndarray:
    return STILL if rates is None else np.ascontiguousarray(rates, dtype=float)


@compiled
def fill_frame(
    tables: FrameTables,
    frame: int,
    first: int,
    p_target: np.ndarray,
    R_target: np.ndarray,
    twist: np.ndarray,
    acceleration: np.ndarray,
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Write rows of a frame's pose error, from `first` on: position 0 to 2, rotation 3 to 5.

    Args:
        tables: of the robot now.
        frame: which.
        first: row of the pose to begin with; as many as `error` has are written.
        p_target: where its origin should be [m], (3,).
        R_target: how it should be turned, (3, 3).
        twist: of the target, world axes [m/s, rad/s], (6,); (3,) for a point.
        acceleration: of the target, likewise.
        error: written, as the next three are; see `residual.Linear`.
        jacobian: (rows, nv).
        flow: (rows,).
        drift: (rows,).
    """
    spin, still = np.empty(3), np.empty(6)
    write_jacobian(tables, frame, first, jacobian)
    write_rates(tables, frame, spin, still)
    place = tables[0][frame]
    for row in range(error.shape[0]):
        k = first + row
        if k < 3:
            error[row] = place[9 + k] - p_target[k]
        flow[row] = -twist[k]
        drift[row] = still[k] - acceleration[k]
    turning = 3 - first
    if error.shape[0] <= turning:
        return
    R, e = np.empty((3, 3)), error[turning:]
    for i in range(3):
        for j in range(3):
            R[i, j] = (
                place[i] * R_target[j, 0]
                + place[3 + i] * R_target[j, 1]
                + place[6 + i] * R_target[j, 2]
            )
    rotation_vector(R, e)
    if e[0] * e[0] + e[1] * e[1] + e[2] * e[2] > ALIGNED_SQUARED:
        bend_rotation(
            R, e, spin, twist[3:], acceleration[3:],
            jacobian[turning:], flow[turning:], drift[turning:],
        )  # fmt: skip
