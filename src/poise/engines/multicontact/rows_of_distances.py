"""Links keep their distance from each other and from what stands around."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.compiled import compiled_alone
from poise.engines.multicontact.collisions import Meter, Obstacles
from poise.engines.multicontact.rows_of_places import Item, PlaceRows
from poise.engines.multicontact.stretch import Ground, Stretch

CLEARANCE = "clearance"
LENGTH = 0.1  # [m], distances count in these


class DistanceRows:
    """Of one phase.

    Args:
        ground: the phase.
        obstacles: all pairs.
        active: pair -> (spans,) of bool, where it matters.
    """

    def __init__(
        self, ground: Ground, obstacles: Obstacles | None, active: dict[int, np.ndarray]
    ) -> None:
        self.ground, self.obstacles = ground, obstacles
        items, pairs = [], []
        for pair, wanted in active.items():
            if obstacles is None:
                break
            for span in np.flatnonzero(wanted):
                ends = span + 1 == ground.spans or not wanted[span + 1]
                name = (CLEARANCE, obstacles.name(pair), ground.phase)
                low = obstacles.least(pair) / LENGTH
                items.append(Item(name, int(span), obstacles.chain(pair), low, bool(ends)))
                pairs.append(pair)
        self.rows = PlaceRows(ground, items)
        self.pattern = self.rows.pattern
        # every (node, pair) once, although neighbouring spans share a node
        asked: dict[int, list[int]] = {}
        for pair, nodes in zip(pairs, self.rows.nodes.tolist(), strict=True):
            for node in nodes:
                if pair not in asked.setdefault(node, []):
                    asked[node].append(pair)
        both = [(pair, node) for node in sorted(asked) for pair in asked[node]]
        spot = {one: k for k, one in enumerate(both)}
        where = [
            [spot[pair, node] for node in nodes]
            for pair, nodes in zip(pairs, self.rows.nodes.tolist(), strict=True)
        ]
        self.where = np.array(where, dtype=int).reshape(self.rows.nodes.shape)
        self.pair = np.array([p for p, _ in both], dtype=int)
        self.node = np.array([n for _, n in both], dtype=int)
        self.found = np.empty((len(both), 9))  # normal, nearest points
        self._looks: list[tuple[int, Meter, np.ndarray]] = []  # node, meter, rows of `found`
        if obstacles is None or not both:
            return
        self.sign = obstacles.signs[self.pair] / LENGTH
        self._model = obstacles.chart.model
        self._data = self._model.createData()
        meters: dict[tuple[int, ...], Meter] = {}  # by the pairs they measure
        row = 0
        for node in sorted(asked):
            mine = asked[node]
            meter = meters.setdefault(tuple(mine), obstacles.meter(mine))
            self._looks.append((node, meter, self.found[row : row + len(mine)]))
            row += len(mine)

    def look(self, q: np.ndarray) -> None:
        """Measure all distances at the coordinates of the nodes (n, nv)."""
        for node, meter, out in self._looks:
            pin.forwardKinematics(self._model, self._data, q[node])
            meter(self._data, out)

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        if not len(self.found):
            return
        self.look(at.at.q)
        value, by = np.empty(len(self.found)), np.empty_like(self.sign)
        _along(self.found, at.at.Jt, self.node, self.sign, value, by)
        self.rows.put(at, value, by, self.where, g, nonzeros)


@compiled_alone
def _along(found, Jt, node, sign, value, by):
    """Distances, and how they change: motion along the line between the nearest points."""
    for k in range(len(found)):
        nx, ny, nz = found[k, 0], found[k, 1], found[k, 2]
        x, y, z = found[k, 3], found[k, 4], found[k, 5]
        value[k] = nx * (found[k, 6] - x) + ny * (found[k, 7] - y) + nz * (found[k, 8] - z)
        value[k] /= LENGTH
        mx, my, mz = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
        for c in range(by.shape[1]):
            n, total = node[k], 0.0
            if sign[k, c] != 0.0:
                total = nx * Jt[n, c, 0] + ny * Jt[n, c, 1] + nz * Jt[n, c, 2]
                total += mx * Jt[n, c, 3] + my * Jt[n, c, 4] + mz * Jt[n, c, 5]
            by[k, c] = sign[k, c] * total
