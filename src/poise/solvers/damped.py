"""Pseudo-inverses that stay finite near singularities, and true null-space projectors.

Away from singularities the inverse is exact. A singular value that falls below a threshold is
damped, each on its own, so that the directions a robot still masters do not suffer from the one it
is losing. Projectors are never damped: a damped projector lets a lower priority leak into a higher
one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RANK = 1e-13  # singular values below this fraction of the size of the matrix count as zero


@dataclass(frozen=True)
class Damping:
    """How singular values s are inverted: s / (s^2 + d^2), d = most (1 - (s / threshold)^2).

    Above the threshold d is zero and the inverse exact; the change is smooth.

    Args:
        threshold: singular value below which damping begins [unit of the Jacobian].
        most: damping at a singular value of zero [unit of the Jacobian]; the inverse then never
            exceeds about 1 / most.
    """

    threshold: float = 0.05
    most: float = 0.05

    def invert(self, s: np.ndarray) -> np.ndarray:
        """Damped inverses of singular values."""
        d = self.most * (1.0 - np.minimum(s / self.threshold, 1.0) ** 2)
        bottom = s * s + d * d
        return np.divide(s, bottom, out=np.zeros_like(s), where=bottom > 0.0)


DAMPING = Damping()
UNDAMPED = Damping(threshold=1e-30, most=0.0)


def damped_inverse(J: np.ndarray, damping: Damping = DAMPING) -> np.ndarray:
    """Pseudo-inverse of J (m, n) that stays bounded near singularities, (n, m)."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    inverse = np.where(s > _cut(s, J.shape), damping.invert(s), 0.0)
    return (Vt.T * inverse) @ U.T


def null_projector(J: np.ndarray, tolerance: float = RANK) -> np.ndarray:
    """Projector on the motions that J (m, n) does not see, (n, n): symmetric, idempotent.

    Args:
        J: Jacobian.
        tolerance: singular values below this fraction of the largest count as zero.
    """
    Z = null_basis(J, tolerance)
    return Z @ Z.T


def null_basis(J: np.ndarray, tolerance: float = RANK) -> np.ndarray:
    """Orthonormal basis of the motions that J (m, n) does not see, (n, n - rank)."""
    _, s, Vt = np.linalg.svd(J, full_matrices=True)
    return Vt[np.sum(s > _cut(s, J.shape, tolerance)) :].T


def _cut(s: np.ndarray, shape: tuple[int, ...], tolerance: float = RANK) -> float:
    """Size below which a singular value is rounding error."""
    largest = float(s.max(initial=0.0))
    return max(tolerance * largest, max(shape) * np.finfo(float).eps * largest)
