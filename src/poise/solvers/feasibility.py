"""Can constraints hold together? Answers that come with a proof, or from two methods."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from poise.solvers.backend import Exit, solve_from_nothing

FEASIBILITY = 1e-6  # violation of a row of unit length that still counts as kept, relative
CERTAINTY = 1e-7  # how small the left side of "0 <= negative" must be to prove a contradiction
DEPENDENT = 1e-9  # rows closer than this to the span of others count as dependent


def feasible(A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Whether some x satisfies lower <= A x <= upper.

    Args:
        A: rows of unit length, or zero (m, n).
        lower: (m,).
        upper: (m,).
    """
    if crossed(A, lower, upper):
        return False
    kept = np.setdiff1d(np.arange(len(A)), repeated(A, lower, upper))
    n = A.shape[1]
    free = np.full(n, np.inf)
    x, multipliers, code, _ = solve_from_nothing(
        np.eye(n), np.zeros(n), A[kept], np.r_[-free, lower[kept]], np.r_[free, upper[kept]]
    )
    if code == Exit.FOUND:  # an equality left out as dependent may still contradict the others
        return keeps(A @ x, lower, upper)
    if contradicts(multipliers[n:], A[kept], lower[kept], upper[kept]):
        return False
    return _feasible_by_linear_program(A, lower, upper)


def keeps(reach: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Whether values A x of rows of unit length lie in their ranges."""
    slack = FEASIBILITY * (1.0 + np.abs(reach))
    return bool(np.all(reach <= upper + slack) and np.all(reach >= lower - slack))


def crossed(A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Whether a single row (of unit length, or zero) contradicts itself."""
    empty = ~A.any(axis=1)  # reads lower <= 0 <= upper
    away = (lower > FEASIBILITY) | (upper < -FEASIBILITY)
    return bool(np.any(lower > upper + FEASIBILITY) or np.any(empty & away))


def contradicts(
    multipliers: np.ndarray, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> bool:
    """Whether a combination of constraints reads 0 <= negative, and so proves that none holds.

    The multipliers are those with which the library stops: of the rows brought to unit length.
    """
    used = np.flatnonzero(multipliers)
    if len(used) == 0 or not np.all(np.isfinite(multipliers)):
        return False
    weight = multipliers[used] / np.abs(multipliers).max()
    length = np.linalg.norm(rows[used], axis=1)
    if not length.min() > 0.0:
        return False
    bound = np.where(weight > 0.0, upper[used], lower[used]) / length
    left = np.linalg.norm((weight / length) @ rows[used])
    return bool(left < CERTAINTY and weight @ bound < -CERTAINTY)


def repeated(A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Numbers of the equalities that follow from others, rows being of unit length."""
    equal = np.flatnonzero(lower == upper)
    if len(equal) < 2:
        return equal[:0]
    R, order = qr(A[equal].T, mode="r", pivoting=True)
    size = np.abs(np.diag(R))
    rank = int(np.sum(size > DEPENDENT * max(1.0, size[0])))
    return np.sort(equal[order[rank:]])


def _feasible_by_linear_program(A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """The same question to another method, slower and hardly ever asked."""
    from scipy.optimize import linprog  # a fifth of a second to import

    finite_upper, finite_lower = np.isfinite(upper), np.isfinite(lower)
    answer = linprog(
        np.zeros(A.shape[1]),
        A_ub=np.vstack([A[finite_upper], -A[finite_lower]]),
        b_ub=np.r_[upper[finite_upper], -lower[finite_lower]],
        bounds=(None, None),
        method="highs",
    )
    return bool(answer.status != 2)  # 2: proven infeasible
