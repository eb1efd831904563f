"""What a motion keeps at all times, span by span, and by how much.

Every constraint is sampled at more nodes than the solver saw, turned into a polynomial and bounded
by its Bernstein coefficients, halved where that is loose. What the polynomial leaves out is
estimated from samples between the nodes and added to the bound. That estimate is what keeps it
short of a proof: it is measured, not enclosed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.engines.multicontact.active import Active
from poise.engines.multicontact.collisions import NEAR as CLOSE_BY
from poise.engines.multicontact.dynamics import load
from poise.engines.multicontact.problem import Problem
from poise.engines.multicontact.quantities import quantities
from poise.engines.multicontact.rows_of_contacts import CONTACT
from poise.engines.multicontact.rows_of_distances import CLEARANCE
from poise.engines.multicontact.rows_of_splines import POSITION, SPEED
from poise.engines.multicontact.variables import Unpacked
from poise.trajectories.chebyshev import (
    bernstein_basis,
    bounds,
    chebyshev_nodes,
    nodes_to_bernstein,
)
from poise.trajectories.spline_maps import rate_matrix

ORDER = 8  # of the polynomials that bound
HALVINGS = 2
SAFETY = 2.0  # times the largest remainder seen between the nodes
MOST_EXCESS = 5e-3  # [1], of a limit
MOST_ERROR = 1e-4  # [m], of a contact
BEYOND = 5e-5  # [rad], of a joint's range: its bound is exact, and joints end there
NEAR = 0.85  # of the way to a limit: such constraints enter the program before they are violated


@dataclass(frozen=True)
class Bound:
    """One family of constraints over the whole motion."""

    family: str
    unit: str
    worst: float  # certified bound of the tightest one [unit]
    limit: float  # [unit]
    excess: float  # of the limit, share; negative is room
    remainder: float  # estimated, of the same one [unit]
    where: str
    phase: str
    span: int

    def to_json(self) -> dict[str, Any]:
        """As the recipe of a motion keeps it."""
        return {
            k: v if not isinstance(v, float) or np.isfinite(v) else None
            for k, v in vars(self).items()
        }


@dataclass(frozen=True, eq=False)
class Certificate:
    """Bounds of all families, and where the program overlooked something."""

    bounds: tuple[Bound, ...]
    active: Active  # constraints that are violated or nearly so
    errors: tuple[float, ...]  # [m, rad], bound of the contacts' errors in each phase
    contact_error: float  # [m], bound
    contact_turn: float  # [rad], bound

    @property
    def excess(self) -> float:
        """The largest violation, as a share of its limit."""
        return max((b.excess for b in self.bounds if b.family != CONTACT), default=0.0)

    @property
    def holds(self) -> bool:
        """Whether every bound keeps its limit, to what a motion may be off."""
        return self.excess <= MOST_EXCESS and self.contact_error <= MOST_ERROR

    def violations(self, tolerance: float) -> list[Bound]:
        """Families over their limits by more than a share; joint ranges by hardly anything."""
        least = {POSITION: min(BEYOND, tolerance), CONTACT: np.inf}
        return [b for b in self.bounds if b.excess > least.get(b.family, tolerance)]


UNITS = {
    "joint torque": "N m",
    "pressing force": "N",
    "friction": "N",
    "vertical force": "N",
    "load": "N",
    "height of a sole": "m",
}


def certify(
    problem: Problem, x: np.ndarray, contact_limit: float = 1e-4, watchful: bool = False
) -> Certificate:
    """Bound every constraint of a motion on every span.

    Args:
        problem: of the motion.
        x: the motion.
        contact_limit: how far a contact may leave its place [m].
        watchful: whether solids count as near from further away.
    """
    u = problem.variables.unpack(x)
    active = problem.nothing_active()
    best: dict[str, Bound] = {}
    errors, error, turn = [], 0.0, 0.0
    for phase in range(problem.layout.phases):
        spans = problem.layout.spans[phase]
        nodes = chebyshev_nodes(ORDER)
        between = 0.5 * (nodes[1:] + nodes[:-1])
        u_all = np.concatenate([nodes, between])
        share = np.clip(((np.arange(spans)[:, None] + u_all) / spans).ravel(), 0.0, 1.0)
        at = problem.instants(u, phase, share)
        loaded = load(at, problem.sharing(u, phase), problem.moved(phase))
        stage_phase = problem.stage.phases[phase]
        values = quantities(problem.stage, stage_phase, at, loaded, problem.swings[phase])
        kinds = problem.kinds[phase]
        low, high, rest = _bound(values.reshape(spans, len(u_all), -1))
        _continuous(problem, phase, kinds, low, high, rest, active, best)
        _splines(problem, u, phase, active, best)
        if problem.obstacles is not None:
            _distances(problem, phase, at, spans, len(u_all), active, best, watchful)
        off, off_turn, where, span = _contact_error(problem, u, phase, at, spans, len(u_all))
        error, turn = max(error, off), max(turn, off_turn)
        errors.append(max(off, off_turn))
        _keep(
            best,
            Bound(
                CONTACT,
                "m",
                off,
                contact_limit,
                off / contact_limit - 1.0,
                0.0,
                where,
                stage_phase.name,
                span,
            ),
        )
    order = [k for k in best if k != CONTACT] + [k for k in best if k == CONTACT]
    return Certificate(tuple(best[k] for k in order), active, tuple(errors), error, turn)


def _bound(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounds of quantities on spans (spans, m), from samples (spans, nodes then between, m)."""
    C = nodes_to_bernstein(ORDER)
    nodes = chebyshev_nodes(ORDER)
    coefficients = np.einsum("ij,sjm->ism", C, samples[:, : ORDER + 1])
    between = 0.5 * (nodes[1:] + nodes[:-1])
    guessed = np.einsum("bi,ism->sbm", bernstein_basis(ORDER, between), coefficients)
    rest = SAFETY * np.abs(guessed - samples[:, ORDER + 1 :]).max(axis=1)
    low, high = bounds(coefficients, HALVINGS)
    return low - rest, high + rest, rest


