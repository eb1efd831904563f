"""A pulled hand gives way: M r'' + B r' = f, with the inertia that the robot really has there.

With M = (J A^-1 J')^-1, A the joint-space inertia, and the inverse of the Jacobian weighted by A, a
force at the hand moves the joints as it would if motors only took friction away,

    A q'' = J' f - (J' B J) q',

and B alone is left to be chosen. A step is taken implicitly, so that no damping is too high for
the period.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.compiled import compiled


def hand_inertia(A: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Inertia that a force feels at a frame, (m, m).

    Args:
        A: joint-space inertia (n, n).
        J: Jacobian of the frame (m, n).
    """
    return np.linalg.inv(J @ np.linalg.solve(A, J.T))


def weighted_inverse(A: np.ndarray, J: np.ndarray) -> np.ndarray:
    """The inverse of J that moves the least kinetic energy, (n, m)."""
    AJ = np.linalg.solve(A, J.T)
    return AJ @ np.linalg.inv(J @ AJ)


@dataclass
class Admittance:
    """One hand's velocity under the force it feels; world axes, linear then angular."""

    damping: np.ndarray  # (6,), diagonal of B [N s/m, N m s/rad]
    dead_band: float  # [N]
    filter_time: float  # [s]
    moment_band: float  # [N m]
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(6))
    felt: np.ndarray = field(default_factory=lambda: np.zeros(6))

    def __post_init__(self) -> None:
        self._bands = self.dead_band, self.moment_band

    def step(self, wrench: np.ndarray, mobility: np.ndarray, dt: float) -> np.ndarray:
        """Let one period pass; the velocity after it, (6,).

        Args:
            wrench: at the hand, world axes [N, N m], (6,).
            mobility: M^-1, inverse of the inertia felt there, (6, 6).
            dt: period [s].
        """
        share = 1.0 if self.filter_time <= 0.0 else min(dt / self.filter_time, 1.0)
        self.velocity = _give_way(
            self.velocity, self.felt, wrench, mobility, self.damping, dt, share, self._bands
        )
        return self.velocity

    def rest(self) -> None:
        """Forget all movement."""
        self.velocity[:] = 0.0


@compiled
def without_band(vector: np.ndarray, band: float) -> np.ndarray:
    """A vector shortened by a band: zero inside, continuous at its border."""
    square = 0.0
    for x in vector:
        square += x * x
    size = square**0.5
    return vector * (max(size - band, 0.0) / size if size > 0.0 else 0.0)


@compiled
def _give_way(
    velocity: np.ndarray,
    felt: np.ndarray,
    wrench: np.ndarray,
    mobility: np.ndarray,
    damping: np.ndarray,
    dt: float,
    share: float,
    bands: tuple[float, float],
) -> np.ndarray:
    """One period of M r'' + B r' = f, implicitly; the felt wrench is averaged in place."""
    for i in range(6):
        felt[i] += share * (wrench[i] - felt[i])
    f = np.empty(6)
    f[:3], f[3:] = without_band(felt[:3], bands[0]), without_band(felt[3:], bands[1])
    # (M / dt + B) r'+ = M r' / dt + f, multiplied by dt M^-1
    A, b = np.empty((6, 6)), np.empty(6)
    for i in range(6):
        b[i] = velocity[i]
        for j in range(6):
            A[i, j] = dt * mobility[i, j] * damping[j] + (1.0 if i == j else 0.0)
            b[i] += dt * mobility[i, j] * f[j]
    # with roots of B on both sides it is symmetric and above 1: no pivots are needed
    for k in range(6):
        for i in range(k + 1, 6):
            factor = A[i, k] / A[k, k]
            for j in range(k, 6):
                A[i, j] -= factor * A[k, j]
            b[i] -= factor * b[k]
    for i in range(5, -1, -1):
        for j in range(i + 1, 6):
            b[i] -= A[i, j] * b[j]
        b[i] /= A[i, i]
    return b
