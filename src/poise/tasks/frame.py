"""Bring a frame of the robot to a pose, a point or an orientation of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pinocchio as pin

from poise.robot import Snapshot
from poise.tasks.residual import Linear, Residual
from poise.tasks.rotations import ALIGNED_SQUARED, bend_rotation


@dataclass(frozen=True, eq=False)
class FramePosition(Residual):
    """Bring the origin of a frame to a point of the world."""

    frame: str
    p_world_target: np.ndarray  # [m]
    velocity: np.ndarray | None = None  # of the target [m/s]
    acceleration: np.ndarray | None = None  # [m/s^2]
    unit: ClassVar[str] = "m"

    @property
    def rows(self) -> int:
        """Three."""
        return 3

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Position of the frame minus the target, world axes."""
        np.subtract(at.position(self.frame), self.p_world_target, out=out.error)
        out.jacobian[:] = at.jacobian(self.frame)[:3]
        out.drift[:] = at.drift(self.frame)[:3]
        if self.velocity is not None:
            np.negative(self.velocity, out=out.flow)
        if self.acceleration is not None:
            np.subtract(out.drift, self.acceleration, out=out.drift)


@dataclass(frozen=True, eq=False)
class FrameOrientation(Residual):
    """Turn a frame to an orientation of the world."""

    frame: str
    R_world_target: np.ndarray
    spin: np.ndarray | None = None  # of the target, world axes [rad/s]
    spin_rate: np.ndarray | None = None  # [rad/s^2]
    unit: ClassVar[str] = "rad"

    @property
    def rows(self) -> int:
        """Three."""
        return 3

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Rotation vector from the target to the frame, world axes."""
        R = at.rotation(self.frame) @ self.R_world_target.T
        out.error[:] = e = pin.log3(R)
        out.jacobian[:] = at.jacobian(self.frame)[3:]
        out.drift[:] = at.drift(self.frame)[3:]
        if self.spin is not None:
            np.negative(self.spin, out=out.flow)
        if self.spin_rate is not None:
            np.subtract(out.drift, self.spin_rate, out=out.drift)
        if e @ e > ALIGNED_SQUARED:
            bend_rotation(R, e, at.velocity(self.frame)[3:], self.spin, self.spin_rate, out)


@dataclass(frozen=True, eq=False)
class FramePose(Residual):
    """Bring a frame to a pose of the world; three rows of metres, three of radians."""

    frame: str
    T_world_target: pin.SE3
    twist: np.ndarray | None = None  # of the target, world axes [m/s, rad/s]
    acceleration: np.ndarray | None = None  # [m/s^2, rad/s^2]
    unit: ClassVar[str] = "m, rad"

    @property
    def rows(self) -> int:
        """Six."""
        return 6

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Position error over rotation vector, world axes."""
        error, target = out.error, self.T_world_target
        np.subtract(at.position(self.frame), target.translation, out=error[:3])
        R = at.rotation(self.frame) @ target.rotation.T
        error[3:] = e = pin.log3(R)
        out.jacobian[:] = at.jacobian(self.frame)
        out.drift[:] = at.drift(self.frame)
        if self.twist is not None:
            np.negative(self.twist, out=out.flow)
        if self.acceleration is not None:
            np.subtract(out.drift, self.acceleration, out=out.drift)
        if e @ e > ALIGNED_SQUARED:
            bend_rotation(
                R,
                e,
                at.velocity(self.frame)[3:],
                None if self.twist is None else self.twist[3:],
                None if self.acceleration is None else self.acceleration[3:],
                Linear(e, out.jacobian[3:], out.flow[3:], out.drift[3:]),
            )
