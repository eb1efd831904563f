"""Swinging soles stay above the ground and what stands on it."""

from __future__ import annotations

import numpy as np

from poise.engines.multicontact.quantities import HEIGHTS, Kinds, Swing, heights_above
from poise.engines.multicontact.rows_of_places import Item, PlaceRows
from poise.engines.multicontact.stretch import Ground, Stretch


class HeightRows:
    """Of one phase."""

    def __init__(
        self, ground: Ground, kinds: Kinds, active: np.ndarray, swings: tuple[Swing, ...]
    ) -> None:
        self.ground, self.swings = ground, swings
        corners = [swing for swing in swings for _ in swing.points]
        first = len(kinds.family) - len(corners)  # they are the last of the kinds
        items, self.corner = [], []
        for k, swing in enumerate(corners):
            wanted = active[:, first + k]
            for span in np.flatnonzero(wanted):
                name = (HEIGHTS, kinds.what[first + k], ground.phase)
                ends = span + 1 == ground.spans or not wanted[span + 1]
                low = float(kinds.floor(int(span), ground.spans)[first + k])
                items.append(Item(name, int(span), swing.chain, low, bool(ends)))
                self.corner.append(k)
        self.rows = PlaceRows(ground, items)
        self.pattern = self.rows.pattern

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        if not self.corner:
            return
        nodes, corner = self.rows.nodes, np.array(self.corner)[:, None]
        values, slopes = [], []
        for swing in self.swings:
            value, by = heights_above(at.at, swing)
            wide = np.zeros((*value.shape, self.ground.nv))
            wide[:, :, swing.chain] = by
            values.append(value)
            slopes.append(wide)
        value, slope = np.concatenate(values, axis=1), np.concatenate(slopes, axis=1)
        where = nodes * value.shape[1] + corner
        wide = slope.reshape(-1, self.ground.nv)
        self.rows.put(at, value.ravel(), wide, where, g, nonzeros)
