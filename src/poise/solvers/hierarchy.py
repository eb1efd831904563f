"""Wishes in strict order of priority: a lower one may use only what the higher ones leave free.

Each level is a least-squares wish J x = e. The first is served as well as possible, the second as
well as the first allows, and so on (Siciliano and Slotine 1991). The free motions are kept as an
orthonormal basis Z of the common null space, so that whatever a lower level does in it is invisible
to every higher level to rounding error, near singularities too: there only the step is damped, the
basis is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dtrmv
from scipy.linalg.lapack import dgeqrf, dormqr, dtrtri

from poise.compiled import compiled
from poise.errors import BadInput
from poise.solvers.damped import DAMPING, RANK, Damping
from poise.solvers.in_order import DOUBTFUL, REGULAR, serve_in_order, write_free


class Level(NamedTuple):
    """One wish of the hierarchy: J x = e.

    J is (m, n), e is (m,), desired minus actual, so that x follows +e.
    """

    J: np.ndarray
    e: np.ndarray


@dataclass(frozen=True)
class Ranked:
    """Answer of a hierarchy.

    Args:
        x: (n,).
        free: orthonormal basis of the motions no level sees, (n, k).
        damped: for each level, whether it met a singularity (its own, or with a higher level).
    """

    x: np.ndarray
    free: np.ndarray
    damped: tuple[bool, ...]

    @property
    def projector(self) -> np.ndarray:
        """Projector on the motions no level sees, (n, n)."""
        return self.free @ self.free.T

    def towards(self, wish: np.ndarray) -> np.ndarray:
        """The answer nearest to a wished x (n,) among those that serve all levels alike."""
        return self.x + self.free @ (self.free.T @ (wish - self.x))


def solve_hierarchy(levels: Sequence[Level], damping: Damping = DAMPING) -> Ranked:
    """Serve least-squares wishes in strict order of priority.

    Args:
        levels: the most important first; at least one.
        damping: how steps are bounded near singularities.

    Returns:
        The step x, with what freedom it leaves.
    """
    n = _width(levels)
    J, e = np.concatenate([level.J for level in levels]), np.concatenate([w.e for w in levels])
    in_order = InOrder(np.cumsum([len(level.e) for level in levels]), n)
    x = in_order.solve(J, e, damping)
    if x is None:
        return solve_carefully(levels, damping)
    return Ranked(x, in_order.free, tuple(in_order.damped.tolist()))


class InOrder:
    """Serves levels of the same sizes again and again, in one compiled call and memory made once.

    Attributes:
        damped: for each level, whether it met a singularity in the last solve.
    """

    def __init__(self, ends: Sequence[int] | np.ndarray, n: int) -> None:
        """Allocate.

        Args:
            ends: for each level, the row after its last one.
            n: number of variables.
        """
        self._ends, self._nothing = np.array(ends, dtype=np.intp), np.zeros(n)
        self._axes, self._rank = np.empty((n + 1, n)), 0
        self.damped = np.zeros(len(ends), dtype=bool)

    def solve(
        self, J: np.ndarray, e: np.ndarray, damping: Damping, wish: np.ndarray | None = None
    ) -> np.ndarray | None:
        """The x (n,) of `solve_hierarchy`, nearest to a wish (n,) in what is left free.

        None where a rank is not clear or a number not finite: `solve_carefully` tells more.

        Args:
            J: rows of all levels, (m, n).
            e: (m,).
            damping: how steps are bounded near singularities.
            wish: (n,), zero when absent.
        """
        x = np.empty(J.shape[1])
        self._rank = serve_in_order(
            J, e, self._ends, self._nothing if wish is None else wish,
            damping.threshold, damping.most, x, self._axes, self.damped,
        )  # fmt: skip
        return x if self._rank != DOUBTFUL else None

    @property
    def free(self) -> np.ndarray:
        """Orthonormal basis of the motions that no level of the last solve sees, (n, k)."""
        n = len(self._nothing)
        rows = np.empty((n - self._rank, n))
        write_free(self._axes, self._rank, rows)
        return rows.T


def solve_carefully(levels: Sequence[Level], damping: Damping = DAMPING) -> Ranked:
    """The same, level after level, with a look at all singular values where one is small."""
    n = _width(levels)
    x, Z = np.zeros(n), _identity(n)
    damped = []
    try:
        for J, e in levels:
            served = serve(Z, J, e - J @ x, damping)
            x += served.step
            Z = served.free
            damped.append(served.damped)
    except np.linalg.LinAlgError:
        _refuse_bad_numbers(levels)
        raise
    if not np.isfinite(x.dot(x)):
        _refuse_bad_numbers(levels)
    return Ranked(x, Z, tuple(damped))


def solve_regular(
    J: np.ndarray, e: np.ndarray, wish: np.ndarray, damping: Damping = DAMPING
) -> np.ndarray | None:
    """The answer nearest to a wish where all levels can be served at once; None where they cannot.

    Far from singularities no level has to give way, and the recursion of levels is the shortest
    step that serves all rows together: one factorisation J' = Q R instead of one a level. It is
    `solve_hierarchy(levels).towards(wish)`.

    Args:
        J: rows of all levels, (m, n).
        e: (m,).
        wish: (n,).
        damping: below its threshold a level may have to give way.
    """
    x = np.empty(J.shape[1])
    smallest = max(damping.threshold, REGULAR)
    return x if answer_at_once(J, e, wish, smallest, x) else None


@compiled
def answer_at_once(
    J: np.ndarray, e: np.ndarray, wish: np.ndarray, smallest: float, x: np.ndarray
) -> bool:
    """Write the x nearest to a wish among those with J x = e; says whether it can be done.

    Args:
        J: (m, n).
        e: (m,).
        wish: (n,).
        smallest: below this singular value nothing is written.
        x: (n,), written.
    """
    m, n = J.shape
    if m > n:
        return False
    # J' = Q R by reflections; row k of A holds column k: R above its diagonal, then the reflector
    A, scale, z = J.copy(), np.empty(m), np.empty(m)
    for k in range(m):
        square = 0.0
        for i in range(k, n):
            square += A[k, i] * A[k, i]
        size = square**0.5
        if not size > 0.0:
            return False
        first = A[k, k]
        top = -size if first > 0.0 else size
        A[k, k] = first - top
        scale[k] = 1.0 / (square - top * first)  # 2 / |reflector|²
        for j in range(k + 1, m):
            along = 0.0
            for i in range(k, n):
                along += A[k, i] * A[j, i]
            along *= scale[k]
            for i in range(k, n):
                A[j, i] -= along * A[k, i]
        z[k] = top  # the diagonal of R
    # 1 / |R^-1| is below the smallest singular value: where it is large no level gives way
    inverse, square = np.zeros((m, m)), 0.0
    for j in range(m):
        inverse[j, j] = 1.0 / z[j]
        for i in range(j + 1, m):  # of R': forwards
            total = 0.0
            for k in range(j, i):
                total += A[i, k] * inverse[k, j]
            inverse[i, j] = -total / z[i]
        for i in range(j, m):
            square += inverse[i, j] * inverse[i, j]
    if not square * smallest * smallest < 1.0:
        return False
    # in the axes Q the levels decide the first m coordinates, the wish the others
    x[:] = wish
    for k in range(m):
        along = 0.0
        for i in range(k, n):
            along += A[k, i] * x[i]
        along *= scale[k]
        for i in range(k, n):
            x[i] -= along * A[k, i]
    for i in range(m):
        total = 0.0
        for j in range(i + 1):
            total += inverse[i, j] * e[j]
        x[i] = total
    for k in range(m - 1, -1, -1):
        along = 0.0
        for i in range(k, n):
            along += A[k, i] * x[i]
        along *= scale[k]
        for i in range(k, n):
            x[i] -= along * A[k, i]
    return True


class Served(NamedTuple):
    """One level within the motions left to it.

    The step (n,) is the damped least-squares one. `seen` (n, k) and `free` (n, r - k) are
    orthonormal and split the motions: with x = seen y + free z the cost of the level, damping
    included, is 1/2 |root y - target|^2, and z is left to lower levels.
    """

    step: np.ndarray
    seen: np.ndarray
    free: np.ndarray
    root: np.ndarray
    target: np.ndarray
    damped: bool


def serve(Z: np.ndarray, J: np.ndarray, e: np.ndarray, damping: Damping) -> Served:
    """Serve one wish J x = e (m, n) within the motions Z (n, r), orthonormal."""
    m, r = len(e), Z.shape[1]
    if m == 0 or r == 0:
        nothing = Z[:, :0]
        return Served(np.zeros(len(Z)), nothing, Z, nothing[:0], nothing[0], False)
    if m <= r:  # (J Z)' = Q R
        reflectors, tau, _, _ = dgeqrf((J @ Z).T, overwrite_a=1)
        turned, _, _ = dormqr("R", "N", reflectors, tau, Z, lwork=64 * len(Z))
        seen, free, R = turned[:, :m], turned[:, m:], reflectors[:m] * _upper(m)
        root, target = R.T, e
    else:  # J Z = Q R: mostly nothing is left free
        reflectors, tau, _, _ = dgeqrf(J @ Z)
        wish, _, _ = dormqr("L", "T", reflectors, tau, e[:, None], lwork=64)
        seen, free, R = Z, Z[:, :0], reflectors[:r] * _upper(r)
        root, target = R, wish[:r, 0]
    inverse, info = dtrtri(R)
    # 1 / |R^-1| is below the smallest singular value: when it is large nothing is damped.
    smallest = max(damping.threshold, REGULAR)
    if info == 0 and np.vdot(inverse, inverse) * smallest**2 < 1.0:
        y = dtrmv(inverse, target, trans=1 if m <= r else 0)
        return Served(seen @ y, seen, free, root, target, False)
    U, s, Vt = np.linalg.svd(root)
    gain = damping.invert(s)
    k = int(np.sum(s > RANK * np.linalg.norm(J)))  # what is below is rounding error
    seen, free = seen @ Vt[:k].T, np.hstack([free, seen @ Vt[k:].T])
    s, gain, wish = s[:k], gain[:k], target @ U[:, :k]
    stiffness = np.sqrt(s / gain)  # of the damped least-squares problem: s^2 + d^2 squared
    y = gain * wish
    singular = bool(k < len(root) or s[-1] < damping.threshold)
    return Served(seen @ y, seen, free, np.diag(stiffness), stiffness * y, singular)


@cache
def _identity(n: int) -> np.ndarray:
    eye = np.asfortranarray(np.eye(n))
    eye.setflags(write=False)
    return eye


@cache
def _upper(m: int) -> np.ndarray:
    return np.asfortranarray(np.triu(np.ones((m, m))))


def _width(levels: Sequence[Level]) -> int:
    """Number of variables, the same in all levels."""
    if not levels:
        raise BadInput("hierarchy", "levels", "empty", "at least one level (J, e)")
    n = levels[0].J.shape[-1]
    for i, (J, e) in enumerate(levels):
        if J.ndim != 2 or J.shape != (len(e), n):
            found = f"of shapes {J.shape} and {e.shape}"
            raise BadInput("hierarchy", f"level {i}", found, f"J (m, {n}) and e (m,)")
    return n


def _refuse_bad_numbers(levels: Sequence[Level]) -> None:
    for i, (J, e) in enumerate(levels):
        if not (np.isfinite(J).all() and np.isfinite(e).all()):
            raise BadInput("hierarchy", f"level {i}", "not finite", "finite numbers")
