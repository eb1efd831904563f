"""The nonlinear program: its parts put together, evaluated once a point.

A constraint that must hold at all times is a polynomial on each span, through its values at
Chebyshev nodes; its Bernstein coefficients are what the solver sees. Only the spans where a
constraint may matter are in the program (`Active`); the certificate looks at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from poise.engines.multicontact.active import Active, nothing_active
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.collisions import Obstacles
from poise.engines.multicontact.cost_jerk import JerkCost
from poise.engines.multicontact.cost_torque import TorqueCost
from poise.engines.multicontact.crew import Crew, common, may_fork
from poise.engines.multicontact.curvature import without_negative
from poise.engines.multicontact.dynamics import Dynamics, Instants
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.quantities import Swing, kinds_of
from poise.engines.multicontact.rows import Name, Rows
from poise.engines.multicontact.rows_of_contacts import ContactRows, contact_nodes
from poise.engines.multicontact.rows_of_distances import DistanceRows
from poise.engines.multicontact.rows_of_heights import HeightRows
from poise.engines.multicontact.rows_of_loads import LoadRows
from poise.engines.multicontact.rows_of_splines import SplineRows
from poise.engines.multicontact.rows_of_steps import step_rows
from poise.engines.multicontact.rows_of_tasks import TaskRows
from poise.engines.multicontact.sharing import Sharing
from poise.engines.multicontact.stage import Stage
from poise.engines.multicontact.stretch import Ground, Stretch, sharing_of
from poise.engines.multicontact.variables import Unpacked, Variables

# added to the diagonal of the Hessian: steps stay short where it is only an approximation
CALM, CALM_TIME, CALM_SHARING = 0.2, 10.0, 0.1
EVALUATE, BEND = "e", "b"  # jobs


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything at one point but the Hessian."""

    x: np.ndarray
    cost: float
    shares: dict[str, float]  # of the cost
    gradient: np.ndarray
    g: np.ndarray
    jacobian: np.ndarray
    stretches: list[Stretch]  # of the phases that this process evaluates


@dataclass(frozen=True, eq=False)
class _Desk:
    """What goes into an evaluation and into a Hessian, and what comes out, flat."""

    x: np.ndarray
    g: np.ndarray
    jacobian: np.ndarray
    gradients: np.ndarray  # of the cost, phase by phase
    prices: np.ndarray  # torque and jerk, phase by phase
    scale: np.ndarray
    multipliers: np.ndarray
    hessian: np.ndarray


@dataclass(frozen=True, eq=False)
class Part:
    """One phase of the program."""

    ground: Ground
    torque: TorqueCost
    jerk: JerkCost
    rows: tuple[Rows, ...]
    held: tuple[ContactRows | TaskRows, ...]  # those of the rows that bend


