"""A stack of tasks as wishes J v = e, level below level, in memory that is made once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from poise.control.assembling import write_wishes
from poise.robot import Robot, Snapshot
from poise.solvers.hierarchy import InOrder, Level
from poise.tasks import Task
from poise.tasks.rows import ResidualRows

Stack = Sequence[Sequence[Task]]


class StackWishes:
    """Writes stacks; only other tasks cost memory.

    After `write`, `J` (m, nv) and `e` (m,) hold all levels and `levels` each of them; coupled
    joints are a level above all others. Tasks of one level share it by their weights: those count
    relative to the greatest of the level, so that a level alone is as strong as any other.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._rows = ResidualRows(robot.nv)
        self._sort([], [])

    def write(self, at: Snapshot, stack: Stack) -> None:
        """Write a stack at an instant."""
        tasks, sizes = [task for level in stack for task in level], [len(level) for level in stack]
        if tasks != self._tasks or sizes != self._sizes:  # the same ones come again and again
            self._sort(tasks, sizes)
        rows, above = self._rows, len(self.robot.couplings)
        rows.fill(at, self._residuals)
        picture = rows.error, rows.jacobian, rows.flow
        write_wishes(*picture, self._gain, self._root, above, self.J, self.e)

    def _sort(self, tasks: list[Task], sizes: list[int]) -> None:
        """Take on other tasks."""
        self._tasks, self._sizes = tasks, sizes
        self._residuals = [task.residual for task in tasks]
        heights = [residual.rows for residual in self._residuals]
        above, m = len(self.robot.couplings), sum(heights)
        self.J, self.e = np.zeros((above + m, self.robot.nv)), np.zeros(above + m)
        self.J[:above] = self.robot.coupling_rows
        ends, roots, first = [above] if above else [], [], 0
        for size in sizes:
            weights = [task.weight for task in tasks[first : first + size]]
            most = max(weights, default=1.0) or 1.0
            roots += [(weight / most) ** 0.5 for weight in weights]
            first += size
            ends.append(above + sum(heights[:first]))
        self._root = np.repeat(np.array(roots, dtype=float), heights)
        self._gain = np.repeat(np.array([task.gain for task in tasks], dtype=float), heights)
        self.in_order = InOrder(ends, self.robot.nv)
        self.levels = [Level(self.J[a:b], self.e[a:b]) for a, b in pairwise([0, *ends])]
