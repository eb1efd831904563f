"""Torques, pressing forces, friction, loads and the vertical force, on spans where they matter.

Each is a polynomial on a span, through its values at the nodes; its Bernstein coefficients are
the rows. They are looked at node by node, then put together span by span.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.dynamics import ROOT, pull_of
from poise.engines.multicontact.quantities import (
    HEIGHTS,
    TORQUE,
    VERTICAL,
    Kinds,
    press,
    presses_of,
)
from poise.engines.multicontact.rows import Pattern
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
        pressed = self.rows[(chosen != TORQUE) & (chosen != VERTICAL)]
        stage = ground.stage
        self.presses = presses_of(stage, stage.phases[ground.phase]).of(
            pressed - int((family == TORQUE).sum())
        )
        self.limit = np.where(np.isfinite(stage.torque_limit), stage.torque_limit, 1.0)[self.joints]
        self.spans = np.flatnonzero(wanted.any(axis=1))
        self.mine = _Ragged([np.flatnonzero(wanted[s][self.rows]) for s in self.spans])
        self.last = _Ragged([self._kept(wanted, s) for s in self.spans.tolist()])
        self.touched = _Ragged([ground.touched[s] for s in self.spans])
        self.pattern = self._pattern(kinds)
        n, m, others = len(ground.shares), len(self.rows), len(ground.times)
        self._by = np.empty((n, 3, m, ground.nv))  # slopes by q, v and a
        # values and slopes by durations and sharing
        self._rest = np.empty((n, m, 1 + others + len(ground.sharing_columns)))

    def _kept(self, wanted: np.ndarray, span: int) -> np.ndarray:
        """Rows whose last coefficient is not also the next span's first."""
        mine = wanted[span].copy()
        if span + 1 < len(wanted):
            mine &= ~wanted[span + 1]
        return np.flatnonzero(mine[self.rows])

    def _pattern(self, kinds: Kinds) -> Pattern:
        g, order = self.ground, self.ground.order
        lower, upper, names, places, more = [], [], [], [], []
        rows_end, nonzeros_end = [0], [0]
        others = np.concatenate([g.times, g.sharing_columns])
        for k, span in enumerate(self.spans.tolist()):
            columns = g.columns(g.touched[span])  # (t, nv)
            floor = kinds.floor(span, g.spans)
            count, size = rows_end[-1], nonzeros_end[-1]
            for b, some in ((order, self.mine[k]), (1, self.last[k])):
                rows = count + np.arange(b * len(some)).reshape(b, len(some))
                count, size = count + rows.size, size + rows.size * columns.size
                places.append((rows[:, None, :, None], columns[None, :, None, :]))
                more.append((rows.reshape(-1, 1), others[None]))
                which = self.rows[np.tile(some, b)]
                lower.append(floor[which])
                upper.append(kinds.upper[which])
                names += [(kinds.family[i], kinds.what[i], g.phase) for i in which]
            rows_end.append(count)
            nonzeros_end.append(size)
        self.ends = np.array(rows_end), np.array(nonzeros_end)
        empty = [np.zeros(0)]
        return Pattern.of(
            np.concatenate(empty + lower), np.concatenate(empty + upper), names, places + more
        )

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        if not len(self.rows):
            return
        here, loaded, sharing, presses = at.at, at.loaded, at.sharing, self.presses
        _look(
            *(self.joints, self.limit, self.vertical, self.ground.stage.weight, self.ground.moved),
            *(presses.along, presses.across, presses.rubs),
            *(here.tau_by, here.Jt, here.wrench, here.wrench_by),
            *(loaded.tau, loaded.forces, loaded.pull, loaded.wrenches),
            *(sharing.forces, sharing.forces_by, sharing.wrenches_by),
            *(at.ticks, self._by, self._rest),
        )
        _put(
            *(nodes_to_bernstein(self.ground.order), at.E, self._by, self._rest, self.spans),
            *(self.mine.flat, self.mine.ends, self.last.flat, self.last.ends),
            *(self.touched.flat, self.touched.ends, *self.ends, g, nonzeros),
        )


class _Ragged:
    """Lists of different lengths, as compiled loops take them."""

    def __init__(self, lists: list[np.ndarray]) -> None:
        self.flat = np.concatenate([np.zeros(0, dtype=int), *lists])
        self.ends = np.cumsum([0, *map(len, lists)])

    def __getitem__(self, k: int) -> np.ndarray:
        return self.flat[self.ends[k] : self.ends[k + 1]]


