"""The ground as swinging soles see it: low solids are hills with rounded flanks.

A foot that steps over a box could be kept off it by their distance, but the distance has kinks,
and a foot that has got inside is pushed out by whichever side is nearest. The height above a
smooth hill that covers the box has neither fault: the way out is always up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FLANK = 0.05  # [m], width of a flank at most
LEAST_FLANK = 0.01  # [m]
LOW = 0.4  # of the height of the base: what is lower can be stepped over


@dataclass(frozen=True, eq=False)
class Hill:
    """A box on the ground, its flanks beside it."""

    low: np.ndarray  # [m], (2,), corner
    high: np.ndarray  # [m], (2,)
    top: float  # [m]
    flank: float  # [m]

    def heights(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the ground under points (..., 2) [m], and slopes (..., 2)."""
        up, up_by = _step((x - self.low) / self.flank + 1.0)
        down, down_by = _step((self.high - x) / self.flank + 1.0)
        each = up * down  # (..., 2): inside along x, inside along y
        each_by = (up_by * down - up * down_by) / self.flank
        height = self.top * each[..., 0] * each[..., 1]
        slopes = self.top * each_by * each[..., ::-1]
        return height, slopes


def _step(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A smooth step from 0 to 1, and its slope; curvature is continuous."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2), 30.0 * s**2 * (1.0 - s) ** 2


def hills_for(
    boxes: Sequence[tuple[np.ndarray, np.ndarray]], base: float, corners: Sequence[np.ndarray]
) -> tuple[Hill, ...]:
    """Hills for one sole.

    Args:
        boxes: lowest and highest corner of what stands around [m].
        base: height of the base [m].
        corners: where the corners of the sole stand at times [m], (k, 3) each; flanks end there.
    """
    found = []
    for low, high in boxes:
        if not is_hill(low, high, base):
            continue
        flank = FLANK
        for points in corners:
            apart = np.maximum(low[:2] - points[:, :2], points[:, :2] - high[:2]).max(axis=1)
            below = points[:, 2] < high[2] - 1e-6
            flank = min(flank, *(0.9 * apart[below & (apart > 0.0)]), FLANK)
        found.append(Hill(low[:2], high[:2], float(high[2]), max(flank, LEAST_FLANK)))
    return tuple(found)


def is_hill(low: np.ndarray, high: np.ndarray, base: float) -> bool:
    """Whether a box stands on the ground and can be stepped over."""
    return bool(low[2] < 0.02 and high[2] < LOW * base)
