"""Wishes in strict order of priority, within limits that none of them may break.

Like `hierarchy`, but a level may also ask for ranges (lower <= A x <= upper), and hard limits hold
at every level. The levels are solved in turn; what a level has reached, good or bad, becomes a
constraint of all lower ones (Kanoun, Lamiraux and Wieber 2011; Escande, Mansard and Wieber 2014).
Where no limit is touched the answer is that of `solve_hierarchy`, damping included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.errors import Infeasible
from poise.solvers.conflicts import conflict
from poise.solvers.damped import DAMPING, Damping
from poise.solvers.hierarchy import Served, serve
from poise.solvers.program import QuadraticProgram, Rows
from poise.solvers.workspace import QPWorkspace

TOUCH = 1e-9  # a limit exceeded by less is not touched [unit of the row]
FREE = 1e-6  # curvature of the directions a level does not see, to make its answer unique
REFINEMENTS = 3  # repetitions by which that curvature is taken out of the answer again


class Goal(NamedTuple):
    """Rows that should reach a range, lower <= A x <= upper; a point where the two are equal."""

    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    name: str = "goal"


@dataclass(frozen=True)
class RankedWithin:
    """Answer of a hierarchy with limits.

    Args:
        x: (n,).
        missed: for each level, how far its rows are from their ranges (m,), zero where reached.
        constrained: for each level, whether a limit or the range of a higher level stood in the
            way.
    """

    x: np.ndarray
    missed: tuple[np.ndarray, ...]
    constrained: tuple[bool, ...]


def solve_hierarchy_qp(
    levels: Sequence[Goal],
    limits: Sequence[Goal] = (),
    x_lower: np.ndarray | None = None,
    x_upper: np.ndarray | None = None,
    damping: Damping = DAMPING,
) -> RankedWithin:
    """Serve goals in strict order of priority within limits.

    Args:
        levels: the most important first.
        limits: rows that hold at every level.
        x_lower: (n,) limits of the variables, or None.
        x_upper: (n,), or None.
        damping: how steps are bounded near singularities.

    Raises:
        Infeasible: the limits contradict each other.
    """
    return HierarchyQP(damping).solve(levels, limits, x_lower, x_upper)


class HierarchyQP:
    """Solves hierarchies of the same shape again and again, starting from the last active sets."""

    def __init__(self, damping: Damping = DAMPING) -> None:
        """Nothing is remembered yet."""
        self.damping = damping
        self._memory: dict[tuple[int, int, int], QPWorkspace] = {}

    def solve(
        self,
        levels: Sequence[Goal],
        limits: Sequence[Goal] = (),
        x_lower: np.ndarray | None = None,
        x_upper: np.ndarray | None = None,
    ) -> RankedWithin:
        """As `solve_hierarchy_qp`."""
        n = levels[0].A.shape[1]
        within = [_bounds(n, x_lower, x_upper), *limits]
        x, Z = np.zeros(n), np.eye(n)
        constrained: list[bool] = []
        for goal in levels:
            exact = goal.lower == goal.upper
            J, wish = goal.A[exact], goal.upper[exact]
            range_ = Goal(goal.A[~exact], goal.lower[~exact], goal.upper[~exact])
            served = serve(Z, J, wish - J @ x, self.damping)
            step = x + served.step
            touched = not (_inside(step, within) and _inside(step, [range_]))
            if touched:
                found = self._step_within(len(constrained), x, served, within, range_)
                if found is None and not constrained:
                    raise Infeasible("The hierarchy", conflict(_program(n, within)))
                step = x if found is None else found
            x, Z = step, served.free
            constrained.append(touched)
            if len(range_.A):
                within.append(_widened(range_, x))
        return RankedWithin(x, tuple(_missed(goal, x) for goal in levels), tuple(constrained))

    def _step_within(
        self, number: int, x: np.ndarray, served: Served, within: Sequence[Goal], range_: Goal
    ) -> np.ndarray | None:
        """The best x of one level inside the limits and the ranges of higher levels.

        The unknowns are the steps along `seen` and `free` and the slack of the level's own range.
        """
        basis = np.hstack([served.seen, served.free])
        k, r, slack = served.seen.shape[1], basis.shape[1], len(range_.A)
        rows = sum(len(goal.A) for goal in within)
        key = (number, r + slack, rows + slack)
        if key not in self._memory:
            self._memory[key] = QPWorkspace(r + slack, rows + slack)
        work = self._memory[key]

        A = np.vstack([goal.A for goal in (*within, range_)])
        reach = A @ x
        work.A[:, :r] = A @ basis
        work.A[rows:, r:] = np.eye(slack)
        work.lower[:] = np.concatenate([goal.lower for goal in (*within, range_)]) - reach
        work.upper[:] = np.concatenate([goal.upper for goal in (*within, range_)]) - reach
        if number > 0:  # where we are is allowed, whatever the rounding
            np.minimum(work.lower[:rows], 0.0, out=work.lower[:rows])
            np.maximum(work.upper[:rows], 0.0, out=work.upper[:rows])
        work.P[:] = np.eye(r + slack)
        work.P[:k, :k] = served.root.T @ served.root
        work.P[k:r, k:r] *= FREE
        work.r[:] = 0.0
        work.r[:k] = -served.target @ served.root
        y = np.zeros(r + slack)
        for again in range(REFINEMENTS):
            work.r[k:r] = -FREE * y[k:r]
            found = work.solve(same_matrices=again > 0)
            if found is None:
                return None
            change, y = np.abs(found - y).max(), found.copy()
            if change < TOUCH or k == r:
                break
        return x + basis @ y[:r]


def _bounds(n: int, x_lower: np.ndarray | None, x_upper: np.ndarray | None) -> Goal:
    """Limits of the variables, as rows; unlimited variables take part in none."""
    lower = np.full(n, -np.inf) if x_lower is None else x_lower
    upper = np.full(n, np.inf) if x_upper is None else x_upper
    limited = np.isfinite(lower) | np.isfinite(upper)
    return Goal(np.eye(n)[limited], lower[limited], upper[limited], "bounds of x")


def _inside(x: np.ndarray, goals: Sequence[Goal]) -> bool:
    return all(np.abs(_missed(goal, x)).max(initial=0.0) <= TOUCH for goal in goals)


def _missed(goal: Goal, x: np.ndarray) -> np.ndarray:
    """How far above (+) or below (-) its range every row of a goal is."""
    reach = goal.A @ x
    return reach - np.clip(reach, goal.lower, goal.upper)


def _widened(goal: Goal, x: np.ndarray) -> Goal:
    """The range, opened to where the goal is now: lower levels may not make it worse."""
    reach = goal.A @ x
    return Goal(goal.A, np.minimum(goal.lower, reach), np.maximum(goal.upper, reach), goal.name)


def _program(n: int, within: Sequence[Goal]) -> QuadraticProgram:
    blocks = tuple(
        Rows(goal.name if i == 0 else f"{goal.name} {i}", goal.A, goal.lower, goal.upper)
        for i, goal in enumerate(within)
    )
    return QuadraticProgram(np.eye(n), np.zeros(n), blocks)
