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
from scipy.linalg.lapack import dgesv


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

    def step(self, wrench: np.ndarray, mobility: np.ndarray, dt: float) -> np.ndarray:
        """Let one period pass; the velocity after it, (6,).

        Args:
            wrench: at the hand, world axes [N, N m], (6,).
            mobility: M^-1, inverse of the inertia felt there, (6, 6).
            dt: period [s].
        """
        share = 1.0 if self.filter_time <= 0.0 else min(dt / self.filter_time, 1.0)
        self.felt += share * (wrench - self.felt)
        f = self.felt.copy()
        f[:3] = without_band(f[:3], self.dead_band)
        f[3:] = without_band(f[3:], self.moment_band)
        # (M / dt + B) r'+ = M r' / dt + f, multiplied by dt M^-1
        left = mobility * (dt * self.damping)
        left.ravel()[::7] += 1.0
        right = mobility @ f
        right *= dt
        right += self.velocity
        _, _, self.velocity, _ = dgesv(left, right, overwrite_a=1, overwrite_b=1)
        return self.velocity

    def rest(self) -> None:
        """Forget all movement."""
        self.velocity[:] = 0.0


def without_band(vector: np.ndarray, band: float) -> np.ndarray:
    """A vector shortened by a band: zero inside, continuous at its border."""
    size = float(vector.dot(vector)) ** 0.5
    return vector * (max(size - band, 0.0) / size) if size > 0.0 else vector
