"""Links keep their distance from each other and from what stands around."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.engines.multicontact.collisions import Obstacles
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
        count = ground.spans * ground.order + 1
        # every (node, pair) once, although neighbouring spans share a node
        asked: list[list[int]] = [[] for _ in range(count)]
        for pair, nodes in zip(pairs, self.rows.nodes.tolist(), strict=True):
            for node in nodes:
                if pair not in asked[node]:
                    asked[node].append(pair)
        both = [(pair, node) for node, mine in enumerate(asked) for pair in mine]
        spot = {one: k for k, one in enumerate(both)}
        where = [
            [spot[pair, node] for node in nodes]
            for pair, nodes in zip(pairs, self.rows.nodes.tolist(), strict=True)
        ]
        self.asked, self.count = asked, len(both)
        self.where = np.array(where, dtype=int).reshape(self.rows.nodes.shape)
        self.pair = np.array([p for p, _ in both], dtype=int)
        self.node = np.array([n for _, n in both], dtype=int)
        self.sign = np.zeros((0, ground.nv)) if obstacles is None else obstacles.signs[self.pair]
        self.found = np.empty((self.count, 7))  # distance, normal, point
        self._next = 0

    def look(self, node: int, data: pin.Data) -> None:
        """Measure the distances of a node; nodes come in order."""
        if node == 0:
            self._next = 0
        if self.asked[node] and self.obstacles is not None:
            self._next = self.obstacles.measure(data, self.asked[node], self.found, self._next)

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        if not self.count:
            return
        normal, point = self.found[:, 1:4], self.found[:, 4:]
        line = np.concatenate([normal, np.cross(point, normal)], axis=1)
        by = (at.at.Jt[self.node] @ line[..., None])[..., 0] * self.sign / LENGTH
        value = self.found[:, 0] / LENGTH
        self.rows.put(at, value[self.where], by[self.where], g, nonzeros)
