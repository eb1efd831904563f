"""The one address for quadratic programs: ask here, whatever solves them underneath.

`solve_qp` takes a question as a value and returns an answer that can prove itself; `QPWorkspace`
is the same for a loop that asks again every tick; `conflict` and `soften` are for questions that
have no answer.
"""

from __future__ import annotations

import numpy as np

from poise.errors import Infeasible
from poise.solvers.conflicts import conflict
from poise.solvers.program import BOUNDS, QuadraticProgram, Rows, Solution, workspace_for
from poise.solvers.softening import Softened, soften
from poise.solvers.workspace import QPWorkspace

__all__ = [
    "BOUNDS",
    "QPWorkspace",
    "QuadraticProgram",
    "Rows",
    "Softened",
    "Solution",
    "conflict",
    "soften",
    "solve_qp",
]


def solve_qp(problem: QuadraticProgram, start: Solution | None = None) -> Solution:
    """Solve one program.

    Args:
        problem: the question.
        start: the answer to a similar question of the same size, to begin from its active set.

    Raises:
        Infeasible: no x satisfies every constraint; names an irreducible set of them in conflict.
        BadInput: the cost has no minimum.
    """
    work = workspace_for(problem)
    if start is not None and len(start.multipliers) == len(work.multipliers):
        work.start_from(start.active)
    x = work.solve()
    if x is None and work.infeasible:
        raise Infeasible("The quadratic program", conflict(problem))
    answer = np.full(len(problem.r), np.nan) if x is None else x.copy()
    return Solution(problem, answer, work.multipliers.copy(), work.iterations, work.found)
