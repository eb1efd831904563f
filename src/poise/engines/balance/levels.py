"""The stack as joint rates: every level's tasks written into memory that is made once.

    levels = [[feet], [centre_of_mass], [left_hand, gaze], ...]

and comfort below them all: it gets what freedom is left, as a direction to follow there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from poise.compiled import compiled
from poise.engines.balance.rooted import Rooted
from poise.robot.robot import BASE_V
from poise.solvers.damped import DAMPING, Damping
from poise.solvers.hierarchy import InOrder, Level, Ranked, answer_at_once, solve_hierarchy
from poise.solvers.in_order import REGULAR
from poise.tasks import Task
from poise.tasks.rows import ResidualRows

Levels = Sequence[Sequence[Task]]


class LevelMemory:
    """Writes levels of tasks as J q' = e; only other tasks cost memory."""

    def __init__(self, rooted: Rooted) -> None:
        self.rooted = rooted
        robot = rooted.robot
        self._coupled = np.ascontiguousarray(robot.coupling_rows[:, BASE_V:])
        self._rows = ResidualRows(robot.nv)
        self._sort([], [])

    def write(self, levels: Levels) -> list[Level]:
        """All levels at the rooted robot's instant; couplings of joints come first."""
        tasks, sizes = [task for level in levels for task in level], [len(one) for one in levels]
        if tasks != self._tasks or sizes != self._sizes:
            self._sort(tasks, sizes)
        rows, above = self._rows, len(self._coupled)
        rows.fill(self.rooted.at, self._residuals)
        picture = rows.error, rows.jacobian, rows.flow
        base = self.rooted.base_of_joints
        write_rooted(*picture, self._gain, self._root, base, above, self.J, self.e)
        if above:
            self.J[:above] = self._coupled
        return self._levels

    @property
    def first_error(self) -> np.ndarray:
        """Error of the first task when it was last written, in its unit."""
        return self._rows.views[0].error

    def _sort(self, tasks: list[Task], sizes: list[int]) -> None:
        """Take on other tasks."""
        self._tasks, self._sizes = tasks, sizes
        self._residuals = [task.residual for task in tasks]
        heights = [residual.rows for residual in self._residuals]
        above = len(self._coupled)
        self._gain = np.repeat(np.array([task.gain for task in tasks], dtype=float), heights)
        self._root = np.repeat(np.array([task.weight**0.5 for task in tasks], dtype=float), heights)
        m = above + sum(heights)
        self.J, self.e = np.zeros((m, self.rooted.robot.na)), np.zeros(m)
        ends, first = [above] if above else [], 0
        for size in sizes:
            first += size
            ends.append(above + sum(heights[:first]))
        self.in_order = InOrder(ends, self.rooted.robot.na)
        self._levels = [Level(self.J[a:b], self.e[a:b]) for a, b in pairwise([0, *ends])]


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
        self._any, self._rates = False, np.zeros(len(lower))

    def solve(
        self,
        levels: Sequence[Level],
        joints: np.ndarray,
        comfort: np.ndarray,
        damping: Damping = DAMPING,
    ) -> np.ndarray:
        """Joint rates (na,) that carry no joint beyond its limit in one period; own memory.

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
        rates = self._rates
        within = joints, self._dt, self._lower, self._upper, self.held, self._beyond
        for _ in range(len(joints)):
            self._serve(levels, comfort, damping)
            if not leave(rates, *within):
                break
            self.held |= self._beyond
            self._any = True
            self._take_out(levels, comfort, self._beyond)
        return rates

    def _serve(self, levels: Sequence[Level], comfort: np.ndarray, damping: Damping) -> None:
        """Write the rates that serve levels, then comfort: far from singularities all at once."""
        J, e, rates = self._stacked.J, self._stacked.e, self._rates
        if answer_at_once(J, e, comfort, max(damping.threshold, REGULAR), rates):
            return
        found = self._stacked.in_order.solve(J, e, damping, comfort)
        rates[:] = ranked_rates(levels, comfort, damping).x if found is None else found

    @staticmethod
    def _take_out(levels: Sequence[Level], comfort: np.ndarray, which: np.ndarray) -> None:
        comfort[which] = 0.0
        for level in levels:
            level.J[:, which] = 0.0


@compiled
def write_rooted(
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    gain: np.ndarray,
    root: np.ndarray,
    base_of_joints: np.ndarray,
    above: int,
    J: np.ndarray,
    e: np.ndarray,
) -> None:
    """Rows J q' = e under which errors die at their gains, the base going where joints put it.

    Args:
        error: (m,), as the next two in `residual.Linear`.
        jacobian: (m, nv).
        flow: (m,).
        gain: of each row [1/s], (m,).
        root: of the weight of each row, (m,).
        base_of_joints: see `Rooted`, (6, na).
        above: rows that are left alone.
        J: written below them, (above + m, na).
        e: likewise.
    """
    for k in range(error.shape[0]):
        weight, row, own = root[k], J[above + k], jacobian[k]
        e[above + k] = -weight * (gain[k] * error[k] + flow[k])
        for c in range(row.shape[0]):
            row[c] = own[BASE_V + c]
        for b in range(BASE_V):
            share = own[b]
            for c in range(row.shape[0]):
                row[c] += share * base_of_joints[b, c]
        if weight != 1.0:
            for c in range(row.shape[0]):
                row[c] *= weight


@compiled
def leave(
    rates: np.ndarray,
    joints: np.ndarray,
    dt: float,
    lower: np.ndarray,
    upper: np.ndarray,
    held: np.ndarray,
    beyond: np.ndarray,
) -> bool:
    """Whether rates carry a joint that is not held beyond its limits; which ones, into beyond.

    Args:
        rates: [rad/s], (na,).
        joints: angles now [rad], (na,).
        dt: period [s].
        lower: [rad], (na,).
        upper: [rad], (na,).
        held: which joints take no part, (na,).
        beyond: written, (na,).
    """
    found = False
    for k in range(rates.shape[0]):
        after = dt * rates[k] + joints[k]
        beyond[k] = (after > upper[k] or after < lower[k]) and not held[k]
        found = found or beyond[k]
    return found
