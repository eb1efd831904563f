"""The nonlinear program: its parts put together, evaluated once a point.

A constraint that must hold at all times is a polynomial on each span, through its values at
Chebyshev nodes; its Bernstein coefficients are what the solver sees. Only the spans where a
constraint may matter are in the program (`Active`); the certificate looks at all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import itemgetter
from typing import TypeVar

import numpy as np

from poise.engines.multicontact.active import Active, nothing_active
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.collisions import Obstacles
from poise.engines.multicontact.cost_jerk import JerkCost
from poise.engines.multicontact.cost_torque import TorqueCost
from poise.engines.multicontact.curvature import without_negative
from poise.engines.multicontact.dynamics import Dynamics, Instants
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.parallel import in_parallel
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

T = TypeVar("T")

# added to the diagonal of the Hessian: steps stay short where it is only an approximation
CALM, CALM_TIME, CALM_SHARING = 0.2, 10.0, 0.1


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything at one point but the Hessian."""

    x: np.ndarray
    cost: float
    shares: dict[str, float]  # of the cost
    gradient: np.ndarray
    g: np.ndarray
    jacobian: np.ndarray
    stretches: list[Stretch]


@dataclass(frozen=True, eq=False)
class _Phase:
    """What one phase adds."""

    stretch: Stretch
    torque: float  # parts of the cost
    jerk: float
    gradient: np.ndarray


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
        threads: int = 1,
    ) -> None:
        self.calmness, self.threads = calmness, threads
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
    def hessian_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the nonzeros of the upper triangle."""
        places = []
        for part in self.parts:
            places += part.torque.places() + part.jerk.places()
            for held in part.held:
                places += held.bends.places()
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
        stretches = self.evaluate(x).stretches
        found = self._each_phase(partial(self._bend, stretches, scale, multipliers))
        return np.concatenate([*(block for phase in found for block in phase), self.calm])

    def _bend(
        self, stretches: list[Stretch], scale: float, multipliers: np.ndarray, p: int
    ) -> list[np.ndarray]:
        """A phase's nonzeros of the Hessian."""
        part, at = self.parts[p], stretches[p]
        values = [scale * block for block in part.torque.hessian(at) + part.jerk.hessian(at)]
        for rows, mine, _ in self._rows[p]:
            if isinstance(rows, ContactRows | TaskRows):
                told = rows.bends.rows
                m = np.where(told >= 0, multipliers[mine.start + told], 0.0)
                H = without_negative(rows.curved(at).bend(m))
                values += rows.bends.nonzeros(at.E[:, 0], H)
        return values

    def _each_phase(self, piece: Callable[[int], T]) -> list[T]:
        """Of every phase the same, on some threads, long ones first."""
        order = np.argsort([-s for s in self.layout.spans], kind="stable").tolist()
        found = in_parallel([partial(piece, p) for p in order], self.threads)
        return [answer for _, answer in sorted(zip(order, found, strict=True), key=itemgetter(0))]

    def evaluate(self, x: np.ndarray) -> Evaluation:
        """Cost, constraints and all first derivatives at one point."""
        if self._last is not None and np.array_equal(x, self._last.x):
            return self._last
        x = x.copy()
        u = self.variables.unpack(x)
        _, mine, many = self._all_rows[-1]
        g, jacobian = np.empty(mine.stop), np.empty(many.stop)
        found = self._each_phase(partial(self._evaluate, u, g, jacobian))
        weight, v = self.options.time_weight, self.variables
        gradient = np.zeros(len(x))
        gradient[v.time_at : v.time_at + self.layout.phases] = weight
        for phase in found:  # in their order, whoever was first: sums are the same every time
            gradient += phase.gradient
        shares = {
            "time": weight * float(u.durations.sum()),
            "torque": sum(phase.torque for phase in found),
            "jerk": sum(phase.jerk for phase in found),
        }
        stretches = [phase.stretch for phase in found]
        cost = sum(shares.values())
        self._last = Evaluation(x, cost, shares, gradient, g, jacobian, stretches)
        return self._last

    def _evaluate(self, u: Unpacked, g: np.ndarray, jacobian: np.ndarray, p: int) -> _Phase:
        """One phase; its rows go into g and the Jacobian."""
        part = self.parts[p]
        at = Stretch(part.ground, u, self.dynamics)
        gradient = np.zeros(self.variables.count)
        torque, jerk = part.torque.add(at, gradient), part.jerk.add(at, gradient)
        for rows, mine, many in self._rows[p]:
            rows.write(at, g[mine], jacobian[many])
        return _Phase(at, torque, jerk, gradient)

    # -- the motion of a point at other instants ---------------------------------------

    def instants(self, u: Unpacked, phase: int, share: np.ndarray) -> Instants:
        """The robot at shares of a phase's time."""
        basis = self.layout.basis(phase, share, u.durations)
        points = u.places[self.layout.points(phase)]
        return self.dynamics(basis.value @ points, basis.rate @ points, basis.bend @ points)

    def sharing(self, u: Unpacked, phase: int) -> Sharing:
        """How the contacts of a phase share the wrench."""
        return sharing_of(self.grounds[phase], u)

    def chains(self, phase: int) -> list[np.ndarray]:
        """Coordinates that move each contact of a phase."""
        return self.grounds[phase].chains
