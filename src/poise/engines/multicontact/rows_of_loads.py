"""Torques, pressing forces, friction, loads and the vertical force, on spans where they matter.

Each is a polynomial on a span, through its values at the nodes; its Bernstein coefficients are
the rows.
"""

from __future__ import annotations

import numpy as np

from poise.engines.multicontact.dynamics import torque_by_sharing, torque_slopes
from poise.engines.multicontact.quantities import HEIGHTS, TORQUE, VERTICAL, Kinds, pressing
from poise.engines.multicontact.rows import Blocks, Pattern
from poise.engines.multicontact.stretch import Ground, Stretch
from poise.trajectories.chebyshev import nodes_to_bernstein


class LoadRows:
    """Of one phase.

    Args:
        ground: the phase.
        kinds: its quantities.
        active: (spans, kinds) of bool, where they matter.
    """

    def __init__(self, ground: Ground, kinds: Kinds, active: np.ndarray) -> None:
        self.ground = ground
        family = np.array(kinds.family)
        wanted = active & (family != HEIGHTS)
        self.rows = np.flatnonzero(wanted.any(axis=0))  # kinds that matter somewhere
        chosen = family[self.rows]
        self.joints = self.rows[chosen == TORQUE]
        self.vertical = bool((chosen == VERTICAL).any())
        self.pressed = self.rows[(chosen != TORQUE) & (chosen != VERTICAL)]
        self.pressed = self.pressed - int((family == TORQUE).sum())
        limit = ground.stage.torque_limit
        self.limit = np.where(np.isfinite(limit), limit, 1.0)[self.joints]
        self.spans: list[int] = np.flatnonzero(wanted.any(axis=1)).tolist()
        self.mine = [np.flatnonzero(wanted[s][self.rows]) for s in self.spans]
        self.last = [self._kept(wanted, s) for s in self.spans]
        self.pattern = self._pattern(kinds)

    def _kept(self, wanted: np.ndarray, span: int) -> np.ndarray:
        """Rows whose last coefficient is not also the next span's first."""
        mine = wanted[span].copy()
        if span + 1 < len(wanted):
            mine &= ~wanted[span + 1]
        return np.flatnonzero(mine[self.rows])

    def _pattern(self, kinds: Kinds) -> Pattern:
        g, order = self.ground, self.ground.order
        lower, upper, names, places, more = [], [], [], [], []
        count = 0
        others = np.concatenate([g.times, g.sharing_columns])
        self.spots = []  # of the coefficients in use, among (span, coefficient, kind)
        for k, (span, mine, last) in enumerate(zip(self.spans, self.mine, self.last, strict=True)):
            columns = g.columns(g.touched[span])  # (t, nv)
            floor = kinds.floor(span, g.spans)
            for coefficients, some in ((np.arange(order), mine), (np.array([order]), last)):
                b, m = len(coefficients), len(some)
                rows = count + np.arange(b * m).reshape(b, m)
                count += b * m
                places.append((rows[:, None, :, None], columns[None, :, None, :]))
                more.append((rows.reshape(-1, 1), others[None]))
                spot = (k * (order + 1) + coefficients[:, None]) * len(self.rows) + some
                self.spots.append(spot.ravel())
                which = self.rows[np.tile(some, b)]
                lower.append(floor[which])
                upper.append(kinds.upper[which])
                names += [(kinds.family[i], kinds.what[i], g.phase) for i in which]
        self.spot = np.concatenate([np.zeros(0, dtype=int), *self.spots])
        empty = [np.zeros(0)]
        return Pattern.of(
            np.concatenate(empty + lower), np.concatenate(empty + upper), names, places + more
        )

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        if not len(self.spans):
            return
        ground, order = self.ground, self.ground.order
        values, by, by_sharing = self._at_nodes(at)
        out = Blocks(nonzeros)
        C = nodes_to_bernstein(order)
        m = len(self.rows)
        for span, mine, last in zip(self.spans, self.mine, self.last, strict=True):
            here = by[ground.nodes(span)]
            A, t = at.mixed[span], len(ground.touched[span])
            some = here if len(mine) == m else here[:, :, mine]
            D = some.reshape(3 * (order + 1), -1)
            np.matmul(A[: order * t], D, out=out.take(order * t, D.shape[1]))
            if len(last):
                D = here[:, :, last].reshape(3 * (order + 1), -1)
                np.matmul(A[order * t :], D, out=out.take(t, D.shape[1]))
        by_time = (by @ at.ticks).sum(axis=1)
        all_of = np.concatenate([values[..., None], by_time, by_sharing], axis=2)
        nodes = np.array(self.spans)[:, None] * order + np.arange(order + 1)
        width = all_of.shape[2]
        coefficients = C @ all_of[nodes].reshape(len(self.spans), order + 1, m * width)
        used = coefficients.reshape(-1, width)[self.spot]
        g[:] = used[:, 0]
        out.put(used[:, 1:])

    def _at_nodes(self, at: Stretch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values (n, m), slopes by q, v and a (n, 3, m, nv) and by the sharing (n, m, s)."""
        ground, stage, here = self.ground, self.ground.stage, at.at
        values, by, by_sharing = [], [], []
        if len(self.joints):
            values.append(at.loaded.tau[:, self.joints] / self.limit)
            slopes = torque_slopes(here, at.loaded, ground.chains, self.joints)
            by.append(slopes / self.limit[:, None])
            shared = torque_by_sharing(here, at.sharing, ground.chains)[:, self.joints]
            by_sharing.append(shared / self.limit[:, None])
        if len(self.pressed):
            found = pressing(stage, stage.phases[ground.phase], at.loaded.forces)
            slopes = found.by_force[:, self.pressed]
            values.append(found.value[:, self.pressed])
            by.append((slopes @ at.sharing.forces)[:, None] @ here.wrench_by)
            moved = at.sharing.forces_by @ here.wrench.T  # (s, points, n)
            by_sharing.append(slopes @ moved.transpose(2, 1, 0))
        if self.vertical:
            values.append(here.wrench[:, 2:3] / stage.weight)
            by.append(here.wrench_by[:, :, 2:3] / stage.weight)
            by_sharing.append(np.zeros((len(here.q), 1, len(ground.sharing_columns))))
        if len(by) == 1:
            return values[0], by[0], by_sharing[0]
        return (
            np.concatenate(values, axis=1),
            np.concatenate(by, axis=2),
            np.concatenate(by_sharing, axis=1),
        )
