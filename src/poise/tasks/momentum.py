"""Regulate the angular momentum about the centre of mass: arms swing because of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.robot import Snapshot
from poise.tasks.residual import Linear, Residual


@dataclass(frozen=True, eq=False)
class AngularMomentum(Residual):
    """Angular momentum about the centre of mass minus a target, world axes.

    Momentum is a velocity, not a position: its own rate is jacobian @ a + drift, so it enters
    inverse dynamics one order lower than the others (e' = -gain e) and inverse kinematics not
    at all.
    """

    target: np.ndarray | None = None  # [N m s]
    unit: ClassVar[str] = "N m s"
    order: ClassVar[int] = 1

    @property
    def rows(self) -> int:
        """Three."""
        return 3

    def fill(self, at: Snapshot, out: Linear) -> None:
        """The momentum, the matrix that maps dv/dt to its rate, and the rate's drift."""
        out.error[:] = at.momentum[3:]
        if self.target is not None:
            np.subtract(out.error, self.target, out=out.error)
        out.jacobian[:] = at.momentum_matrix[3:]
        out.drift[:] = at.momentum_drift[3:]
