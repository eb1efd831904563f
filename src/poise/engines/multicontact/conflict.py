"""Which constraints a motion cannot all keep, in words and units a person can act on."""

from __future__ import annotations

import numpy as np

from poise.engines.multicontact.problem import Problem
from poise.engines.multicontact.quantities import HEIGHT, HEIGHTS, TORQUE
from poise.engines.multicontact.rows_of_contacts import CONTACT
from poise.engines.multicontact.rows_of_contacts import LENGTH as CONTACT_LENGTH
from poise.engines.multicontact.rows_of_distances import CLEARANCE
from poise.engines.multicontact.rows_of_distances import LENGTH as CLEARANCE_LENGTH
from poise.engines.multicontact.rows_of_splines import POSITION, SPEED
from poise.engines.multicontact.rows_of_tasks import LENGTH as TASK_LENGTH
from poise.engines.multicontact.rows_of_tasks import REACHING

TOLD = 6  # constraints that are named
SHARE = 0.2  # of the worst: what is missed by less is not the problem
LENGTHS = {CONTACT: CONTACT_LENGTH, CLEARANCE: CLEARANCE_LENGTH, HEIGHTS: HEIGHT}  # [m]


def conflict(problem: Problem, x: np.ndarray) -> tuple[str, list[str]]:
    """The phase where a point of the program is furthest off, and what it misses, worst first.

    What belongs to another phase says so.
    """
    _, g = problem.values(x)
    over = np.maximum(problem.lower - g, g - problem.upper)
    worst = float(over.max(initial=0.0))
    rows: dict[tuple[str, str, int], int] = {}
    for row in np.argsort(-over):
        if over[row] < SHARE * worst or len(rows) == TOLD:
            break
        rows.setdefault(problem.names[row], int(row))
    phases = [problem.stage.phases[p].name for _, _, p in rows]
    told = []
    for (family, what, _), row, phase in zip(rows, rows.values(), phases, strict=True):
        elsewhere = "" if phase == phases[0] else f" in '{phase}'"
        told.append(f"{family} of {what}{elsewhere} ({missed(problem, row, float(over[row]))})")
    return (phases[0] if phases else ""), told


def missed(problem: Problem, row: int, over: float) -> str:
    """By how much a constraint is missed, in its own unit; `over` is as the program counts."""
    family, what, _ = problem.names[row]
    if family in (TORQUE, SPEED):
        return f"{100.0 * over:.0f} % over"
    if family == POSITION:
        return f"off by {np.rad2deg(over):.1f} deg"
    if family in LENGTHS:
        return f"off by {100.0 * LENGTHS[family] * over:.1f} cm"
    if family == REACHING:
        speeds = {
            task.name: task.speed for task in problem.stage.tasks if task.direction is not None
        }
        if problem.lower[row] == speeds.get(what) and np.isinf(problem.upper[row]):
            return f"too slow by {over:.1f} m/s"
        return f"off by {100.0 * TASK_LENGTH * over:.1f} cm"
    return f"off by {over * problem.stage.weight:.0f} N"
