"""Bring the centre of mass to a point of the world, in all or some directions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from poise.compiled import compiled
from poise.robot import Snapshot
from poise.robot.frames import BodyTables
from poise.tasks.residual import Linear, Residual

STILL = np.zeros(3)


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
        velocity = STILL if self.velocity is None else self.velocity
        acceleration = STILL if self.acceleration is None else self.acceleration
        fill_com(at.body, at.robot.mass, 0, self.p_world_target, velocity, acceleration, *out)


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

    @cached_property
    def goal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Height, its rate and the rate's, (1,) each; the residual follows what is written."""
        return np.array([self.height]), np.array([self.rate]), np.array([self.rate2])

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Height of the centre of mass minus the target."""
        fill_com(at.body, at.robot.mass, 2, *self.goal, *out)


@compiled
def fill_com(
    body: BodyTables,
    mass: float,
    first: int,
    target: np.ndarray,
    velocity: np.ndarray,
    acceleration: np.ndarray,
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Write coordinates of the centre of mass minus a target, from coordinate `first` on.

    Args:
        body: of the robot now.
        mass: of the robot [kg].
        first: coordinate to begin with; as many as `error` has are written.
        target: coordinates from `first` on [m].
        velocity: of the target [m/s].
        acceleration: of the target [m/s^2].
        error: written, as the next three are; see `residual.Linear`.
        jacobian: (rows, nv).
        flow: (rows,).
        drift: (rows,).
    """
    share = 1.0 / mass
    com, _, momentum_drift, momentum_matrix = body
    for row in range(error.shape[0]):
        k = first + row
        error[row] = com[k] - target[row]
        flow[row] = -velocity[row]
        drift[row] = share * momentum_drift[k] - acceleration[row]
        for c in range(jacobian.shape[1]):
            jacobian[row, c] = share * momentum_matrix[k, c]