class Problem:
    """One program; the constraints in it are fixed when it is made."""

    def __init__(
        self,
        chart: Chart,
        stage: Stage,
        options: PlanOptions,
        active: Active | None = None,
        swings: tuple[tuple[Swing, ...], ...] | None = None,
        obstacles: Obstacles | None = None,
        spans: tuple[int, ...] | None = None,
        calmness: float = 1.0,
    ) -> None:
        self.calmness = calmness
        self.chart, self.stage, self.options = chart, stage, options
        self.layout = Layout(spans or tuple(phase.spans for phase in stage.phases))
        self.variables = Variables(stage, self.layout, chart.nv)
        self.swings = swings or tuple(() for _ in stage.phases)
        self.obstacles = obstacles
        joints = [hold.joint for hold in stage.holds] + [task.joint for task in stage.tasks]
        joints += [swing.joint for phase in self.swings for swing in phase]
        self.dynamics = Dynamics(chart, joints)
        self.x_lower, self.x_upper = self.variables.bounds()
        self.kinds = [
            kinds_of(stage, phase, chart.robot.joint_names, swings, options.margin)
            for phase, swings in zip(stage.phases, self.swings, strict=True)
        ]
        self.grounds = [
            Ground(stage, self.layout, self.variables, phase, options.order)
            for phase in range(self.layout.phases)
        ]
        self.active = active or self.nothing_active()
        self._last: Evaluation | None = None
        self._desk: _Desk
        self._points: list[np.ndarray] = [np.zeros(0)] * self.layout.phases
        self._stretches: list[Any] = [None] * self.layout.phases  # at these points
        self._crew: Crew | None = None
        self._shares = [list(range(self.layout.phases))]  # phases of each worker

    # -- what is where ------------------------------------------------------------------

    def nothing_active(self) -> Active:
        """No continuous constraint at all."""
        kinds = [len(k.family) for k in self.kinds]
        return nothing_active(self.layout.spans, kinds, self.chart.nv)

    @cached_property
    def parts(self) -> list[Part]:
        """The phases."""
        held = contact_nodes(self.stage, self.layout, self.options.order)
        return [self._part(ground, held[p]) for p, ground in enumerate(self.grounds)]

    def _part(self, ground: Ground, held: dict[int, np.ndarray]) -> Part:
        p, options = ground.phase, self.options
        kinds, active, swings = self.kinds[p], self.active, self.swings[p]
        contacts = [ContactRows(ground, h, nodes) for h, nodes in held.items() if len(nodes)]
        tasks = [TaskRows(ground, task) for task in self.stage.tasks if task.phase == p]
        rows: tuple[Rows, ...] = (
            LoadRows(ground, kinds, active.spans[p]),
            HeightRows(ground, kinds, active.spans[p], swings),
            *step_rows(ground, swings),
            *contacts,
            *tasks,
            SplineRows(ground, self.chart, active, options.margin),
            DistanceRows(ground, self.obstacles, active.pairs[p]),
        )
        torque = TorqueCost(ground, options.torque_weight)
        jerk = JerkCost(ground, options.jerk_weight)
        return Part(ground, torque, jerk, rows, (*contacts, *tasks))

    @cached_property
    def _rows(self) -> list[list[tuple[Rows, slice, slice]]]:
        """Of each phase: rows, where they stand in g, and where among the nonzeros."""
        found, row, nonzero = [], 0, 0
        for part in self.parts:
            mine = []
            for rows in part.rows:
                count, many = len(rows.pattern.lower), len(rows.pattern.rows)
                mine.append((rows, slice(row, row + count), slice(nonzero, nonzero + many)))
                row, nonzero = row + count, nonzero + many
            found.append(mine)
        return found

    @cached_property
    def _all_rows(self) -> list[tuple[Rows, slice, slice]]:
        return [rows for phase in self._rows for rows in phase]

    @cached_property
    def lower(self) -> np.ndarray:
        """Least values of the constraints, (m,)."""
        return np.concatenate([rows.pattern.lower for rows, _, _ in self._all_rows])

    @cached_property
    def upper(self) -> np.ndarray:
        """Most, (m,)."""
        return np.concatenate([rows.pattern.upper for rows, _, _ in self._all_rows])

    @cached_property
    def names(self) -> list[Name]:
        """Family, what and phase of every constraint."""
        return [name for rows, _, _ in self._all_rows for name in rows.pattern.names]

    @cached_property
    def jacobian_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the nonzeros."""
        rows = [r.pattern.rows + mine.start for r, mine, _ in self._all_rows]
        columns = [r.pattern.columns for r, _, _ in self._all_rows]
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def _bent(self) -> list[list[tuple[np.ndarray, np.ndarray]]]:
        """Of each phase, rows and columns of the Hessian's nonzeros, block by block."""
        found = []
        for part in self.parts:
            places = part.torque.places() + part.jerk.places()
            for held in part.held:
                places += held.bends.places()
            found.append(places)
        return found

    @cached_property
    def _bends(self) -> list[slice]:
        """Where each phase's stand among all of these."""
        ends = np.cumsum([0, *(sum(len(r) for r, _ in phase) for phase in self._bent)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]

    @cached_property
    def hessian_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the nonzeros of the upper triangle."""
        places = [block for phase in self._bent for block in phase]
        every = np.arange(self.variables.count)
        rows, columns = zip(*places, (every, every), strict=True)
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def calm(self) -> np.ndarray:
        """What is added to the diagonal of the Hessian."""
        v = self.variables
        times = slice(v.time_at, v.time_at + self.layout.phases)
        calm = np.full(v.count, CALM)
        calm[times] = CALM_TIME
        calm *= self.calmness
        calm[times.stop :] = CALM_SHARING
        return calm

    # -- the program as the solver sees it ----------------------------------------------

    def values(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Cost and constraints."""
        found = self.evaluate(x)
        return found.cost, found.g

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Of the cost."""
        return self.evaluate(x).gradient

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Nonzeros, in the order of `jacobian_places`."""
        return self.evaluate(x).jacobian

    def hessian(self, x: np.ndarray, scale: float, multipliers: np.ndarray) -> np.ndarray:
        """Gauss-Newton for the cost; for contacts and tasks their own curvature."""
        self.evaluate(x)
        desk = self._desk
        desk.scale[0], desk.multipliers[:] = scale, multipliers
        self._do(BEND)
        return np.concatenate([desk.hessian, self.calm])

    def evaluate(self, x: np.ndarray) -> Evaluation:
        """Cost, constraints and all first derivatives at one point.

        While the work is shared the Jacobian is in common memory: the next evaluation fills it.
        """
        if self._last is not None and np.array_equal(x, self._last.x):
            return self._last
        if self._crew is None:
            self._desk = self._new_desk(np.empty)
        desk = self._desk
        desk.x[:] = x
        self._do(EVALUATE)
        weight, v, phases = self.options.time_weight, self.variables, self.layout.phases
        durations = slice(v.time_at, v.time_at + phases)
        # phases in their order, whoever was first: sums are the same every time
        gradient = desk.gradients.reshape(phases, -1).sum(axis=0)
        gradient[durations] += weight
        torque, jerk = desk.prices.reshape(phases, 2).sum(axis=0).tolist()
        shares = {"time": weight * float(x[durations].sum()), "torque": torque, "jerk": jerk}
        self._last = Evaluation(
            *(x.copy(), sum(shares.values()), shares, gradient),
            *(desk.g.copy(), desk.jacobian, list(self._stretches)),
        )
        return self._last

    # -- who does what ------------------------------------------------------------------

    @contextmanager
    def shared(self, workers: int, x: np.ndarray) -> Iterator[None]:
        """Share the phases among some processes while this lasts.

        Args:
            workers: how many, this one included; at most one a phase.
            x: a point: everything is made and compiled there before the process is copied.
        """
        workers = min(workers, self.layout.phases)
        if workers < 2 or not may_fork():
            yield
            return
        self.hessian(x, 1.0, np.zeros(len(self.lower)))
        self._desk, self._last = self._new_desk(common), None
        self._shares = self._dealt(workers)
        self._crew = Crew(self._work, workers)
        try:
            yield
        finally:
            self._crew.end()
            self._crew, self._last = None, None
            self._shares = [list(range(self.layout.phases))]

    def _dealt(self, workers: int) -> list[list[int]]:
        """Phases of each worker: the longest first, always to who has least."""
        costs = [self._effort(p) for p in range(self.layout.phases)]
        shares: list[list[int]] = [[] for _ in range(workers)]
        for p in sorted(range(len(costs)), key=lambda p: -costs[p]):
            min(shares, key=lambda mine: sum(costs[q] for q in mine)).append(p)
        return shares

    def _effort(self, p: int) -> float:
        """About how long an evaluation of a phase takes [us]; only ratios matter."""
        part, rows = self.parts[p], self._rows[p]
        nonzeros = sum(many.stop - many.start for _, _, many in rows)
        looks = sum(len(r.found) for r, _, _ in rows if isinstance(r, DistanceRows))
        return 180.0 + 9.0 * len(part.ground.shares) + 0.8 * looks + 0.0025 * nonzeros

    def _do(self, job: str) -> None:
        if self._crew is None:
            self._work(job, 0)
        else:
            self._crew.do(job)

    def _work(self, job: str, share: int) -> None:
        """A worker's share of an evaluation or of a Hessian, from what is on the desk."""
        desk = self._desk
        x = desk.x.copy()
        for p in self._shares[share]:
            if job == EVALUATE:
                self._evaluate(desk, x, p)
            else:
                if not np.array_equal(self._points[p], x):  # it was somebody else's until now
                    self._evaluate(desk, x, p)
                np.concatenate(self._bend(desk, p), out=desk.hessian[self._bends[p]])

    def _evaluate(self, desk: _Desk, x: np.ndarray, p: int) -> None:
        """One phase: its rows, its cost and the gradient of that."""
        part = self.parts[p]
        at = Stretch(part.ground, self.variables.unpack(x), self.dynamics)
        self._points[p], self._stretches[p] = x, at
        gradient = desk.gradients.reshape(self.layout.phases, -1)[p]
        gradient[:] = 0.0
        desk.prices[2 * p : 2 * p + 2] = part.torque.add(at, gradient), part.jerk.add(at, gradient)
        for rows, mine, many in self._rows[p]:
            rows.write(at, desk.g[mine], desk.jacobian[many])

    def _bend(self, desk: _Desk, p: int) -> list[np.ndarray]:
        """A phase's nonzeros of the Hessian."""
        part, at = self.parts[p], self._stretches[p]
        scale, multipliers = float(desk.scale[0]), desk.multipliers
        values = [scale * block for block in part.torque.hessian(at) + part.jerk.hessian(at)]
        for rows, mine, _ in self._rows[p]:
            if isinstance(rows, ContactRows | TaskRows):
                told = rows.bends.rows
                m = np.where(told >= 0, multipliers[mine.start + told], 0.0)
                H = without_negative(rows.curved(at).bend(m))
                values += rows.bends.nonzeros(at.E[:, 0], H)
        return [block.ravel() for block in values]

    def _new_desk(self, room: Callable[[int], np.ndarray]) -> _Desk:
        _, mine, many = self._all_rows[-1]
        n, phases = self.variables.count, self.layout.phases
        return _Desk(
            *(room(n), room(mine.stop), room(many.stop), room(phases * n), room(2 * phases)),
            *(room(1), room(mine.stop), room(self._bends[-1].stop)),
        )

    # -- the motion of a point at other instants ---------------------------------------

    def instants(self, u: Unpacked, phase: int, share: np.ndarray) -> Instants:
        """The robot at shares of a phase's time."""
        basis = self.layout.basis(phase, share, u.durations)
        points = u.places[self.layout.points(phase)]
        return self.dynamics(basis.value @ points, basis.rate @ points, basis.bend @ points)

    def sharing(self, u: Unpacked, phase: int) -> Sharing:
        """How the contacts of a phase share the wrench."""
        return sharing_of(self.grounds[phase], u)

    def moved(self, phase: int) -> np.ndarray:
        """Which coordinates move which contact of a phase, (contacts, nv) of bool."""
        return self.grounds[phase].moved
