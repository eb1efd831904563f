"""One phase at one point of the program: the robot at its nodes, and how that depends on x."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.engines.multicontact.dynamics import Instants, Loaded, load
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.sharing import Sharing, share
from poise.engines.multicontact.stage import Stage
from poise.engines.multicontact.variables import Unpacked, Variables
from poise.trajectories.chebyshev import chebyshev_nodes, nodes_to_bernstein


@dataclass(frozen=True, eq=False)
class Ground:
    """What does not change while a program is solved, of one phase."""

    stage: Stage
    layout: Layout
    variables: Variables
    phase: int
    order: int  # of the polynomial that stands for a constraint on one span

    @property
    def spans(self) -> int:
        """How many."""
        return self.layout.spans[self.phase]

    @property
    def nv(self) -> int:
        """Number of coordinates."""
        return self.variables.nv

    @cached_property
    def points(self) -> np.ndarray:
        """Free control points that the phase depends on, rising."""
        return self.layout.points(self.phase)

    @cached_property
    def shares(self) -> np.ndarray:
        """Where the nodes are, as shares of the phase, (n,)."""
        return node_shares(self.spans, self.order)

    @cached_property
    def times(self) -> np.ndarray:
        """Unknowns of the durations that matter: its own, and the one before."""
        own = self.variables.time_at + self.phase
        return np.array([own] if self.phase == 0 else [own, own - 1])

    @cached_property
    def sharing_columns(self) -> np.ndarray:
        """Unknowns behind the parameters of the sharing."""
        return self.variables.sharing_columns(self.phase)

    @cached_property
    def chains(self) -> list[np.ndarray]:
        """Coordinates that move each contact of the phase."""
        return [self.stage.holds[h].chain for h in self.stage.phases[self.phase].holds]

    @cached_property
    def touched(self) -> list[np.ndarray]:
        """Positions in `points` that matter, span by span."""
        return [self.layout.touched(self.phase, span) for span in range(self.spans)]

    def nodes(self, span: int) -> slice:
        """Those of a span."""
        return slice(span * self.order, (span + 1) * self.order + 1)

    def span_of(self, node: int) -> int:
        """The span that a node is counted to."""
        return min(node // self.order, self.spans - 1)

    def columns(self, touched: np.ndarray, coordinates: np.ndarray | None = None) -> np.ndarray:
        """Unknowns of some coordinates (all) of control points, (t, c)."""
        mine = np.arange(self.nv) if coordinates is None else coordinates
        return self.points[touched][:, None] * self.nv + mine


@dataclass(frozen=True, eq=False)
class Stretch:
    """A phase at one point of the program."""

    ground: Ground
    u: Unpacked
    E: np.ndarray  # (n, 3, points), of q, v and a by the control points
    E_by_ratio: np.ndarray  # (n, 3, points), and how it changes with the ratio of the spans
    at: Instants

    @property
    def duration(self) -> float:
        """Of the phase [s]."""
        return float(self.u.durations[self.ground.phase])

    @cached_property
    def ratio(self) -> float:
        """Its span over the one before."""
        return self.ground.layout.ratio(self.ground.phase, self.u.durations)

    @cached_property
    def by_times(self) -> tuple[float, ...]:
        """Derivatives of the ratio by the durations of `times`."""
        if self.ground.phase == 0:
            return (0.0,)
        before = float(self.u.durations[self.ground.phase - 1])
        return self.ratio / self.duration, -self.ratio / before

    @cached_property
    def ticks(self) -> np.ndarray:
        """How q, v and a change with the durations of `times`, (n, 3, nv, d)."""
        at, T = self.at, self.duration
        found = np.zeros((len(at.q), 3, self.ground.nv, len(self.ground.times)))
        if self.ground.phase > 0:
            by = self.E_by_ratio @ self.u.places[self.ground.points]
            for d, slope in enumerate(self.by_times):
                np.multiply(by, slope, out=found[..., d])
        found[:, 1, :, 0] -= at.v / T
        found[:, 2, :, 0] -= at.a * (2.0 / T)
        return found

    @cached_property
    def sharing(self) -> Sharing:
        """How the contacts share the wrench."""
        return sharing_of(self.ground, self.u)

    @cached_property
    def loaded(self) -> Loaded:
        """Torques and forces."""
        return load(self.at, self.sharing, self.ground.chains)

    @cached_property
    def mixed(self) -> list[np.ndarray]:
        """Values, rates, accelerations at a span's nodes to Bernstein coefficients' slopes.

        One matrix ((order + 1) t, 3 (order + 1)) a span: rows (coefficient, control point),
        columns (node, derivative).
        """
        C = nodes_to_bernstein(self.ground.order)
        found = []
        for span, touched in enumerate(self.ground.touched):
            E = self.E[self.ground.nodes(span)][:, :, touched]  # (k, 3, t)
            A = C[:, None, :, None] * E.transpose(2, 0, 1)  # (b, t, k, 3)
            found.append(A.reshape(len(C) * len(touched), -1))
        return found


def stretch_basis(ground: Ground, u: Unpacked) -> tuple[np.ndarray, np.ndarray]:
    """Of q, v and a at the nodes by the control points, and by ratio, (n, 3, points) each."""
    basis = ground.layout.basis(ground.phase, ground.shares, u.durations)
    values = np.stack([basis.value, basis.rate, basis.bend], axis=1)
    slopes = [basis.value_by_ratio, basis.rate_by_ratio, basis.bend_by_ratio]
    return values, np.stack(slopes, axis=1)


def sharing_of(ground: Ground, u: Unpacked) -> Sharing:
    """How the contacts of a phase share the wrench."""
    holds = ground.stage.phases[ground.phase].holds
    slots = ground.variables.slots
    grips = [ground.stage.holds[h].grip(u.floats[slots[h]]) for h in holds]
    return share(grips, u.log_beta[ground.phase])


def node_shares(spans: int, order: int) -> np.ndarray:
    """Chebyshev nodes of all spans as shares of the phase, ends of neighbours counted once."""
    inner = chebyshev_nodes(order)[:-1]
    return np.append((np.arange(spans)[:, None] + inner).ravel(), spans) / spans