def _continuous(problem, phase, kinds, low, high, rest, active, best) -> None:
    slack = problem.options.margin
    for m, (family, what) in enumerate(zip(kinds.family, kinds.what, strict=True)):
        lower, upper, unit = kinds.lower[m], kinds.upper[m], kinds.unit[m]
        # limits as they were asked for, without what is kept for polynomials
        if family == "joint torque":
            true_low, true_high, scale = -1.0, 1.0, 1.0
        elif family == "vertical force":
            a, b = problem.stage.vertical
            true_low, true_high, scale = a / unit, b / unit, 1.0
        elif family == "load":
            true_low, true_high, scale = -np.inf, upper / (1.0 - slack), 1.0
        elif family == "height of a sole":
            true_low, true_high, scale = -0.005, np.inf, 1.0
        else:  # forces may touch zero; a newton of the weight is what counts
            true_low, true_high, scale = 0.0, np.inf, 1.0
        over = np.maximum(true_low - low[:, m], high[:, m] - true_high)
        room = np.maximum(lower - low[:, m], high[:, m] - upper)
        wide = upper - lower if np.isfinite(upper - lower) else 0.02
        active.spans[phase][:, m] |= room > -(1.0 - NEAR) * wide / 2.0
        span = int(over.argmax())
        upside = high[span, m] - true_high >= true_low - low[span, m]
        value, limit = (high, true_high) if upside else (low, true_low)
        _keep(
            best,
            Bound(
                family,
                UNITS[family],
                float(value[span, m] * unit),
                float(limit * unit),
                float(over[span] / scale),
                float(rest[span, m] * unit),
                what,
                problem.stage.phases[phase].name,
                span,
            ),
        )


