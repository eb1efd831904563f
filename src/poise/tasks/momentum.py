"""Regulate the angular momentum about the centre of mass: arms swing because of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.compiled import compiled
from poise.robot import Snapshot
from poise.robot.frames import BodyTables
from poise.tasks.residual import Linear, Residual

STILL = np.zeros(3)


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
        fill_momentum(at.body, STILL if self.target is None else self.target, *out)


@compiled
def fill_momentum(
    body: BodyTables,
    target: np.ndarray,
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Write the angular momentum minus a target.

    Args:
        body: of the robot now.
        target: [N m s], (3,).
        error: written, as the next three are; see `residual.Linear`.
        jacobian: (3, nv).
        flow: (3,).
        drift: (3,).
    """
    _, momentum, momentum_drift, momentum_matrix = body
    for row in range(3):
        error[row] = momentum[3 + row] - target[row]
        flow[row] = 0.0
        drift[row] = momentum_drift[3 + row]
        for c in range(jacobian.shape[1]):
            jacobian[row, c] = momentum_matrix[3 + row, c]
