"""Bring the centre of mass to a point of the world, in all or some directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.robot import Snapshot
from poise.tasks.residual import Linear, Residual


@dataclass(frozen=True, eq=False)
class CenterOfMass(Residual):
    """Bring the centre of mass to a point; with `height` False, its z is left free."""

    p_world_target: np.ndarray  # [m], (3,)
    velocity: np.ndarray | None = None  # of the target [m/s], (3,)
    acceleration: np.ndarray | None = None  # [m/s^2], (3,)
    height: bool = True
    unit: ClassVar[str] = "m"

    @property
    def rows(self) -> int:
        """Three, or two when the height is free."""
        return 3 if self.height else 2

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Centre of mass minus the target, world axes."""
        n = self.rows
        np.subtract(at.com[:n], self.p_world_target[:n], out=out.error)
        out.jacobian[:] = at.com_jacobian[:n]
        out.drift[:] = at.com_drift[:n]
        if self.velocity is not None:
            np.negative(self.velocity[:n], out=out.flow)
        if self.acceleration is not None:
            np.subtract(out.drift, self.acceleration[:n], out=out.drift)


@dataclass(frozen=True, eq=False)
class ComHeight(Residual):
    """Hold the centre of mass at a height, wherever it goes sideways."""

    height: float  # [m]
    rate: float = 0.0  # of the target [m/s]
    rate2: float = 0.0  # [m/s^2]
    unit: ClassVar[str] = "m"

    @property
    def rows(self) -> int:
        """One."""
        return 1

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Height of the centre of mass minus the target."""
        out.error[0] = at.com[2] - self.height
        out.jacobian[0] = at.com_jacobian[2]
        out.flow[0] = -self.rate
        out.drift[0] = at.com_drift[2] - self.rate2
