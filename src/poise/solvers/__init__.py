"""Mathematics only: quadratic programs, strict hierarchies, damped inverses, plane geometry."""

from poise.solvers.damped import DAMPING, UNDAMPED, Damping, damped_inverse, null_projector
from poise.solvers.hierarchy import Level, Ranked, solve_hierarchy
from poise.solvers.hierarchy_qp import Goal, HierarchyQP, RankedWithin, solve_hierarchy_qp
from poise.solvers.qp import (
    QPWorkspace,
    QuadraticProgram,
    Rows,
    Softened,
    Solution,
    conflict,
    soften,
    solve_qp,
)

__all__ = [
    "DAMPING",
    "UNDAMPED",
    "Damping",
    "Goal",
    "HierarchyQP",
    "Level",
    "QPWorkspace",
    "QuadraticProgram",
    "Ranked",
    "RankedWithin",
    "Rows",
    "Softened",
    "Solution",
    "conflict",
    "damped_inverse",
    "null_projector",
    "soften",
    "solve_hierarchy",
    "solve_hierarchy_qp",
    "solve_qp",
]
