"""The slow and sure way through a quadratic program.

Taken when the quick one stumbles: costs without curvature in some direction, rows of very unequal
length, dependent equalities, contradictions. It looks at the numbers first, brings every row to
unit length, and says why there is no answer when there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadInput
from poise.solvers.backend import Exit, solve_from_nothing
from poise.solvers.feasibility import DEPENDENT, crossed, feasible, keeps

PROXIMAL = (0.0, 1e-4, 1e-2)  # curvature added to each step, in mean curvatures of the cost
FALL = 1e-9  # a cost that falls by more along a flat way of unit length has no minimum, relative


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
    rows = np.vstack([np.eye(n), A])
    length = np.linalg.norm(rows, axis=1)
    length[length == 0.0] = 1.0
    rows, lower, upper = rows / length[:, None], lower / length, upper / length
    if crossed(rows, lower, upper):
        return Answer(None, None, 0, infeasible=True)

    equal = lower == upper
    start, Z = _solutions(rows[equal], lower[equal])
    iterations = 0
    for proximal in PROXIMAL:  # more and more prudent steps
        x, force, pivots = _minimise(P, r, rows, lower, upper, start, Z, proximal)
        iterations += pivots
        if keeps(rows @ x, lower, upper) and np.all(np.isfinite(force)):
            return Answer(x, force / length, iterations, infeasible=False)
    if not feasible(rows, lower, upper):
        return Answer(None, None, iterations, infeasible=True)
    _refuse_bottomless(P, r, rows, lower, upper)
    return Answer(None, None, iterations, infeasible=False)


def _solutions(E: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All x with E x = b, as a point (n,) and an orthonormal basis (n, k); dependent rows agree."""
    U, s, Vt = np.linalg.svd(E)
    rank = int(np.sum(s > DEPENDENT))
    return (U[:, :rank].T @ b / s[:rank]) @ Vt[:rank], Vt[rank:].T


def _minimise(
    P: np.ndarray,
    r: np.ndarray,
    rows: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    start: np.ndarray,
    Z: np.ndarray,
    proximal: float,
) -> tuple[np.ndarray, np.ndarray, int]:
    """The minimum over x = start + Z z, the forces of all rows, and the number of pivots.

    The forces are infinite where the method gave up.
    """
    equal, k = lower == upper, Z.shape[1]
    force = np.zeros(len(rows))
    x, pivots = start, 0
    if k > 0:
        reach, here = rows @ Z, rows @ start
        size = np.linalg.norm(reach, axis=1)
        said = np.flatnonzero(~equal & (size > DEPENDENT))  # the others follow from equalities
        reach, here, size = reach[said], here[said], size[said]
        free = np.full(k, np.inf)
        z, push, code, pivots = solve_from_nothing(
            Z.T @ P @ Z,
            Z.T @ (P @ start + r),
            reach / size[:, None],
            np.r_[-free, (lower[said] - here) / size],
            np.r_[free, (upper[said] - here) / size],
            proximal * np.trace(P) / len(P),
        )
        if code != Exit.FOUND:
            return start, np.full(len(rows), np.inf), pivots
        x = start + Z @ z
        force[said] = push[k:] / size
    pull = P @ x + r + force @ rows
    force[equal] = np.linalg.lstsq(rows[equal].T, -pull, rcond=DEPENDENT)[0]
    return x, force, pivots


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


def _refuse_bottomless(
    P: np.ndarray, r: np.ndarray, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> None:
    """Raise BadInput where the cost, not the search, is the reason for having no answer."""
    from scipy.optimize import linprog  # a fifth of a second to import

    curvature, ways = np.linalg.eigh(P)
    largest = max(float(np.abs(curvature).max()), 1e-300)
    if curvature[0] < -1e-9 * largest:
        _refuse("P", curvature[0], "positive semidefinite, this is its smallest curvature")
    flat = ways[:, curvature < 1e-12 * largest]
    if flat.shape[1] == 0:
        return
    reach = rows @ flat  # along a flat way that no bound ends, the cost may not fall
    falling = linprog(
        r @ flat,
        A_ub=np.vstack([reach[np.isfinite(upper)], -reach[np.isfinite(lower)]]),
        b_ub=np.zeros(int(np.isfinite(upper).sum() + np.isfinite(lower).sum())),
        bounds=(-1.0, 1.0),
        method="highs",
    )
    if falling.status == 0 and falling.fun < -FALL * (1.0 + np.abs(r).max()):
        _refuse("the minimum", float("-inf"), "a cost with curvature or bounds in every direction")


def _refuse(field: str, value: float, accepted: str) -> None:
    raise BadInput("quadratic program", field, str(value), accepted)
