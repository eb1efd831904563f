"""The stack as joint rates: every level's tasks written into memory that is made once.

    levels = [[feet], [centre_of_mass], [left_hand, gaze], ...]

and comfort below them all: it gets what freedom is left, as a direction to follow there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.engines.balance.rooted import Rooted
from poise.robot.robot import BASE_V
from poise.solvers.damped import DAMPING, Damping
from poise.solvers.hierarchy import Level, Ranked, solve_hierarchy
from poise.tasks import Linear, Task

Levels = Sequence[Sequence[Task]]


class LevelMemory:
    """Writes levels of tasks as J q' = e; only a change of their sizes costs memory."""

    def __init__(self, rooted: Rooted) -> None:
        self.rooted = rooted
        robot = rooted.robot
        self._coupled = np.ascontiguousarray(robot.coupling_rows[:, BASE_V:])
        rows = len(self._coupled)
        self._above = [Level(self._coupled.copy(), np.zeros(rows))] if rows else []
        self._layout: tuple[tuple[int, ...], ...] = ()
        self._allocate(())

    def write(self, levels: Levels) -> list[Level]:
        """All levels at the rooted robot's instant; couplings of joints come first."""
        layout = tuple(tuple(task.residual.rows for task in level) for level in levels)
        if layout != self._layout:
            self._allocate(layout)
        self._flow.fill(0.0)
        at, k = self.rooted.at, 0
        for level in levels:
            for task in level:
                view, e = self._views[k]
                task.residual.fill(at, view)
                np.multiply(view.error, -task.gain, out=e)
                e -= view.flow
                if task.weight != 1.0:
                    root = task.weight**0.5
                    e *= root
                    view.jacobian[:] *= root
                k += 1
        self.rooted.reduced(self._J, self.J)
        for above in self._above:
            above.J[:] = self._coupled
        return self._levels

    @property
    def first_error(self) -> np.ndarray:
        """Error of the first task when it was last written, in its unit."""
        return self._views[0][0].error

    def _allocate(self, layout: tuple[tuple[int, ...], ...]) -> None:
        robot = self.rooted.robot
        m = sum(map(sum, layout))
        self._layout = layout
        self._J, self.J = np.zeros((m, robot.nv)), np.zeros((m, robot.na))
        self._error, self.e = np.zeros(m), np.zeros(m)
        self._flow, self._drift = np.zeros(m), np.zeros(m)
        self._views: list[tuple[Linear, np.ndarray]] = []
        self._levels = list(self._above)
        row = 0
        for sizes in layout:
            start = row
            for size in sizes:
                rows = slice(row, row + size)
                view = Linear(self._error[rows], self._J[rows], self._flow[rows], self._drift[rows])
                self._views.append((view, self.e[rows]))
                row += size
            self._levels.append(Level(self.J[start:row], self.e[start:row]))


def ranked_rates(
    levels: Sequence[Level], comfort: np.ndarray, damping: Damping = DAMPING
) -> Ranked:
    """Joint rates (na,) that serve levels in strict order, then a direction of comfort.

    q3 = q2 + P e, with the projector P itself: it is its own pseudo-inverse, and inverting it by
    numbers would blow its rounding errors up.

    Args:
        levels: the most important first.
        comfort: joint rates that comfort asks for, (na,).
        damping: how steps are bounded near singularities.
    """
    found = solve_hierarchy(levels, damping)
    Z = found.free
    np.add(found.x, Z @ (comfort @ Z), out=found.x)
    return found


class JointStops:
    """Joints that stand at a limit take no part, so that the others do their share.

    Which ones do is found by solving again without the offenders. Every few periods all get a new
    chance; in between what was found holds, and one solution a period is enough.
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, dt: float, patience: int = 10) -> None:
        """Take limits [rad], (na,), the period [s] and after how many periods a chance comes."""
        self._lower, self._upper, self._dt = lower, upper, dt
        self._patience, self._wait = patience, 0
        self.held = np.zeros(len(lower), dtype=bool)
        self._any = False

    def solve(
        self,
        levels: Sequence[Level],
        joints: np.ndarray,
        comfort: np.ndarray,
        damping: Damping = DAMPING,
    ) -> np.ndarray:
        """Joint rates (na,) that carry no joint beyond its limit in one period.

        Args:
            levels: the most important first; columns of held joints are set to zero.
            joints: angles now [rad], (na,).
            comfort: joint rates that comfort asks for, (na,).
            damping: how steps are bounded near singularities.
        """
        self._wait -= 1
        if self._any and self._wait <= 0:
            self.held[:] = False
            self._any, self._wait = False, self._patience
        if self._any:
            self._take_out(levels, comfort, self.held)
        for _ in range(len(joints)):
            rates = ranked_rates(levels, comfort, damping).x
            after = joints + self._dt * rates
            beyond = (after < self._lower) | (after > self._upper)
            beyond &= ~self.held
            if not beyond.any():
                break
            self.held |= beyond
            self._any = True
            self._take_out(levels, comfort, beyond)
        return rates

    @staticmethod
    def _take_out(levels: Sequence[Level], comfort: np.ndarray, which: np.ndarray) -> None:
        comfort[which] = 0.0
        for level in levels:
            level.J[:, which] = 0.0
