"""A workspace for costs that are dense in the first variables and diagonal in the rest.

Whole-body programs are like this: accelerations are tied together by the tasks, contact forces
cost a little each on their own. Whitening then needs a factor of the first block only, and loops
of our own do it: a library that spreads such small work over threads waits for them, on a busy
machine for milliseconds.
"""

from __future__ import annotations

import numpy as np

from poise.solvers.whitening import (
    colour,
    factor,
    whiten_cost,
    whiten_rows,
    whiten_units,
)
from poise.solvers.workspace import QPWorkspace


class SplitWorkspace(QPWorkspace):
    """As QPWorkspace, for P with a dense block of variables that come first.

    The rest of P is diagonal and given by `set_tail`; what the owner writes there is not looked
    at unless `dense` is set, when all of P counts again.
    """

    def __init__(
        self, n: int, m: int, block: int, tail: np.ndarray, free: int | None = None
    ) -> None:
        """Allocate for n variables, the first `block` dense, and m rows.

        Args:
            n: number of variables.
            m: number of rows.
            block: how many come first that are tied to each other.
            tail: diagonal of P for the others (n - block,), positive.
            free: how many come first that have no bounds, at most `block`; all of it if absent.
        """
        super().__init__(n, m, block if free is None else free)
        self.dense = False
        d, bounded = block, n - self.free
        self._block_L = np.zeros((d, d))
        self._per_root = np.zeros(n - d)
        self._tail = np.einsum("ii->i", self.P[d:, d:])
        self._unit_part = self._rows[: d - self.free]
        self._row_part = self._rows[bounded:]
        self._v = np.zeros(n)
        self.set_tail(tail)

    def set_tail(self, tail: np.ndarray) -> None:
        """Take on the diagonal of P for the variables that come last, positive."""
        self._tail[:] = tail
        np.divide(1.0, np.sqrt(tail), out=self._per_root)
        self._bounds_written = False

    def _whiten(self) -> bool:
        if self.dense:
            self._bounds_written = False
            return super()._whiten()
        self._root = 1.0
        if not factor(self.P, self._block_L):
            return False
        if not self._bounds_written:
            self._M_bounds[:] = self._identity
            self._M_bounds[len(self._block_L) :] *= self._per_root[:, None]
            self._bounds_written = True
        if len(self._unit_part):
            whiten_units(self._block_L, self.free, self._unit_part)
        whiten_rows(self._block_L, self._per_root, self.A, self._row_part)
        return True

    def _whitened_cost(self) -> np.ndarray:
        if self.dense:
            return super()._whitened_cost()
        whiten_cost(self._block_L, self._per_root, self.r, self._v)
        return self._v

    def _colour(self, y: np.ndarray) -> None:
        if self.dense:
            super()._colour(y)
        else:
            colour(self._block_L, self._per_root, y, self._x)
