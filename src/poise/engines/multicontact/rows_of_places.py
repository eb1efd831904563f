"""Constraints on where things are, at all times of some spans: their Bernstein coefficients.

Heights of swinging soles and distances are such: they depend on the coordinates only, and only
on those of a chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.rows import Name, Pattern
from poise.engines.multicontact.stretch import Ground, Stretch
from poise.trajectories.chebyshev import nodes_to_bernstein


@dataclass(frozen=True, eq=False)
class Item:
    """A quantity on one span."""

    name: Name
    span: int
    chain: np.ndarray  # coordinates it depends on, rising
    lower: float
    ends: bool  # whether its last coefficient is a row: else the next span begins with it


class PlaceRows:
    """Coefficients of some quantities, each on one span."""

    def __init__(self, ground: Ground, items: Sequence[Item]) -> None:
        self.ground = ground
        order = ground.order
        lower, names, places, more = [], [], [], []
        counts, count = [], 0
        for item in items:
            b = order + 1 if item.ends else order
            rows = count + np.arange(b)
            count += b
            counts.append(b)
            lower += [item.lower] * b
            names += [item.name] * b
            columns = ground.columns(ground.touched[item.span], item.chain)
            places.append((rows[:, None, None], columns[None]))
            more.append((rows[:, None], ground.times[None]))
        self.pattern = Pattern.of(lower, np.full(count, np.inf), names, places + more)
        spans = np.array([item.span for item in items], dtype=int)
        self.nodes = spans[:, None] * order + np.arange(order + 1)  # (items, order + 1)
        self.rows = np.array(counts, dtype=int)
        self.chain = np.concatenate([np.zeros(0, dtype=int), *(item.chain for item in items)])
        self.chain_ends = np.cumsum([0, *(len(item.chain) for item in items)])
        touched = [ground.touched[item.span] for item in items]
        self.touched = np.concatenate([np.zeros(0, dtype=int), *touched])
        self.touched_ends = np.cumsum([0, *(len(t) for t in touched)])

    def put(
        self,
        at: Stretch,
        value: np.ndarray,
        by: np.ndarray,
        where: np.ndarray,
        g: np.ndarray,
        nonzeros: np.ndarray,
    ) -> None:
        """Write rows.

        Args:
            at: the phase.
            value: (k,).
            by: slopes by all coordinates, (k, nv).
            where: which of these belong to the nodes, (items, order + 1).
            g: takes the values.
            nonzeros: takes the slopes.
        """
        _put(
            nodes_to_bernstein(self.ground.order),
            at.E,
            at.ticks,
            self.nodes,
            self.rows,
            self.chain,
            self.chain_ends,
            self.touched,
            self.touched_ends,
            value,
            by,
            where,
            g,
            nonzeros,
        )


@compiled_alone
def _put(
    C, E, ticks, nodes, rows, chain, chain_ends, touched, touched_ends, value, by, where, g, out
):
    size, times = len(C), ticks.shape[3]
    here, tick = np.empty((size, by.shape[1])), np.empty((size, times))
    last = len(out) - len(g) * times  # slopes by durations come after all others
    spot, row = 0, 0
    for i in range(len(nodes)):
        first, count = chain_ends[i], chain_ends[i + 1] - chain_ends[i]
        for k in range(size):  # the slopes of this quantity, side by side
            for c in range(count):
                here[k, c] = by[where[i, k], chain[first + c]]
            for d in range(times):
                tick[k, d] = 0.0
                for c in range(count):
                    tick[k, d] += here[k, c] * ticks[nodes[i, k], 0, chain[first + c], d]
        for b in range(rows[i]):
            for t in range(touched_ends[i], touched_ends[i + 1]):
                for c in range(count):
                    out[spot + c] = 0.0
                for k in range(size):
                    mixed = C[b, k] * E[nodes[i, k], 0, touched[t]]
                    for c in range(count):
                        out[spot + c] += mixed * here[k, c]
                spot += count
            g[row] = 0.0
            for k in range(size):
                g[row] += C[b, k] * value[where[i, k]]
            for d in range(times):
                total = 0.0
                for k in range(size):
                    total += C[b, k] * tick[k, d]
                out[last + row * times + d] = total
            row += 1
