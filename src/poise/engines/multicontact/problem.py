"""The nonlinear program: free control points, durations, sharing weights, free coordinates.

A constraint that must hold at all times is a polynomial on each span, through its values at
Chebyshev nodes; its Bernstein coefficients are what the solver sees. Only the spans where a
constraint may matter are in the program (`Active`); the certificate looks at all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.collisions import Obstacles
from poise.engines.multicontact.dynamics import Dynamics, Instants, load
from poise.engines.multicontact.layout import DEGREE, Layout, PhaseBasis
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.quantities import Swing, kinds_of, quantities
from poise.engines.multicontact.sharing import Sharing, share
from poise.engines.multicontact.spatial import skew
from poise.engines.multicontact.stage import Stage, Task, point_jacobian
from poise.trajectories.chebyshev import chebyshev_nodes, nodes_to_bernstein
from poise.trajectories.spline_maps import rate_matrix

CONTACT, REACHING, SPEED, POSITION, CLEARANCE = (
    "contact",
    "task",
    "joint speed",
    "joint position",
    "clearance",
)
LOG_BETA = 7.0  # weights of contacts stay within exp(-7) .. exp(7)
LENGTH = 0.1  # [m], contact errors, tasks and distances count in these
# added to the diagonal of the Hessian: steps stay short where it is only an approximation
CALM, CALM_TIME, CALM_SHARING = 0.2, 10.0, 0.1


@dataclass(frozen=True, eq=False)
class Active:
    """Which continuous constraints are in the program, phase by phase."""

    spans: tuple[np.ndarray, ...]  # (spans, kinds) of bool
    speeds: tuple[np.ndarray, ...]  # (spans + 2, nv) of bool, control points of the rates
    places: tuple[np.ndarray, ...]  # (spans + 3, nv) of bool, control points that are not free
    pairs: tuple[dict[int, np.ndarray], ...]  # pair of links -> (spans,) of bool

    def joined(self, other: Active) -> Active:
        """What is in either."""
        pairs = []
        for mine, theirs in zip(self.pairs, other.pairs, strict=True):
            both = dict(mine)
            for pair, spans in theirs.items():
                both[pair] = both[pair] | spans if pair in both else spans
            pairs.append(both)
        return Active(
            tuple(a | b for a, b in zip(self.spans, other.spans, strict=True)),
            tuple(a | b for a, b in zip(self.speeds, other.speeds, strict=True)),
            tuple(a | b for a, b in zip(self.places, other.places, strict=True)),
            tuple(pairs),
        )

    @property
    def count(self) -> int:
        """How many (constraint, span) there are."""
        tables = [*self.spans, *self.speeds, *self.places]
        tables += [spans for phase in self.pairs for spans in phase.values()]
        return int(sum(table.sum() for table in tables))


@dataclass(frozen=True, eq=False)
class Unpacked:
    """A point of the program in its parts."""

    places: np.ndarray  # (c, nv)
    durations: np.ndarray  # [s], (phases,)
    log_beta: list[np.ndarray]  # of each phase, (contacts,)
    floats: np.ndarray  # (f,)


class Variables:
    """Where everything stands in the vector of unknowns."""

    def __init__(self, stage: Stage, layout: Layout, nv: int) -> None:
        self.stage, self.layout, self.nv = stage, layout, nv
        self.place_count = layout.count * nv
        self.time_at = self.place_count
        self.beta_at = []
        at = self.time_at + layout.phases
        for phase in stage.phases:
            self.beta_at.append(at)
            at += len(phase.holds)
        self.float_at = at
        self.slots = stage.float_slots()
        self.float_count = sum(len(hold.free) for hold in stage.holds)
        self.count = at + self.float_count

    def unpack(self, x: np.ndarray) -> Unpacked:
        """The parts of a point."""
        return Unpacked(
            x[: self.place_count].reshape(self.layout.count, self.nv),
            x[self.time_at : self.time_at + self.layout.phases],
            [
                x[at : at + len(phase.holds)]
                for at, phase in zip(self.beta_at, self.stage.phases, strict=True)
            ],
            x[self.float_at :],
        )

    def pack(self, u: Unpacked) -> np.ndarray:
        """A point of its parts."""
        return np.concatenate([u.places.ravel(), u.durations, *u.log_beta, u.floats])

    def sharing_columns(self, phase: int) -> np.ndarray:
        """Unknowns behind the parameters of a phase's sharing, in their order."""
        holds = self.stage.phases[phase].holds
        betas = self.beta_at[phase] + np.arange(len(holds))
        floats = [self.float_columns(h) for h in holds]
        return np.concatenate([betas, *floats]).astype(int)

    def float_columns(self, hold: int) -> np.ndarray:
        """Unknowns of a hold's free coordinates."""
        slot = self.slots[hold]
        return self.float_at + np.arange(slot.start, slot.stop)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest values of all unknowns."""
        stage, nv, count = self.stage, self.nv, self.layout.count
        low, high = np.full(self.count, -np.inf), np.full(self.count, np.inf)
        low[: self.place_count] = np.tile(stage.lower, count)
        high[: self.place_count] = np.tile(stage.upper, count)
        low[:nv] = high[:nv] = stage.start
        if stage.end is not None:
            last = slice(self.place_count - nv, self.place_count)
            low[last] = high[last] = stage.end
        for k, phase in enumerate(stage.phases):
            low[self.time_at + k], high[self.time_at + k] = phase.shortest, phase.longest
            betas = slice(self.beta_at[k], self.beta_at[k] + len(phase.holds))
            low[betas], high[betas] = -LOG_BETA, LOG_BETA
            low[self.beta_at[k]] = high[self.beta_at[k]] = 0.0  # only ratios matter
        for hold, slot in zip(stage.holds, self.slots, strict=True):
            for j, name in enumerate(hold.free):
                at = self.float_at + slot.start + j
                low[at], high[at] = hold.reach[name]
        return low, high


@dataclass(eq=False)
class Rows:
    """Constraints while they are gathered: values, limits, names, nonzeros."""

    value: list[np.ndarray] = field(default_factory=list)
    lower: list[np.ndarray] = field(default_factory=list)
    upper: list[np.ndarray] = field(default_factory=list)
    names: list[tuple[str, str, int]] = field(default_factory=list)  # family, what, phase
    blocks: list[np.ndarray] = field(default_factory=list)  # (rows, columns) each
    columns: list[np.ndarray] = field(default_factory=list)  # of each block, or of each row
    count: int = 0

    def add(
        self,
        value: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        block: np.ndarray,
        columns: np.ndarray,
        names: list[tuple[str, str, int]],
    ) -> None:
        """Some rows that share their columns."""
        self.value.append(value)
        self.lower.append(np.broadcast_to(lower, value.shape))
        self.upper.append(np.broadcast_to(upper, value.shape))
        self.blocks.append(block)
        self.columns.append(columns)
        self.names += names
        self.count += len(value)

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of all nonzeros, in the order of `nonzeros`."""
        rows, columns, at = [], [], 0
        for block, cols in zip(self.blocks, self.columns, strict=True):
            rows.append(np.repeat(np.arange(at, at + len(block)), block.shape[1]))
            columns.append(np.broadcast_to(cols, block.shape).ravel())
            at += len(block)
        return np.concatenate(rows), np.concatenate(columns)

    def nonzeros(self) -> np.ndarray:
        """Values of all nonzeros."""
        return np.concatenate([block.ravel() for block in self.blocks])


