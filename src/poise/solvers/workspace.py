"""Memory for a quadratic program that is solved again every tick.

A control loop solves nearly the same program a thousand times a second. `QPWorkspace` owns the
memory, its owner writes the numbers into it, and `solve` starts from the constraints that were
active a tick ago.

The program is whitened before the active-set method sees it: with P = L L' and x = L^-T y the cost
becomes 1/2 |y|^2 + (L^-1 r)'y, which LAPACK prepares faster than the method itself would. Every
answer is put back into the constraints before it is handed out, and "there is none" is believed
only with its certificate; whatever is doubtful is computed again from nothing. So a warm start can
cost time, never correctness.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm, dtrsv
from scipy.linalg.lapack import dpotrf

from poise.solvers.backend import Exit, whitened_model
from poise.solvers.careful import solve_carefully
from poise.solvers.feasibility import contradicts
from poise.solvers.whitening import (
    SINGULAR,
    imbalance,
    minimise_freely,
    violation,
    write_active_set,
)

FEASIBILITY = 1e-6  # largest violation accepted without a second look [unit of the row]
OPTIMALITY = 1e-8  # largest imbalance of pull and push, relative


class QPWorkspace:
    """Solves min 1/2 x'Px + r'x, lower <= A x <= upper, x_lower <= x <= x_upper, again and again.

    The owner fills `P` (n, n; the upper triangle counts), `r` (n,), `A` (m, n), `lower`, `upper`
    (m,), `x_lower`, `x_upper` (n,) in place. Rows with equal bounds are equalities, infinite
    bounds are absent ones. A new workspace has no cost and no bounds. Where the first `free`
    variables never have bounds, saying so spares the method as many rows; `x_lower`, `x_upper`
    and `multipliers` then begin with the first variable that may have some.

    Attributes:
        multipliers: (n - free + m,), of the variable bounds, then of the rows, after the last
            success; P x + r + [I; A]' multipliers = 0, positive where an upper bound pushes.
        iterations: pivots of the last solve.
        found: whether the last solve has an answer.
        infeasible: whether it is proven that there is none.
    """

    def __init__(self, n: int, m: int, free: int = 0) -> None:
        """Allocate for n variables, the first `free` of them without bounds, and m rows."""
        self.n, self.m, self.free = n, m, free
        bounded = n - free
        size = bounded + m
        self._below, self._above = np.full(size, -np.inf), np.full(size, np.inf)
        self.x_lower, self.lower = self._below[:bounded], self._below[bounded:]
        self.x_upper, self.upper = self._above[:bounded], self._above[bounded:]
        self.P, self.r, self.A = np.zeros((n, n)), np.zeros(n), np.zeros((m, n))
        self.multipliers = np.zeros(size)
        self.iterations, self.found, self.infeasible = 0, False, False

        self._L = np.zeros((n, n), order="F")
        self._factor = np.zeros((n, n))
        self._pivots = self._L.reshape(-1, order="F")[:: n + 1]  # views of the diagonals
        self._diagonal = self.P.reshape(-1)[:: n + 1]
        self._M = np.zeros((n, size), order="F")  # whitened rows, standing as columns
        self._M_bounds, self._M_rows = self._M[:, :bounded], self._M[:, bounded:]
        self._rows = self._M.T
        self._identity = np.eye(n)[:, free:]
        self._root, self._whitened = 1.0, False
        self._sense = np.zeros(size, dtype=np.intc)
        self._x = np.zeros(n)
        self._model = whitened_model(self._rows)

    def solve(self, same_matrices: bool = False) -> np.ndarray | None:
        """The minimiser x (n,), overwritten by the next call, or None where there is none.

        Args:
            same_matrices: P and A are those of the last solve; only r and bounds may differ.

        None with `infeasible` set means that no x satisfies every constraint; without it, that
        the iteration limit was reached. Not-a-number, or a cost without a minimum, raises BadInput.
        """
        ready = same_matrices and self._whitened
        self.found = self.infeasible = False
        if not (ready or self.m) and self._minimise_freely():
            return self._x
        self._whitened = ready or self._whiten()
        if self._whitened:
            if self._pivot(warm=True) or self._pivot(warm=False):
                return self._x
            if self.infeasible:
                return None
        return self._solve_carefully()

    def _minimise_freely(self) -> bool:
        """Where no bound is touched the minimum of the cost is the answer, and the work is less."""
        self._whitened = False
        within = self._below, self._above, self.multipliers
        self.found = minimise_freely(self.P, self.r, *within, self._factor, self._x)
        self.iterations = 0
        return self.found

    def restart(self) -> None:
        """Forget the last active set: the next solve starts from nothing."""
        self.multipliers.fill(0.0)

    def start_from(self, active: np.ndarray) -> None:
        """Start the next solve from a guess, like `multipliers`: 1 upper, -1 lower, 0 free."""
        self.multipliers[:] = active

    def _whiten(self) -> bool:
        """Factor P and write the rows in the variables y; False where P is singular or worse."""
        self._L[:] = self.P.T
        _, info = dpotrf(self._L, lower=1, clean=0, overwrite_a=1)
        mean = np.add.reduce(self._diagonal) / self.n
        if info != 0 or not np.minimum.reduce(self._pivots) ** 2 > SINGULAR * mean:
            return False
        # A cost in odd units is brought back to where the tolerances of the method make sense.
        self._root = 1.0 if 1e-4 < mean < 1e6 else mean**0.5
        self._M_bounds[:] = self._identity
        self._M_rows[:] = self.A.T
        dtrsm(self._root, self._L, self._M, lower=1, overwrite_b=1)
        return True

    def _pivot(self, warm: bool) -> bool:
        """Run the active-set method; True when an answer was found and holds."""
        if self.infeasible:
            return False
        if warm:
            write_active_set(self.multipliers, self._sense)
        else:
            self._sense[:] = 0
        v = self._whitened_cost()
        if self._model.update(None, v, self._rows, self._above, self._below, self._sense) < 0:
            return False
        y, _, exit_code, info = self._model.solve()
        self.iterations = info["iterations"]
        if exit_code == Exit.FOUND:
            self._colour(y)
            if self._holds() and self._balances(y, v, info["lam"]):
                self.multipliers = info["lam"]
                if self._root != 1.0:
                    self.multipliers *= self._root**2
                return True
        elif exit_code == Exit.INFEASIBLE:
            self.infeasible = contradicts(info["lam"], self._rows, self._below, self._above)
        return False

    def _whitened_cost(self) -> np.ndarray:
        """The linear cost in the variables y."""
        v = dtrsv(self._L, self.r, lower=1)
        if self._root != 1.0:
            v /= self._root
        return v

    def _colour(self, y: np.ndarray) -> None:
        """Bring an answer y back to x."""
        x = self._x
        x[:] = y
        dtrsv(self._L, x, lower=1, trans=1, overwrite_x=1)
        if self._root != 1.0:
            x *= self._root

    def _holds(self) -> bool:
        """Put x into the constraints; not-a-number compares as False and so does not hold."""
        off = violation(self.A, self._x, self.free, self._below, self._above)
        return off <= FEASIBILITY**2

    def _balances(self, y: np.ndarray, v: np.ndarray, multipliers: np.ndarray) -> bool:
        """Whether the pull of the cost, y + v, and the push of the constraints cancel."""
        off, scale = imbalance(self._rows, multipliers, y, v)
        self.found = off <= OPTIMALITY**2 * scale
        return self.found

    def _solve_carefully(self) -> np.ndarray | None:
        """The slow way, for singular costs and doubtful answers."""
        never = np.full(self.free, np.inf)
        below, above = np.r_[-never, self._below], np.r_[never, self._above]
        answer = solve_carefully(self.P, self.r, self.A, below, above)
        self.iterations, self.infeasible = answer.iterations, answer.infeasible
        self.found = answer.x is not None
        if answer.x is None or answer.multipliers is None:
            return None
        self._x[:] = answer.x
        self.multipliers[:] = answer.multipliers[self.free :]
        return self._x
