"""A workspace for costs that are dense in the first variables and diagonal in the rest.

Whole-body programs are like this: accelerations are tied together by the tasks, contact forces
cost a little each on their own. Whitening then needs a factor of the first block only.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm, dtrsv
from scipy.linalg.lapack import dpotrf

from poise.solvers.workspace import SINGULAR, QPWorkspace


class SplitWorkspace(QPWorkspace):
    """As QPWorkspace, for P with a dense block of `free` variables, which have no bounds.

    The rest of P is diagonal, the same at every solve, and given once; what the owner writes
    there is not looked at unless `dense` is set, when all of P counts again.
    """

    def __init__(self, n: int, m: int, free: int, tail: np.ndarray) -> None:
        """Allocate for n variables, the first `free` dense, and m rows.

        Args:
            n: number of variables.
            m: number of rows.
            free: how many come first, tied to each other and without bounds.
            tail: diagonal of P for the others (n - free,), positive.
        """
        super().__init__(n, m, free)
        self.dense = False
        d, bounded = free, n - free
        self._roots = np.sqrt(tail)
        self._per_root = 1.0 / self._roots
        self._per_root_column = self._per_root[:, None]
        self.P[range(d, n), range(d, n)] = tail
        self._block = self.P[:d, :d]
        self._block_L = np.zeros((d, d), order="F")
        self._block_pivots = self._block_L.reshape(-1, order="F")[:: d + 1]
        self._top = np.zeros((d, m), order="F")
        self._A_top, self._A_tail = self.A[:, :d].T, self.A[:, d:].T
        self._M_top, self._M_tail = self._M[:d, bounded:], self._M[d:, bounded:]
        self._v = np.zeros(n)
        self._bounds_written = False

    def _whiten(self) -> bool:
        if self.dense:
            self._bounds_written = False
            return super()._whiten()
        self._root = 1.0
        L = self._block_L
        L[:] = self._block.T
        _, info = dpotrf(L, lower=1, clean=0, overwrite_a=1)
        pivots = self._block_pivots
        if info != 0 or not np.minimum.reduce(pivots) ** 2 > SINGULAR * float(pivots @ pivots):
            return False
        if not self._bounds_written:
            self._M_bounds[:] = self._identity
            self._M_bounds[self.free :] *= self._per_root_column
            self._bounds_written = True
        self._top[:] = self._A_top
        dtrsm(1.0, L, self._top, lower=1, overwrite_b=1)
        self._M_top[:] = self._top
        np.multiply(self._A_tail, self._per_root_column, out=self._M_tail)
        return True

    def _whitened_cost(self) -> np.ndarray:
        if self.dense:
            return super()._whitened_cost()
        v, d = self._v, self.free
        v[:d] = dtrsv(self._block_L, self.r[:d], lower=1)
        np.multiply(self.r[d:], self._per_root, out=v[d:])
        return v

    def _colour(self, y: np.ndarray) -> None:
        if self.dense:
            super()._colour(y)
            return
        x, d = self._reach_x, self.free
        x[:d] = dtrsv(self._block_L, y[:d], lower=1, trans=1)
        np.multiply(y[d:], self._per_root, out=x[d:])
