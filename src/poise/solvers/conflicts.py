"""Which constraints contradict each other.

The sentence a person needs is not "infeasible" but a short list of constraints that cannot hold
together, from which nothing can be left out.
"""

from __future__ import annotations

import numpy as np

from poise.solvers.backend import solve_from_nothing
from poise.solvers.feasibility import contradicts, feasible
from poise.solvers.program import QuadraticProgram, Rows


def conflict(problem: QuadraticProgram, by_block: bool = False) -> tuple[str, ...]:
    """Names of constraints that cannot all hold, none of which could be left out of the list.

    Found by leaving out one constraint after the other for as long as the rest stays
    contradictory.

    Args:
        problem: the program.
        by_block: name whole blocks instead of single rows.

    Returns:
        Names such as "torque[left_knee]" or "bounds[3]"; empty when the program has a solution.
    """
    rows = problem.stacked
    places = np.arange(len(rows.A))
    if by_block:
        names = {name: places[problem.place(name)] for name in problem.block_names}
    else:
        names = {name: places[i : i + 1] for i, name in enumerate(rows.labels)}
    length = np.linalg.norm(rows.A, axis=1)  # one tolerance fits all rows of unit length
    length[length == 0.0] = 1.0
    rows = Rows("all", rows.A / length[:, None], rows.lower / length, rows.upper / length)

    suspects = _suspects(rows, names)
    for name in list(suspects):
        rest = {key: place for key, place in suspects.items() if key != name}
        if not _hold_together(rows, rest):
            suspects = rest
    return tuple(suspects)


def _suspects(rows: Rows, names: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Constraints that contain a contradiction, as few as the solver points at; none if none do."""
    if _hold_together(rows, names):
        return {}
    for name, place in names.items():
        if not _hold_together(rows, {name: place}):
            return {name: place}
    n = rows.A.shape[1]
    free = np.full(n, np.inf)
    lower, upper = np.r_[-free, rows.lower], np.r_[free, rows.upper]
    _, multipliers, _, _ = solve_from_nothing(np.eye(n), np.zeros(n), rows.A, lower, upper)
    if contradicts(multipliers[n:], rows.A, rows.lower, rows.upper):
        used = np.flatnonzero(multipliers[n:])
        few = {name: place for name, place in names.items() if np.isin(place, used).any()}
        if not _hold_together(rows, few):
            return few
    return names


def _hold_together(rows: Rows, names: dict[str, np.ndarray]) -> bool:
    places = np.concatenate([np.zeros(0, dtype=int), *names.values()])
    return feasible(rows.A[places], rows.lower[places], rows.upper[places])
