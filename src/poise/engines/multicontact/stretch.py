"""One phase at one point of the program: the robot at its nodes, and how that depends on x."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.dynamics import Dynamics, load, moved_by
from poise.engines.multicontact.layout import Layout, spline_basis
from poise.engines.multicontact.sharing import Grip, Sharing, share
from poise.engines.multicontact.stage import Hold, Stage
from poise.engines.multicontact.variables import Unpacked, Variables
from poise.trajectories.chebyshev import chebyshev_nodes


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
    def moved(self) -> np.ndarray:
        """Which coordinates move which contact of the phase, (contacts, nv) of bool."""
        return moved_by(self.chains, self.nv)

    @cached_property
    def block(self) -> slice:
        """Unknowns of all its control points: these are consecutive."""
        return slice(int(self.points[0]) * self.nv, (int(self.points[-1]) + 1) * self.nv)

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

    Args:
        ground: the phase.
        u: the point.
        dynamics: of the robot.
    """

    def __init__(self, ground: Ground, u: Unpacked, dynamics: Dynamics) -> None:
        self.ground, self.u = ground, u
        self.duration = float(u.durations[ground.phase])  # [s]
        self.ratio = ground.layout.ratio(ground.phase, u.durations)  # its span over the one before
        self.by_times = self._by_times()  # derivatives of the ratio by the durations of `times`
        # all control points of the phase from its free ones, and the derivative by the ratio
        self.mixing = ground.layout.mixing(ground.phase, self.ratio)
        self.places = u.places[ground.points[0] : ground.points[-1] + 1]
        n, nv = len(ground.shares), ground.nv
        # of q, v and a by the control points; and how they change with the durations of `times`
        self.E = np.empty((n, 3, len(ground.points)))
        self.ticks = np.empty((n, 3, nv, len(ground.times)))
        moves = np.empty((3, n, nv))
        _move(
            *(ground.bases, *self.mixing, self.places, self.duration, self.by_times),
            *(self.E, moves, self.ticks),
        )
        self.at = dynamics(*moves)
        self.sharing = sharing_of(ground, u)
        self.loaded = load(self.at, self.sharing, ground.moved)

    def _by_times(self) -> np.ndarray:
        if self.ground.phase == 0:
            return np.zeros(1)
        before = float(self.u.durations[self.ground.phase - 1])
        return np.array([self.ratio / self.duration, -self.ratio / before])


@compiled_alone
def _move(bases, M, dM, places, T, by_times, E, moves, ticks):
    """Fill in slopes by control points, coordinates with their rates, slopes by durations."""
    n, nv = moves.shape[1], moves.shape[2]
    wide = E.reshape(3 * n, E.shape[2])
    np.dot(bases, M, wide)
    by_ratio = np.dot(bases, np.dot(dM, places)).reshape(n, 3, nv)
    for k in range(n):
        for d in range(3):
            scale = 1.0 if d == 0 else 1.0 / T if d == 1 else 1.0 / (T * T)
            for i in range(E.shape[2]):
                E[k, d, i] *= scale
            for c in range(nv):
                by_ratio[k, d, c] *= scale
    moved = np.dot(wide, places).reshape(n, 3, nv)
    for k in range(n):
        for d in range(3):
            for c in range(nv):
                moves[d, k, c] = moved[k, d, c]
                for t in range(len(by_times)):
                    ticks[k, d, c, t] = by_ratio[k, d, c] * by_times[t]
                ticks[k, d, c, 0] -= d / T * moved[k, d, c]


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
