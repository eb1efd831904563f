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
from poise.solvers.hierarchy import Level, Ranked, solve_hierarchy, solve_regular
from poise.tasks import Linear, Task

Levels = Sequence[Sequence[Task]]


class LevelMemory:
    """Writes levels of tasks as J q' = e; only a change of their sizes costs memory."""

    def __init__(self, rooted: Rooted) -> None:
        self.rooted = rooted
        robot = rooted.robot
        self._coupled = np.ascontiguousarray(robot.coupling_rows[:, BASE_V:])
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
        above = len(self._coupled)
        self.rooted.reduced(self._J, self.J[above:])
        if above:
            self.J[:above] = self._coupled
        return self._levels

    @property
    def first_error(self) -> np.ndarray:
        """Error of the first task when it was last written, in its unit."""
        return self._views[0][0].error

    def _allocate(self, layout: tuple[tuple[int, ...], ...]) -> None:
        robot = self.rooted.robot
        m, above = sum(map(sum, layout)), len(self._coupled)
        self._layout = layout
        self._J, self.J = np.zeros((m, robot.nv)), np.zeros((above + m, robot.na))
        self._error, self.e = np.zeros(m), np.zeros(above + m)
        self._flow, self._drift = np.zeros(m), np.zeros(m)
        self._views: list[tuple[Linear, np.ndarray]] = []
        self._levels = [Level(self.J[:above], self.e[:above])] if above else []
        row = 0
        for sizes in layout:
            start = row
            for size in sizes:
                rows = slice(row, row + size)
                view = Linear(self._error[rows], self._J[rows], self._flow[rows], self._drift[rows])
                self._views.append((view, self.e[above:][rows]))
                row += size
            self._levels.append(Level(self.J[above:][start:row], self.e[above:][start:row]))


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

    def __init__(
        self,
        stacked: LevelMemory,
        lower: np.ndarray,
        upper: np.ndarray,
        dt: float,
        patience: int = 10,
    ) -> None:
        """Remember the limits.

        Args:
            stacked: memory that the levels are written in.
            lower: [rad], (na,).
            upper: [rad], (na,).
            dt: period [s].
            patience: after how many periods a joint at its limit gets a new chance.
        """
        self._stacked = stacked
        self._lower, self._upper, self._dt = lower, upper, dt
        self._patience, self._wait = patience, 0
        self.held = np.zeros(len(lower), dtype=bool)
        self._beyond = np.zeros(len(lower), dtype=bool)
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
        rates = comfort
        for _ in range(len(joints)):
            found = solve_regular(self._stacked.J, self._stacked.e, comfort, damping)
            rates = ranked_rates(levels, comfort, damping).x if found is None else found
            after = self._dt * rates
            after += joints
            beyond = np.greater(after, self._upper, out=self._beyond)
            beyond |= after < self._lower
            if self._any:
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
