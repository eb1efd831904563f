"""Constraints on where things are, at all times of some spans: their Bernstein coefficients.

Heights of swinging soles and distances are such: they depend on the coordinates only, and only
on those of a chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.engines.multicontact.rows import Blocks, Name, Pattern
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
        self.ground, self.items = ground, items
        order = ground.order
        self.groups: list[np.ndarray] = []  # items with equally many control points
        sizes = np.array([len(ground.touched[item.span]) for item in items], dtype=int)
        lower, names, places, more = [], [], [], []
        self.picks, rows_of = [], []
        count = 0
        for item in items:
            b = order + 1 if item.ends else order
            rows_of.append(count + np.arange(b))
            count += b
            lower += [item.lower] * b
            names += [item.name] * b
        for size in np.unique(sizes):
            group = np.flatnonzero(sizes == size)
            self.groups.append(group)
            pick = []  # flat positions among (item, coefficient, control point, coordinate)
            for k, i in enumerate(group.tolist()):
                item, rows = items[i], rows_of[i]
                b = len(rows)
                first = k * (order + 1) * size * ground.nv
                spot = (np.arange(b)[:, None] * size + np.arange(size)) * ground.nv  # (b, t)
                pick.append((first + spot[..., None] + item.chain).ravel())
                columns = ground.columns(ground.touched[item.span], item.chain)
                places.append((rows[:, None, None], columns[None]))
            self.picks.append(np.concatenate(pick))
        self.kept = np.concatenate(
            [np.zeros(0, dtype=int)]
            + [i * (order + 1) + np.arange(len(rows)) for i, rows in enumerate(rows_of)]
        )
        for rows in rows_of:
            more.append((rows[:, None], ground.times[None]))
        self.pattern = Pattern.of(lower, np.full(count, np.inf), names, places + more)
        spans = np.array([item.span for item in items], dtype=int)
        self.nodes = spans[:, None] * order + np.arange(order + 1)  # (items, order + 1)

    def put(
        self, at: Stretch, value: np.ndarray, by: np.ndarray, g: np.ndarray, nonzeros: np.ndarray
    ) -> None:
        """From values (items, order + 1) at the nodes, and slopes by all coordinates."""
        ground, order = self.ground, self.ground.order
        C, nv = nodes_to_bernstein(order), ground.nv
        out = Blocks(nonzeros)
        for group, pick in zip(self.groups, self.picks, strict=True):
            A = np.stack([at.mixed[self.items[i].span][:, ::3] for i in group])
            out.put(np.take(A @ by[group], pick))
        ticks = at.ticks[:, 0][self.nodes]  # (items, nodes, nv, d)
        by_time = (by[:, :, None] @ ticks)[:, :, 0]
        width = 1 + by_time.shape[2]
        all_of = np.concatenate([value[..., None], by_time], axis=2)
        used = (C @ all_of).reshape(-1, width)[self.kept]
        g[:] = used[:, 0]
        out.put(used[:, 1:])
        assert by.shape[2] == nv
