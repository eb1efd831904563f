"""One phase at one point of the program: the robot at its nodes, and how that depends on x."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from poise.engines.multicontact.dynamics import Dynamics, load
from poise.engines.multicontact.layout import Layout, spline_basis
from poise.engines.multicontact.sharing import Grip, Sharing, share
from poise.engines.multicontact.stage import Hold, Stage
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
    def bases(self) -> np.ndarray:
        """Splines and their slopes by shares of the phase, at the nodes, (3 n, spans + 3)."""
        orders = [spline_basis(self.spans, self.shares, order) for order in range(3)]
        return np.stack(orders, axis=1).reshape(3 * len(self.shares), -1)

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


class Stretch:
    """A phase at one point of the program.

    Everything is computed at once: phases are evaluated side by side, and what waits to be asked
    for would make them wait for each other.

    Args:
        ground: the phase.
        u: the point.
        dynamics: of the robot.
    """

    def __init__(self, ground: Ground, u: Unpacked, dynamics: Dynamics) -> None:
        self.ground, self.u = ground, u
        self.duration = float(u.durations[ground.phase])  # [s]
        self.ratio = ground.layout.ratio(ground.phase, u.durations)  # its span over the one before
        # all control points of the phase from its free ones, and the derivative by the ratio
        self.mixing = ground.layout.mixing(ground.phase, self.ratio)
        # of q, v and a by the control points, (n, 3, points); and by the ratio
        self.E, by_ratio = (self._basis(M) for M in self.mixing)
        self.at = at = dynamics(*_moves(self.E, u.places[ground.points]))
        self.sharing = sharing_of(ground, u)
        self.loaded = load(at, self.sharing, ground.chains)
        self.ticks = self._ticks(by_ratio)
        self.mixed = self._mixed()

    @property
    def by_times(self) -> tuple[float, ...]:
        """Derivatives of the ratio by the durations of `times`."""
        if self.ground.phase == 0:
            return (0.0,)
        before = float(self.u.durations[self.ground.phase - 1])
        return self.ratio / self.duration, -self.ratio / before

    def _basis(self, M: np.ndarray) -> np.ndarray:
        """Of q, v and a at the nodes, by what M (spans + 3, points) makes control points of."""
        E = (self.ground.bases @ M).reshape(-1, 3, M.shape[1])
        E[:, 1] /= self.duration
        E[:, 2] /= self.duration**2
        return E

    def _ticks(self, by_ratio: np.ndarray) -> np.ndarray:
        """How q, v and a change with the durations of `times`, (n, 3, nv, d)."""
        at, T = self.at, self.duration
        found = np.zeros((len(at.q), 3, self.ground.nv, len(self.ground.times)))
        if self.ground.phase > 0:
            by = by_ratio @ self.u.places[self.ground.points]
            for d, slope in enumerate(self.by_times):
                np.multiply(by, slope, out=found[..., d])
        found[:, 1, :, 0] -= at.v / T
        found[:, 2, :, 0] -= at.a * (2.0 / T)
        return found

    def _mixed(self) -> list[np.ndarray]:
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


def _moves(E: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Coordinates, rates and accelerations, (3, n, nv)."""
    return np.ascontiguousarray((E @ points).transpose(1, 0, 2))


def sharing_of(ground: Ground, u: Unpacked) -> Sharing:
    """How the contacts of a phase share the wrench."""
    holds = ground.stage.phases[ground.phase].holds
    slots = ground.variables.slots
    grips = [_grip(ground.stage.holds[h], tuple(u.floats[slots[h]].tolist())) for h in holds]
    return share(grips, u.log_beta[ground.phase])


@lru_cache(maxsize=64)
def _grip(hold: Hold, floats: tuple[float, ...]) -> Grip:
    """A contact as the force distribution sees it: once for all phases that have it."""
    return hold.grip(np.array(floats))


def node_shares(spans: int, order: int) -> np.ndarray:
    """Chebyshev nodes of all spans as shares of the phase, ends of neighbours counted once."""
    inner = chebyshev_nodes(order)[:-1]
    return np.append((np.arange(spans)[:, None] + inner).ravel(), spans) / spans