@dataclass(frozen=True, eq=False)
class Curved:
    """How a point or a frame of the robot bends with the coordinates, for the Hessian."""

    rows: np.ndarray  # constraints that tell its place (3,), and its turn (3,), or -1
    axes: np.ndarray  # (3, 3), from multipliers of the places to a force, world axes
    turned: np.ndarray  # (3, 3), from multipliers of the turns to a moment
    J: np.ndarray  # (3, c), of the place, by the coordinates of its chain
    spin: np.ndarray  # (3, c)
    basis: np.ndarray  # (t,), of the control points
    columns: np.ndarray  # (t * c,)

    def bend(self, multipliers: np.ndarray) -> np.ndarray:
        """Second derivative of the multipliers times the constraints, by the chain, (c, c)."""
        values = np.where(self.rows >= 0, multipliers[self.rows], 0.0)
        force, moment = self.axes @ values[:3], 0.5 * self.turned @ values[3:]
        pulled = skew(force[None])[0] @ self.spin  # columns: force x axis
        A = np.triu(pulled.T @ self.J)
        B = np.triu((skew(moment[None])[0] @ self.spin).T @ self.spin, 1)
        H = A + B
        return H + np.triu(H, 1).T

    def hessian(self, multipliers: np.ndarray) -> np.ndarray:
        """What the solver sees of it, (t * c, t * c): without its negative part.

        The program is then convex where it is solved, which takes one factorisation an iteration
        and steps that no shift of the whole diagonal holds back.
        """
        size, along = np.linalg.eigh(self.bend(multipliers))
        H = (along * np.maximum(size, 0.0)) @ along.T
        return np.kron(np.outer(self.basis, self.basis), H)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything at one point."""

    x: np.ndarray
    cost: float
    gradient: np.ndarray
    rows: Rows
    hessian: list[np.ndarray]  # slopes of squares (2-D), or nonzeros of upper triangles (1-D)
    shares: dict[str, float]  # of the cost
    g: np.ndarray
    jacobian: np.ndarray
    curved: list[Curved]


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
        if obstacles is not None:
            joints += obstacles.joints
        self.dynamics = Dynamics(chart, joints)
        self.x_lower, self.x_upper = self.variables.bounds()
        self.kinds = [
            kinds_of(stage, phase, chart.robot.joint_names, swings, options.margin)
            for phase, swings in zip(stage.phases, self.swings, strict=True)
        ]
        self.active = active or self.nothing_active()
        self._held = contact_nodes(stage, self.layout, options.order)
        self._last: Evaluation | None = None
        self._naming = False
        self._triu: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    # -- what is where ------------------------------------------------------------------

    def nothing_active(self) -> Active:
        """No continuous constraint at all."""
        nv = self.chart.nv
        return Active(
            tuple(
                np.zeros((s, len(k.family)), dtype=bool)
                for s, k in zip(self.layout.spans, self.kinds, strict=True)
            ),
            tuple(np.zeros((s + 2, nv), dtype=bool) for s in self.layout.spans),
            tuple(np.zeros((s + 3, nv), dtype=bool) for s in self.layout.spans),
            tuple({} for _ in self.layout.spans),
        )

    def shares(self, phase: int) -> np.ndarray:
        """Where the nodes of a phase are, as shares of its time, (spans * order + 1,)."""
        return node_shares(self.layout.spans[phase], self.options.order)

    def instants(self, u: Unpacked, phase: int, share: np.ndarray) -> tuple[PhaseBasis, Instants]:
        """The robot at shares of a phase's time."""
        basis = self.layout.basis(phase, share, u.durations)
        points = u.places[self.layout.points(phase)]
        return basis, self.dynamics(basis.value @ points, basis.rate @ points, basis.bend @ points)

    def sharing(self, u: Unpacked, phase: int) -> Sharing:
        """How the contacts of a phase share the wrench."""
        holds = self.stage.phases[phase].holds
        grips = [self.stage.holds[h].grip(u.floats[self.variables.slots[h]]) for h in holds]
        return share(grips, u.log_beta[phase])

    def chains(self, phase: int) -> list[np.ndarray]:
        """Coordinates that move each contact of a phase."""
        return [self.stage.holds[h].chain for h in self.stage.phases[phase].holds]

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
        found = self.evaluate(x)
        bends = [c.hessian(multipliers)[self._upper(len(c.columns))] for c in found.curved]
        squares = [
            scale * (block if block.ndim == 1 else self._squared(block)) for block in found.hessian
        ]
        return np.concatenate([*squares, *bends, self.calm])

    def _squared(self, slopes: np.ndarray) -> np.ndarray:
        return (slopes.T @ slopes)[self._upper(slopes.shape[1])]

    def prepare(self, x: np.ndarray) -> None:
        """Learn limits, names and places of nonzeros from any point."""
        self._naming, self._last = True, None
        found = self.evaluate(x)
        self._naming = False
        self.lower = np.concatenate(found.rows.lower)
        self.upper = np.concatenate(found.rows.upper)
        self.names = found.rows.names
        self.jacobian_places = found.rows.places()
        blocks = self._hessian_columns + [c.columns for c in found.curved]
        rows, columns = zip(*(self._square(c) for c in blocks), strict=True)
        every = np.arange(len(x))
        times = slice(self.variables.time_at, self.variables.time_at + self.layout.phases)
        self.calm = np.full(len(x), CALM)
        self.calm[times] = CALM_TIME
        self.calm *= self.calmness
        self.calm[times.stop :] = CALM_SHARING
        self.hessian_places = (
            np.concatenate([*rows, every]),
            np.concatenate([*columns, every]),
        )

    def _upper(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        found = self._triu.get(n)
        if found is None:
            found = self._triu[n] = np.triu_indices(n)
        return found

    @staticmethod
    def _square(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        i, j = np.triu_indices(len(columns))
        a, b = columns[i], columns[j]
        return np.minimum(a, b), np.maximum(a, b)

    # -- evaluation ------------------------------------------------------------------------

    def evaluate(self, x: np.ndarray) -> Evaluation:
        """Cost, constraints and all derivatives at one point."""
        if self._last is not None and np.array_equal(x, self._last.x):
            return self._last
        u = self.variables.unpack(x)
        rows, gradient = Rows(), np.zeros(len(x))
        costs = {"time": 0.0, "torque": 0.0, "jerk": 0.0}
        hessian: list[np.ndarray] = []
        self._hessian_columns: list[np.ndarray] = []
        self._curved: list[Curved] = []
        for phase in range(self.layout.phases):
            self._phase(u, phase, rows, gradient, costs, hessian)
        weights = self.options.time_weight
        costs["time"] = weights * float(u.durations.sum())
        gradient[self.variables.time_at : self.variables.time_at + len(u.durations)] += weights
        found = Evaluation(
            x.copy(),
            sum(costs.values()),
            gradient,
            rows,
            hessian,
            costs,
            np.concatenate(rows.value),
            rows.nonzeros(),
            self._curved,
        )
        self._last = found
        return found

    def _phase(
        self,
        u: Unpacked,
        phase: int,
        rows: Rows,
        gradient: np.ndarray,
        costs: dict[str, float],
        hessian: list[np.ndarray],
    ) -> None:
        order, spans, nv = self.options.order, self.layout.spans[phase], self.chart.nv
        basis, at = self.instants(u, phase, self.shares(phase))
        loaded = load(at, self.sharing(u, phase), self.chains(phase))
        found = quantities(self.stage, self.stage.phases[phase], at, loaded, self.swings[phase])
        E = np.stack([basis.value, basis.rate, basis.bend])
        ticks, time_columns = self._by_time(u, phase, basis, at)
        sharing_columns = self.variables.sharing_columns(phase)
        points = self.layout.points(phase)
        T = float(u.durations[phase])
        weights = np.sqrt(quadrature(order) * T / spans * 2.0 * self.options.torque_weight)
        C = nodes_to_bernstein(order)
        active = self.active.spans[phase]
        for span in range(spans):
            nodes = slice(span * order, (span + 1) * order + 1)
            touched = self.layout.touched(phase, span)
            columns = np.concatenate(
                [
                    (points[touched][:, None] * nv + np.arange(nv)).ravel(),
                    time_columns,
                    sharing_columns,
                ]
            )
            J = _chain(
                loaded.tau_by[:, nodes],
                E[:, nodes][:, :, touched],
                ticks[:, :, nodes],
                loaded.tau_by_sharing[:, nodes],
            )
            residual = weights[:, None] * loaded.tau[nodes]
            slope = weights[:, None, None] * J
            slope[:, :, len(touched) * nv] += residual * (0.5 / T)
            flat, r = slope.reshape(-1, len(columns)), residual.ravel()
            costs["torque"] += 0.5 * float(r @ r)
            np.add.at(gradient, columns, r @ flat)
            hessian.append(flat)
            self._hessian_columns.append(columns)
            chosen = np.flatnonzero(active[span])
            if len(chosen):
                self._span_rows(
                    rows, phase, span, found, chosen, C, E, ticks, touched, columns, active
                )
        self._jerk(u, phase, gradient, costs, hessian)
        self._contacts(u, phase, at, E, ticks, time_columns, points, rows)
        self._tasks(phase, at, E, ticks, time_columns, points, rows)
        self._linear(u, phase, points, time_columns, rows)
        self._clear(phase, at, E, ticks, time_columns, points, rows)

    def _span_rows(
        self, rows, phase, span, found, chosen, C, E, ticks, touched, columns, active
    ) -> None:
        order, kinds = self.options.order, self.kinds[phase]
        nodes = slice(span * order, (span + 1) * order + 1)
        J = _chain(
            found.by[:, nodes][:, :, chosen],
            E[:, nodes][:, :, touched],
            ticks[:, :, nodes],
            found.by_sharing[:, nodes][:, :, chosen],
        )
        value = C @ found.value[nodes][:, chosen]
        block = np.tensordot(C, J, axes=1)  # (order + 1, chosen, columns)
        keep = np.ones((order + 1, len(chosen)), dtype=bool)
        if span + 1 < len(active):
            keep[-1] = ~active[span + 1][chosen]  # the next span begins with the same number
        _, j = np.nonzero(keep)
        names = []
        if self._naming:
            names = [(kinds.family[chosen[i]], kinds.what[chosen[i]], phase) for i in j]
        rows.add(
            value[keep],
            kinds.floor(span, len(active))[chosen[j]],
            kinds.upper[chosen[j]],
            block[keep],
            columns,
            names,
        )

    def _by_time(
        self, u: Unpacked, phase: int, basis: PhaseBasis, at: Instants
    ) -> tuple[np.ndarray, np.ndarray]:
        """How q, v and a change with the durations, (durations, 3, n, nv), and their columns."""
        T, first = u.durations[phase], self.variables.time_at + phase
        stretch = np.stack([np.zeros_like(at.q), -at.v / T, -2.0 * at.a / T])
        if phase == 0:
            return stretch[None], np.array([first])
        points = u.places[self.layout.points(phase)]
        by = np.stack([basis.value_by_ratio, basis.rate_by_ratio, basis.bend_by_ratio]) @ points
        r = self.layout.ratio(phase, u.durations)
        before = -by * (r / u.durations[phase - 1])
        return np.stack([stretch + by * (r / T), before]), np.array([first, first - 1])

    def _jerk(self, u, phase, gradient, costs, hessian) -> None:
        """The jerk is constant on a span; its square is exact, and so is its Gauss-Newton part."""
        spans, nv, T = self.layout.spans[phase], self.chart.nv, float(u.durations[phase])
        r = self.layout.ratio(phase, u.durations)
        M, dM = self.layout.mixing(phase, r)
        D = rate_matrix(spans, DEGREE, 3).toarray()
        free = self.layout.points(phase)
        points = u.places[free]
        scale = np.sqrt(2.0 * self.options.jerk_weight * T / spans) / T**3
        A = scale * (D @ M)  # (spans, free)
        residual = A @ points  # (spans, nv)
        by_T = -2.5 / T * residual
        columns = (free[:, None] * nv + np.arange(nv)).ravel()
        times = [self.variables.time_at + phase]
        slopes = [by_T]
        if phase > 0:
            by_ratio = scale * (D @ dM) @ points
            slopes = [by_T + by_ratio * (r / T), -by_ratio * (r / u.durations[phase - 1])]
            times.append(self.variables.time_at + phase - 1)
        costs["jerk"] += 0.5 * float((residual**2).sum())
        np.add.at(gradient, columns, (A.T @ residual).ravel())
        for time, slope in zip(times, slopes, strict=True):
            gradient[time] += float((residual * slope).sum())
        wide = np.zeros((nv, spans, len(free) + len(times)))  # coordinates do not mix
        wide[:, :, : len(free)] = A
        for k, slope in enumerate(slopes):
            wide[:, :, len(free) + k] = slope.T
        H = wide.transpose(0, 2, 1) @ wide
        i, j = np.triu_indices(H.shape[1])
        hessian.append(H[:, i, j].ravel())
        mine = np.hstack([free * nv + np.arange(nv)[:, None], np.tile(times, (nv, 1))])
        self._hessian_columns += list(mine)

    def _contacts(self, u, phase, at, E, ticks, time_columns, points, rows) -> None:
        for h, nodes in self._held[phase].items():
            if not len(nodes):
                continue
            hold = self.stage.holds[h]
            slot = self.variables.slots[h]
            R, p, J = at.R[hold.joint][nodes], at.p[hold.joint][nodes], at.J[nodes]
            value, by_q, by_float = hold.residual(R, p, J, u.floats[slot])
            scale = np.full(hold.rows, 1.0 / LENGTH)
            what = (CONTACT, hold.name, phase)
            x = p + R @ hold.T_joint_contact.translation
            chain = np.flatnonzero(hold.chain)
            Jx = point_jacobian(J, x, hold.chain)[:, :, chain]
            axes = hold.T_world_surface.rotation / LENGTH
            turned = hold.pose(u.floats[slot]).rotation / LENGTH
            for k, node in enumerate(nodes):
                told = rows.count + np.arange(6)
                if hold.turns:
                    told[3:] = -1
                self._bends(phase, node, told, axes, turned, Jx[k], J[k, 3:, chain].T, chain, E)
                self._instant_rows(
                    rows,
                    phase,
                    node,
                    value[k] * scale,
                    0.0,
                    0.0,
                    {0: by_q[k] * scale[:, None]},
                    np.flatnonzero(hold.chain),
                    (by_float[k] * scale[:, None], self.variables.float_columns(h)),
                    E,
                    ticks,
                    time_columns,
                    points,
                    [what] * hold.rows,
                )

    def _tasks(self, phase, at, E, ticks, time_columns, points, rows) -> None:
        spans = self.layout.spans[phase]
        for task in self.stage.tasks:
            if task.phase != phase:
                continue
            node = round(task.share * spans) * self.options.order
            value, by, lower, upper = task_rows(task, at, node)
            chain = np.flatnonzero(task.chain)
            x = at.p[task.joint][node] + at.R[task.joint][node] @ task.point
            Jx = point_jacobian(at.J[[node]], x[None], task.chain)[0][:, chain]
            wanted = np.isfinite(task.low) | np.isfinite(task.high)
            told = np.full(6, -1)
            told[:3][wanted] = rows.count + np.arange(int(wanted.sum()))
            axes, spin = np.eye(3) / LENGTH, at.J[node][3:, chain]
            self._bends(phase, node, told, axes, np.zeros((3, 3)), Jx, spin, chain, E)
            self._instant_rows(
                rows,
                phase,
                node,
                value,
                lower,
                upper,
                by,
                np.flatnonzero(task.chain),
                None,
                E,
                ticks,
                time_columns,
                points,
                [(REACHING, task.name, phase)] * len(value),
            )

    def _bends(self, phase, node, told, axes, turned, Jx, spin, chain, E) -> None:
        order, spans, nv = self.options.order, self.layout.spans[phase], self.chart.nv
        touched = self.layout.touched(phase, min(node // order, spans - 1))
        points = self.layout.points(phase)[touched]
        columns = (points[:, None] * nv + chain).ravel()
        basis = E[0, node, touched]
        self._curved.append(Curved(told, axes, turned, Jx, spin, basis, columns))

    def _instant_rows(
        self,
        rows,
        phase,
        node,
        value,
        lower,
        upper,
        by,
        chain,
        more,
        E,
        ticks,
        times,
        points,
        names,
    ) -> None:
        """Rows at one node: derivatives `by` order 0, 1, 2 of the coordinates in a chain."""
        order, spans, nv = self.options.order, self.layout.spans[phase], self.chart.nv
        span = min(node // order, spans - 1)
        touched = self.layout.touched(phase, span)
        block = np.zeros((len(value), len(touched), len(chain)))
        by_time = np.zeros((len(value), len(times)))
        for i, D in by.items():
            block += D[:, None, chain] * E[i, node, touched][:, None]
            by_time += np.stack([D @ tick[i, node] for tick in ticks], axis=1)
        columns = [(points[touched][:, None] * nv + chain).ravel(), times]
        blocks = [block.reshape(len(value), -1), by_time]
        if more is not None:
            blocks.append(more[0])
            columns.append(more[1])
        rows.add(
            value, lower, upper, np.concatenate(blocks, axis=1), np.concatenate(columns), names
        )

    def _linear(self, u, phase, points, time_columns, rows) -> None:
        """Limits of speeds, and of positions that are not unknowns, on control points."""
        spans, nv, T = self.layout.spans[phase], self.chart.nv, float(u.durations[phase])
        r = self.layout.ratio(phase, u.durations)
        M, dM = self.layout.mixing(phase, r)
        places = u.places[points]
        limit = np.concatenate([np.full(6, np.inf), self.chart.robot.velocity_limit])
        D = rate_matrix(spans, DEGREE, 1).toarray() / T
        top = 1.0 - self.options.margin
        tables = [
            (SPEED, D @ M, D @ dM, -1.0 / T, self.active.speeds[phase], limit),
            (POSITION, M, dM, 0.0, self.active.places[phase], np.ones(nv)),
        ]
        for family, A, dA, by_T, wanted, scale in tables:
            value, by_ratio = A @ places, dA @ places
            for k in np.flatnonzero(wanted.any(axis=1)):
                dofs = np.flatnonzero(wanted[k])
                mine = np.flatnonzero(np.abs(A[k]) + np.abs(dA[k]) > 0.0)
                times = [by_T * value[k, dofs]]
                if phase > 0:
                    times = [times[0] + by_ratio[k, dofs] * r / T]
                    times.append(-by_ratio[k, dofs] * r / u.durations[phase - 1])
                block = np.column_stack([np.tile(A[k, mine], (len(dofs), 1)), *times])
                columns = [points[mine] * nv + dofs[:, None], np.tile(time_columns, (len(dofs), 1))]
                if family == SPEED:
                    low, high = np.full(len(dofs), -top), np.full(len(dofs), top)
                else:
                    low, high = self.stage.lower[dofs], self.stage.upper[dofs]
                rows.add(
                    value[k, dofs] / scale[dofs],
                    low,
                    high,
                    block / scale[dofs, None],
                    np.hstack(columns),
                    [(family, self.chart.names[d], phase) for d in dofs],
                )

    def _clear(self, phase, at, E, ticks, time_columns, points, rows) -> None:
        """Distances between links, and to what stands around, on spans where they matter."""
        pairs = self.active.pairs[phase]
        if not pairs or self.obstacles is None:
            return
        order, spans, nv = self.options.order, self.layout.spans[phase], self.chart.nv
        C = nodes_to_bernstein(order)
        for pair, wanted in pairs.items():
            chosen = np.flatnonzero(wanted)
            nodes = np.unique(chosen[:, None] * order + np.arange(order + 1))
            values, by_qs = self.obstacles.distances(pair, at, nodes)
            spot = np.full(spans * order + 1, -1)
            spot[nodes] = np.arange(len(nodes))
            least, chain = self.obstacles.least(pair, phase), self.obstacles.chain(pair)
            name = (CLEARANCE, self.obstacles.name(pair), phase)
            for span in chosen:
                here = slice(span * order, (span + 1) * order + 1)
                mine = spot[here]
                by_q = by_qs[mine]
                touched = self.layout.touched(phase, int(span))
                J = by_q[:, None, chain] * E[0, here][:, touched][..., None]
                by_time = np.stack([(by_q * tick[0, here]).sum(axis=1) for tick in ticks], axis=1)
                block = np.concatenate([J.reshape(order + 1, -1), by_time], axis=1)
                keep = order + 1 if span + 1 == spans or not wanted[span + 1] else order
                rows.add(
                    (C[:keep] @ values[mine]) / LENGTH,
                    np.array(least / LENGTH),
                    np.array(np.inf),
                    (C[:keep] @ block) / LENGTH,
                    np.concatenate([(points[touched][:, None] * nv + chain).ravel(), time_columns]),
                    [name] * keep,
                )


def _chain(by: np.ndarray, E: np.ndarray, ticks: np.ndarray, by_sharing: np.ndarray) -> np.ndarray:
    """Derivatives of quantities at nodes by control points, durations, sharing: (k, m, columns).

    Args:
        by: by q, v and a, (3, k, m, nv).
        E: of q, v and a by the control points, (3, k, t).
        ticks: of q, v and a by the durations, (d, 3, k, nv).
        by_sharing: (s, k, m).
    """
    _, k, m, nv = by.shape
    t = E.shape[2]
    stacked = by.transpose(1, 0, 2, 3).reshape(k, 3, m * nv)
    J = (E.transpose(1, 2, 0) @ stacked).reshape(k, t, m, nv).transpose(0, 2, 1, 3)
    by_time = np.einsum("ikmj,dikj->kmd", by, ticks, optimize=True)
    return np.concatenate([J.reshape(k, m, t * nv), by_time, by_sharing.transpose(1, 2, 0)], axis=2)


def node_shares(spans: int, order: int) -> np.ndarray:
    """Chebyshev nodes of all spans as shares of the phase, ends of neighbours counted once."""
    inner = chebyshev_nodes(order)[:-1]
    return np.append((np.arange(spans)[:, None] + inner).ravel(), spans) / spans


def quadrature(order: int) -> np.ndarray:
    """Weights (order + 1,) that integrate a polynomial through the nodes over 0 .. 1."""
    return nodes_to_bernstein(order).sum(axis=0) / (order + 1)


def contact_nodes(stage: Stage, layout: Layout, order: int) -> list[dict[int, np.ndarray]]:
    """At which nodes of each phase each contact is held: as many as there are unknowns.

    A contact that lasts over some phases is a spline of its coordinates that must vanish. It is
    asked to at every knot; next to an end of the motion, where a rest takes two unknowns away, at
    one knot less; next to any other end of the contact also in the middle of the span.
    """
    found: list[dict[int, np.ndarray]] = [{} for _ in stage.phases]
    last = layout.phases - 1
    for h in range(len(stage.holds)):
        held = [h in phase.holds for phase in stage.phases]
        for p, spans in enumerate(layout.spans):
            if not held[p]:
                continue
            begins = p == 0 or not held[p - 1]
            ends = p == last or not held[p + 1]
            # the knot between two phases of one contact belongs to the earlier
            nodes = list(range(0 if begins else order, spans * order + 1, order))
            if begins:
                if p == 0:
                    nodes = [k for k in nodes if k > order]  # the start is given
                else:
                    nodes.append(order // 2)
            if ends:
                if p == last:
                    nodes = [k for k in nodes if k != (spans - 1) * order]
                    if stage.end is not None:
                        nodes = [k for k in nodes if k != spans * order]
                else:
                    nodes.append(spans * order - order // 2)
            found[p][h] = np.array(sorted(nodes), dtype=int)
    return found


def task_rows(task: Task, at: Instants, node: int) -> tuple:
    """Values, derivatives and limits of a task at one node."""
    R, p, J = at.R[task.joint][node], at.p[task.joint][node], at.J[node]
    x = p + R @ task.point
    Jx = point_jacobian(J[None], x[None], task.chain)[0]
    wanted = np.isfinite(task.low) | np.isfinite(task.high)
    value = x[wanted] / LENGTH
    by = {0: Jx[wanted] / LENGTH, 1: np.zeros((int(wanted.sum()), len(task.chain)))}
    lower, upper = task.low[wanted] / LENGTH, task.high[wanted] / LENGTH
    if task.direction is not None:
        v = at.v[node]
        n = task.direction
        columns = np.where(task.chain, J, 0.0)
        V = columns @ v
        behind = V[:, None] - np.cumsum(columns * v, axis=1)  # of coordinates further out
        turned = np.cross(columns[3:], behind[:3], axis=0) + np.cross(
            columns[:3], behind[3:], axis=0
        )
        spun = np.cross(columns[3:], behind[3:], axis=0)
        change = turned + np.cross(spun, x[:, None], axis=0) + np.cross(V[3:, None], Jx, axis=0)
        value = np.append(value, n @ (Jx @ v))
        by[0] = np.vstack([by[0], np.where(task.chain, n @ change, 0.0)])
        by[1] = np.vstack([by[1], n @ Jx])
        lower, upper = np.append(lower, task.speed), np.append(upper, np.inf)
    return value, by, lower, upper
