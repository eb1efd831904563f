"""Swinging soles leave the ground and come down to it steeply, rather than drag over it.

Where a contact ends, its part begins to move with the third power of time, up and aside alike:
however soon one looks, it is as far aside as the slope of its way tells.
"""

from __future__ import annotations

import numpy as np

from poise.engines.multicontact.quantities import EDGE, HEIGHT, HEIGHTS, LIFTED, Stand, Swing
from poise.engines.multicontact.rows import Pattern
from poise.engines.multicontact.rows_of_contacts import spread
from poise.engines.multicontact.stage import point_jacobian
from poise.engines.multicontact.stretch import Ground, Stretch

STEEP = 0.4  # [1], least rise of a corner by its way aside; levels off at `LIFTED`
ROUND = 1e-4  # [m], rounds the tip of that cone


class StepRows:
    """One sole at one end of its swing: in the middles and at the ends of the spans there."""

    def __init__(self, ground: Ground, swing: Swing, stand: Stand, nodes: np.ndarray) -> None:
        self.swing, self.stand, self.nodes = swing, stand, nodes
        count, each = len(nodes), len(swing.points)
        rows = np.arange(count * each).reshape(count, each)
        touched = [ground.touched[ground.span_of(int(node))] for node in nodes]
        places = [
            (mine[None, :, None], ground.columns(some, swing.chain)[:, None])
            for mine, some in zip(rows, touched, strict=True)
        ]
        places.append((rows[..., None], ground.times))
        self.touched, self.ends = np.concatenate(touched), np.cumsum([0, *map(len, touched)])
        names = [(HEIGHTS, f"{swing.part} corner {k}", ground.phase) for k in range(each)] * count
        self.pattern = Pattern.of(np.zeros(rows.size), np.full(rows.size, np.inf), names, places)

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        value, by = above_cone(at, self.swing, self.stand, self.nodes)
        g[:] = value.ravel()
        spots = (self.nodes, self.swing.chain, self.touched, self.ends)
        spread(by, np.zeros((*value.shape, 0)), at.E, at.ticks, *spots, nonzeros)


def above_cone(
    at: Stretch, swing: Swing, stand: Stand, nodes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of the corners above the cones they rise in (n, corners), and slopes (n, corners, c)."""
    here, joint = at.at, swing.joint
    R, p, moved = here.R[joint][nodes], here.p[joint][nodes], here.Jt[nodes][:, swing.chain]
    values, slopes = [], []
    for point, spot in zip(swing.points, stand.points, strict=True):
        x = p + R @ point
        aside = (x - spot) @ stand.R  # along the surface's axes
        height, by_aside = cone(aside[:, :2])
        values.append(aside[:, 2] - height)
        along = stand.R[:, 2] - by_aside @ stand.R[:, :2].T
        slopes.append((along[:, None] @ point_jacobian(moved, x))[:, 0])
    return np.stack(values, axis=1) / HEIGHT, np.stack(slopes, axis=1) / HEIGHT


def cone(aside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least height [m] of points (n, 2) [m] beside where they stand, and slopes (n, 2)."""
    far = np.sqrt((aside**2).sum(axis=1) + ROUND**2)
    rise = STEEP * (far - ROUND)
    level = 1.0 + rise / LIFTED
    return rise / level, (STEEP / (level**2 * far))[:, None] * aside


def step_rows(ground: Ground, swings: tuple[Swing, ...]) -> list[StepRows]:
    """Of all soles of a phase that come from a place or go to one."""
    half, count = ground.order // 2, max(int(np.ceil(EDGE * ground.spans)), 1)
    early = half * np.arange(1, 2 * count + 1)  # not the start itself: there it stands
    found = []
    for swing in swings:
        if swing.leaves is not None:
            found.append(StepRows(ground, swing, swing.leaves, early))
        if swing.lands is not None:
            late = ground.spans * ground.order - early[::-1]
            found.append(StepRows(ground, swing, swing.lands, late))
    return found
