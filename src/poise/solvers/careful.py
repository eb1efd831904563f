"""The slow and sure way through a quadratic program.

Taken when the quick one stumbles: costs without curvature in some direction, rows of very unequal
length, dependent equalities, contradictions. It looks at the numbers first, brings every row to
unit length, and says why there is no answer when there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from poise.errors import BadInput
from poise.solvers.backend import Exit, solve_from_nothing

FEASIBILITY = 1e-6  # violation of a row of unit length that still counts as kept, relative
CERTAINTY = 1e-7  # how small the left side of "0 <= negative" must be to prove a contradiction
PROXIMAL = (0.0, 1e-4, 1e-2)  # curvature added to each step, in mean curvatures of the cost
DEPENDENT = 1e-9  # rows closer than this to the span of others count as dependent


@dataclass(frozen=True)
class Answer:
    """What the careful way found."""

    x: np.ndarray | None
    multipliers: np.ndarray | None
    iterations: int
    infeasible: bool


def solve_carefully(
    P: np.ndarray, r: np.ndarray, A: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> Answer:
    """Solve one program from nothing.

    Args:
        P: cost matrix (n, n), positive semidefinite; the upper triangle counts.
        r: cost vector (n,).
        A: rows (m, n).
        lower: (n + m,), of the variables, then of the rows.
        upper: (n + m,).

    Raises:
        BadInput: for not-a-number, or a cost that has no minimum.
    """
    refuse_bad_numbers(P, r, A, lower, upper)
    n = len(r)
    P = np.triu(P) + np.triu(P, 1).T
    lengths = np.linalg.norm(A, axis=1)
    scale = np.where(lengths > 0.0, lengths, 1.0)
    unit = A / scale[:, None]
    factor = np.r_[np.ones(n), scale]
    lower, upper = lower / factor, upper / factor
    if np.any(lower > upper + FEASIBILITY):
        return Answer(None, None, 0, infeasible=True)
    empty = np.r_[np.zeros(n, dtype=bool), lengths == 0.0]  # reads lower <= 0 <= upper
    if np.any(empty & ((lower > FEASIBILITY) | (upper < -FEASIBILITY))):
        return Answer(None, None, 0, infeasible=True)

    kept = independent(unit, lower[n:], upper[n:])
    chosen = np.r_[np.arange(n), n + kept]
    iterations = 0
    for proximal in PROXIMAL:  # more and more prudent steps
        x, multipliers, code, pivots = solve_from_nothing(
            P, r, unit[kept], lower[chosen], upper[chosen], proximal * np.trace(P) / n
        )
        iterations += pivots
        if code == Exit.FOUND and _keeps(np.r_[x, unit @ x], lower, upper):
            spread = np.zeros(len(lower))
            spread[chosen] = multipliers
            return Answer(x, spread / factor, iterations, infeasible=False)
    if not feasible(np.vstack([np.eye(n), unit]), lower, upper):
        return Answer(None, None, iterations, infeasible=True)
    _refuse_bottomless(P, x)
    return Answer(None, None, iterations, infeasible=False)


def feasible(A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Whether some x satisfies lower <= A x <= upper.

    Args:
        A: rows of unit length, or zero (m, n).
        lower: (m,).
        upper: (m,).
    """
    empty = ~A.any(axis=1)
    if np.any(lower > upper + FEASIBILITY):
        return False
    if np.any(empty & ((lower > FEASIBILITY) | (upper < -FEASIBILITY))):
        return False
    kept = independent(A, lower, upper)
    n = A.shape[1]
    free = np.full(n, np.inf)
    x, multipliers, code, _ = solve_from_nothing(
        np.eye(n), np.zeros(n), A[kept], np.r_[-free, lower[kept]], np.r_[free, upper[kept]]
    )
    if code == Exit.FOUND:  # an equality left out as dependent may still contradict the others
        return _keeps(A @ x, lower, upper)
    if contradicts(multipliers[n:], A[kept], lower[kept], upper[kept]):
        return False
    return _feasible_by_linear_program(A, lower, upper)


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


def contradicts(
    multipliers: np.ndarray, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> bool:
    """Whether a combination of constraints reads 0 <= negative, and so proves that none holds."""
    used = np.flatnonzero(multipliers)
    if len(used) == 0 or not np.all(np.isfinite(multipliers)):
        return False
    weight, row = multipliers[used], rows[used]
    bound = np.where(weight > 0.0, upper[used], lower[used])
    size = np.abs(weight) * np.linalg.norm(row, axis=1)
    left = np.linalg.norm(weight @ row) / size.max()
    right = weight @ bound
    return bool(left < CERTAINTY and right < -CERTAINTY * size.max())


def independent(A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Indices of the rows to keep: all inequalities, and equalities that say something new."""
    equal = np.flatnonzero(lower == upper)
    others = np.flatnonzero(lower != upper)
    if len(equal) < 2:
        return np.arange(len(A))
    R, order = qr(A[equal].T, mode="r", pivoting=True)
    size = np.abs(np.diag(R))
    return np.sort(np.r_[others, equal[order[: np.sum(size > DEPENDENT * max(1.0, size[0]))]]])


def refuse_bad_numbers(
    P: np.ndarray, r: np.ndarray, A: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> None:
    """Raise BadInput where a number cannot be used, with the name of the array and the place."""
    for name, array in (("P", P), ("r", r), ("A", A)):
        place = np.argwhere(~np.isfinite(array))
        if len(place):
            at = tuple(int(i) for i in place[0])
            _refuse(f"{name}{list(at)}", array[at], "a finite number")
    n = len(r)
    for name, bound, never in (("lower", lower, np.inf), ("upper", upper, -np.inf)):
        bad = np.flatnonzero(np.isnan(bound) | (bound == never))
        if len(bad):
            i = int(bad[0])
            field = f"x_{name}[{i}]" if i < n else f"{name}[{i - n}]"
            _refuse(field, bound[i], f"a number or {-never}")


def _refuse(field: str, value: float, accepted: str) -> None:
    raise BadInput("quadratic program", field, str(value), accepted)


def _refuse_bottomless(P: np.ndarray, x: np.ndarray) -> None:
    """Raise BadInput where the cost, not the search, is the reason for having no answer."""
    curvature = np.linalg.eigvalsh(P)
    if curvature[0] < -1e-9 * max(1.0, abs(curvature[-1])):
        _refuse("P", curvature[0], "positive semidefinite, this is its smallest curvature")
    if np.abs(x).max() > 1e7:
        _refuse("the minimum", float("-inf"), "a cost with curvature or bounds in every direction")


def _keeps(reach: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    slack = FEASIBILITY * (1.0 + np.abs(reach))
    return bool(np.all(reach <= upper + slack) and np.all(reach >= lower - slack))