def _splines(problem: Problem, u: Unpacked, phase: int, active: Active, best: dict) -> None:
    """Positions and speeds by control points: exact, no remainder."""
    spans, T = problem.layout.spans[phase], u.durations[phase]
    control = problem.layout.control_points(u.places, u.durations)[phase]
    rates = rate_matrix(spans, 3, 1).toarray() @ control / T
    robot, names = problem.chart.robot, problem.chart.names
    name = problem.stage.phases[phase].name
    limit = np.where(robot.velocity_limit > 0.0, robot.velocity_limit, np.inf)
    use = np.abs(rates[:, 6:]) / limit
    active.speeds[phase][:, 6:] |= use > NEAR
    k, j = np.unravel_index(use.argmax(), use.shape)
    _keep(
        best,
        Bound(
            SPEED,
            "rad/s",
            float(abs(rates[k, 6 + j])),
            float(limit[j]),
            float(use[k, j] - 1.0),
            0.0,
            names[6 + j],
            name,
            int(min(k, spans - 1)),
        ),
    )
    lower, upper = problem.stage.lower, problem.stage.upper
    over = np.maximum(lower - control, control - upper)[:, 6:]
    if phase > 0:
        active.places[phase][1:3, 6:] |= over[1:3] > -0.02
    k, j = np.unravel_index(over.argmax(), over.shape)
    high = control[k, 6 + j] - upper[6 + j] > lower[6 + j] - control[k, 6 + j]
    _keep(
        best,
        Bound(
            POSITION,
            "rad",
            float(control[k, 6 + j]),
            float(upper[6 + j] if high else lower[6 + j]),
            float(over[k, j]),
            0.0,
            names[6 + j],
            name,
            int(min(k, spans - 1)),
        ),
    )


def _distances(problem, phase, at, spans, per_span, active, best, watchful) -> None:
    """Distances on every span, by the samples: first all pairs roughly, then the near ones."""
    obstacles = problem.obstacles
    name = problem.stage.phases[phase].name
    careful = obstacles.careful(watchful)
    near = obstacles.near(at.q, careful + CLOSE_BY)
    values = obstacles.distances(near, at.q)
    for pair, value in zip(near, values.T, strict=True):
        low, _, rest = _bound(value.reshape(spans, per_span, 1))
        least = obstacles.least(pair)
        wanted = low[:, 0] < least + careful[pair]
        if wanted.any() and not obstacles.stepped[pair]:
            active.pairs[phase][pair] = wanted
        span = int(low[:, 0].argmin())
        floor = obstacles.floor(pair)
        _keep(
            best,
            Bound(
                CLEARANCE,
                "m",
                float(low[span, 0]),
                floor,
                float((floor - low[span, 0]) / 0.1),
                float(rest[span, 0]),
                obstacles.name(pair),
                name,
                span,
            ),
        )


def _contact_error(problem, u, phase, at, spans, per_span) -> tuple[float, float, str, int]:
    worst, worst_turn, where, where_span = 0.0, 0.0, "", 0
    for h in problem.stage.phases[phase].holds:
        hold = problem.stage.holds[h]
        value, _, _ = hold.residual(
            at.R[hold.joint], at.p[hold.joint], at.Jt, u.floats[problem.variables.slots[h]]
        )
        low, high, _ = _bound(value.reshape(spans, per_span, -1))
        size = np.maximum(np.abs(low), np.abs(high))
        off = np.linalg.norm(size[:, :3], axis=1)
        if not hold.turns:
            worst_turn = max(worst_turn, float(np.linalg.norm(size[:, 3:], axis=1).max()))
        if off.max() > worst:
            worst, where, where_span = float(off.max()), hold.name, int(off.argmax())
    return worst, worst_turn, where, where_span


def _keep(best: dict[str, Bound], bound: Bound) -> None:
    if bound.family not in best or bound.excess > best[bound.family].excess:
        best[bound.family] = bound