@compiled_alone
def _look(
    joints,
    limit,
    vertical,
    weight,
    moved,
    along,
    across,
    rubs,
    tau_by,
    Jt,
    wrench,
    wrench_by,
    tau,
    forces,
    pull,
    wrenches,
    B,
    B_by,
    K_by,
    ticks,
    by,
    rest,
):
    """Values and slopes of the kinds in use at all nodes: into `by` and `rest`."""
    contacts, nv = moved.shape
    times, shared, points = ticks.shape[3], len(B_by), len(B)
    row = np.empty(6)
    slope, shift = np.empty(points), np.empty((shared, points))
    pulled = np.empty((shared, contacts, 6))
    for n in range(len(wrench)):
        w = wrench[n]
        for s in range(shared):  # how forces and shares of the contacts change with the sharing
            for i in range(points):
                shift[s, i] = 0.0
                for j in range(6):
                    shift[s, i] += B_by[s, i, j] * w[j]
            for c in range(contacts):
                for i in range(6):
                    pulled[s, c, i] = 0.0
                    for j in range(6):
                        pulled[s, c, i] += K_by[s, c, i, j] * w[j]
        r = 0
        for joint in range(len(joints)):
            k, scale = ROOT + joints[joint], 1.0 / limit[joint]
            rest[n, r, 0] = tau[n, joints[joint]] * scale
            for i in range(6):
                row[i] = pull[n, k, i]
            for d in range(3):
                mine, needs = by[n, d, r], wrench_by[n, d]
                for col in range(nv):
                    mine[col] = tau_by[n, d, k, col]
                for i in range(6):
                    for col in range(nv):
                        mine[col] -= row[i] * needs[i, col]
            for c in range(contacts):
                if moved[c, k]:
                    for col in range(k):
                        if moved[c, col]:
                            by[n, 0, r, col] -= pull_of(wrenches[c, n], Jt[n, col], Jt[n, k])
            for d in range(3):
                for col in range(nv):
                    by[n, d, r, col] *= scale
            for s in range(shared):
                total = 0.0
                for c in range(contacts):
                    if moved[c, k]:
                        for i in range(6):
                            total -= Jt[n, k, i] * pulled[s, c, i]
                rest[n, r, 1 + times + s] = total * scale
            r += 1
        for p in range(len(along)):
            rest[n, r, 0] = press(along[p], across[p], rubs[p], forces[n], slope) / weight
            for j in range(6):
                row[j] = 0.0
                for i in range(points):
                    row[j] += slope[i] * B[i, j]
                row[j] /= weight
            for d in range(3):
                mine, needs = by[n, d, r], wrench_by[n, d]
                for col in range(nv):
                    mine[col] = 0.0
                for j in range(6):
                    for col in range(nv):
                        mine[col] += row[j] * needs[j, col]
            for s in range(shared):
                total = 0.0
                for i in range(points):
                    total += slope[i] * shift[s, i]
                rest[n, r, 1 + times + s] = total / weight
            r += 1
        if vertical:
            rest[n, r, 0] = w[2] / weight
            for d in range(3):
                for col in range(nv):
                    by[n, d, r, col] = wrench_by[n, d, 2, col] / weight
            for s in range(shared):
                rest[n, r, 1 + times + s] = 0.0
            r += 1
        for i in range(r):
            for t in range(times):
                total = 0.0
                for d in range(3):
                    for col in range(nv):
                        total += by[n, d, i, col] * ticks[n, d, col, t]
                rest[n, i, 1 + t] = total


@compiled_alone
def _put(
    C,
    E,
    by,
    rest,
    spans,
    mine,
    mine_ends,
    last,
    last_ends,
    touched,
    touched_ends,
    row_ends,
    nonzero_ends,
    g,
    out,
):
    """Bernstein coefficients of the spans in use, and their slopes, from those at the nodes."""
    size, m, nv = len(C), by.shape[2], by.shape[3]
    order, more = size - 1, rest.shape[2] - 1
    tail = len(out) - len(g) * more  # slopes by durations and sharing come after all others
    for k in range(len(spans)):
        node = spans[k] * order
        some = touched[touched_ends[k] : touched_ends[k + 1]]
        t = len(some)
        # from values, rates and accelerations at the nodes to slopes by control points
        A = np.empty((size * t, 3 * size))
        for b in range(size):
            for i in range(t):
                for j in range(size):
                    for d in range(3):
                        A[b * t + i, 3 * j + d] = C[b, j] * E[node + j, d, some[i]]
        row, spot = row_ends[k], nonzero_ends[k]
        for whole in range(2):  # all coefficients but the last, then the last where it is a row
            if whole == 0:
                which = mine[mine_ends[k] : mine_ends[k + 1]]
                first, count = 0, order
            else:
                which = last[last_ends[k] : last_ends[k + 1]]
                first, count = order, 1
            wide = len(which) * nv
            if wide == 0:
                continue
            here = by[node : node + size]
            if len(which) < m:
                chosen = np.empty((size, 3, len(which), nv))
                for j in range(size):
                    for d in range(3):
                        for i in range(len(which)):
                            chosen[j, d, i] = here[j, d, which[i]]
                D = chosen.reshape(3 * size, wide)
            else:
                D = here.reshape(3 * size, wide)
            slopes = out[spot : spot + count * t * wide].reshape(count * t, wide)
            np.dot(A[first * t : (first + count) * t], D, slopes)
            spot += count * t * wide
            for b in range(first, first + count):
                for i in which:
                    for x in range(more + 1):
                        total = 0.0
                        for j in range(size):
                            total += C[b, j] * rest[node + j, i, x]
                        if x == 0:
                            g[row] = total
                        else:
                            out[tail + row * more + x - 1] = total
                    row += 1
