"""Where the ZMP should be: over the standing foot, and from foot to foot while both are down.

While the rear foot is on its toe edge only, or the front one on its heel edge, the support is
smaller; the straight way from foot to foot, with the quintic's time, keeps inside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import sqrt

import numpy as np

from poise.compiled import compiled
from poise.contacts import Touch
from poise.engines.imitate.footsteps import Walk, rolls_of, sole_point
from poise.engines.imitate.limbs import Limbs
from poise.engines.imitate.rolling_feet import smooth
from poise.motion.marker_names import SIDES
from poise.solvers.polytope import convex_hull
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

EDGE_WIDTH = 5e-3  # [m], an edge carries on a strip this wide
ACROSS = 0.34  # of a sole's width from its inner side: outwards nothing catches a robot
ROLL = 0.4  # of half a sole, that the ZMP goes from behind the middle to before it in a stance


def zmp_reference(
    walk: Walk, limbs: Limbs, stature: Stature, time: np.ndarray, sway: float = 1.0
) -> np.ndarray:
    """The ZMP at times [s], (n, 2).

    Args:
        walk: of the robot.
        limbs: its limbs.
        stature: of the robot.
        time: [s], (n,).
        sway: of how far it usually goes over a standing foot.
    """
    forward = stature.sole_centre[0]
    outward = sway * ACROSS * stature.sole_width - stature.sole_inner
    roll = 0.5 * ROLL * stature.sole_length

    def point(side: str, place: Place, ahead: float) -> np.ndarray:
        return sole_point(limbs.feet[side], place, forward + ahead, outward, side)

    here = dict(walk.places)
    now = 0.5 * (point("left", here["left"], 0.0) + point("right", here["right"], 0.0))
    path = np.tile(now, (len(time), 1))
    first = walk.steps[0]
    moves = [
        (first.lift - walk.shift, first.lift, point(walk.stands, here[walk.stands], 0.0)),
        (first.lift, first.land, point(walk.stands, here[walk.stands], roll)),
    ]
    for k, step in enumerate(walk.steps):
        here[step.side] = step.end
        if k + 1 < len(walk.steps):
            after = walk.steps[k + 1]
            last = k + 2 == len(walk.steps)
            moves.append((step.land, after.lift, point(step.side, step.end, -roll)))
            moves.append(
                (after.lift, after.land, point(step.side, step.end, 0.0 if last else roll))
            )
        else:
            both = [point(side, here[side], 0.0) for side in SIDES]
            moves.append((step.land, step.land + walk.shift, 0.5 * (both[0] + both[1])))
    for start, end, goal in moves:
        path += smooth((time - start) / (end - start))[:, None] * (goal - now)
        now = goal
    return path


@dataclass(frozen=True, eq=False)
class Support:
    """Support polygons over time, as half-planes: inside where `A p <= b`."""

    starts: np.ndarray  # [s], of each polygon
    polygons: tuple[np.ndarray, ...]  # [m], (k, 2), counter-clockwise

    def margins(self, time: np.ndarray, points: np.ndarray) -> np.ndarray:
        """How far points lie inside the polygon of their time [m], (n,), negative outside."""
        which = np.clip(np.searchsorted(self.starts, time + 1e-9) - 1, 0, len(self.polygons) - 1)
        return _margins(*self._corners, which, np.ascontiguousarray(points))

    @cached_property
    def _corners(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of all polygons in a row [m], and where each one begins."""
        counts = [len(polygon) for polygon in self.polygons]
        return np.concatenate(self.polygons), np.concatenate([[0], np.cumsum(counts)])


@compiled
def _margins(
    corners: np.ndarray, begins: np.ndarray, which: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Distance to the nearest side of a convex polygon [m], (n,), negative beyond one.

    Args:
        corners: of all polygons, counter-clockwise [m], (m, 2).
        begins: where each polygon begins in them, and their end, (polygons + 1,).
        which: the polygon of each point, (n,).
        points: [m], (n, 2).
    """
    out = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        first, last = begins[which[row]], begins[which[row] + 1]
        least = np.inf
        for k in range(first, last):
            after = k + 1 if k + 1 < last else first
            ex, ey = corners[after, 0] - corners[k, 0], corners[after, 1] - corners[k, 1]
            ax, ay = points[row, 0] - corners[k, 0], points[row, 1] - corners[k, 1]
            least = min(least, (ex * ay - ey * ax) / sqrt(ex * ex + ey * ey))
        out[row] = least
    return out


def support_of(touches: Sequence[Touch]) -> Support:
    """Polygons of the touches that hold between one change and the next."""
    cuts = sorted({t.start for t in touches} | {t.end for t in touches})
    starts, polygons = [], []
    for a, b in pairwise(cuts):
        if b - a < 1e-9:
            continue
        middle = 0.5 * (a + b)
        points = [_carrying(t) for t in touches if t.start <= middle < t.end]
        if points:
            cloud = np.vstack(points)
            starts.append(a)
            polygons.append(convex_hull(cloud))
    return Support(np.array(starts), tuple(polygons))


def _carrying(touch: Touch) -> np.ndarray:
    """Points of a touch on the floor [m], (k, 2); an edge carries on a strip."""
    anchors = touch.anchors[:, :2]
    if len(anchors) >= 3 and not touch.is_edge:
        return anchors
    x, y = touch.T_world_surface.rotation[:2, 0], touch.T_world_surface.rotation[:2, 1]
    half = 0.5 * EDGE_WIDTH
    offsets = half * np.array([x + y, x - y, -x + y, -x - y])
    return (anchors[:, None, :] + offsets[None]).reshape(-1, 2)


def unsafe_rolls(
    walk: Walk, support: Support, time: np.ndarray, zmp: np.ndarray, margin: float
) -> tuple[list[int], list[int]]:
    """Steps whose foot must not roll at toe-off, or at contact, because the ZMP is not clear.

    Args:
        walk: with its rolls.
        support: of its touches.
        time: [s], (n,).
        zmp: reference [m], (n, 2).
        margin: that the ZMP needs inside the support [m].
    """
    bad = support.margins(time, zmp) < margin
    off, on = [], []
    for k, (step, roll) in enumerate(zip(walk.steps, rolls_of(walk), strict=True)):
        if step.heel_lift > 0.0 and bad[(time >= roll.t3) & (time < roll.t4)].any():
            off.append(k)
        if step.toe_land > 0.0 and bad[(time >= roll.t7) & (time < roll.t2)].any():
            on.append(k)
    return off, on
