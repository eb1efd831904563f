"""The jerk's part of the cost: constant on a span, so its square and Hessian are exact."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.layout import DEGREE
from poise.engines.multicontact.stretch import Ground, Stretch
from poise.trajectories.spline_maps import rate_matrix


class JerkCost:
    """Of one phase."""

    def __init__(self, ground: Ground, weight: float) -> None:
        self.ground, self.weight = ground, weight

    def _residual(self, at: Stretch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Matrix (spans, free points), residuals (spans, nv), slopes by durations (.., d)."""
        ground, T = self.ground, at.duration
        scale = np.sqrt(2.0 * self.weight * T / ground.spans) / T**3
        return _residual(_jerks(ground.spans), *at.mixing, at.places, scale, T, at.by_times)

    def add(self, at: Stretch, gradient: np.ndarray) -> float:
        """The cost; adds its gradient."""
        ground = self.ground
        A, residual, times = self._residual(at)
        flat = residual.ravel()
        gradient[ground.block] += (A.T @ residual).ravel()
        gradient[ground.times] += flat @ times.reshape(len(flat), -1)
        return 0.5 * float(flat @ flat)

    def places(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows and columns of the Hessian's nonzeros: coordinates do not mix."""
        ground = self.ground
        dofs = np.arange(ground.nv)[:, None]
        times = np.broadcast_to(ground.times, (ground.nv, len(ground.times)))
        columns = np.hstack([ground.points * ground.nv + dofs, times])
        i, j = np.triu_indices(columns.shape[1])
        a, b = columns[:, i], columns[:, j]
        return [(np.minimum(a, b).ravel(), np.maximum(a, b).ravel())]

    def hessian(self, at: Stretch) -> list[np.ndarray]:
        """Nonzeros of the Gauss-Newton Hessian."""
        A, _, times = self._residual(at)
        nv = self.ground.nv
        wide = np.empty((nv, len(A), A.shape[1] + times.shape[2]))
        wide[:, :, : A.shape[1]] = A
        wide[:, :, A.shape[1] :] = times.transpose(1, 0, 2)
        H = wide.transpose(0, 2, 1) @ wide
        i, j = np.triu_indices(H.shape[1])
        return [H[:, i, j].ravel()]


@compiled_alone
def _residual(D, M, dM, places, scale, T, by_times):
    A = scale * np.dot(D, M)
    residual, by_ratio = np.dot(A, places), np.dot(scale * np.dot(D, dM), places)
    times = np.empty((*residual.shape, len(by_times)))
    for i in range(times.shape[0]):
        for j in range(times.shape[1]):
            for d in range(len(by_times)):
                times[i, j, d] = by_ratio[i, j] * by_times[d]
            times[i, j, 0] -= 2.5 / T * residual[i, j]
    return A, residual, times


@lru_cache(maxsize=64)
def _jerks(spans: int) -> np.ndarray:
    return rate_matrix(spans, DEGREE, 3).toarray()
