"""Where the floor is flat: does the ZMP stay inside the support polygon, and how far?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from poise.checks.contact_forces import carrying_points
from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_least, nothing_to_ask
from poise.checks.phases import Phase

MARGIN = "ZMP margin"
LEVEL = 1e-3  # [m] and [1], how far contacts may be off one horizontal plane
PRESSING = 0.05  # [weights], lighter than this there is no ZMP worth the name


@dataclass(frozen=True, eq=False)
class ZmpTrack:
    """The ZMP over time and its margin; NaN where the contacts are not flat."""

    zmp: np.ndarray  # [m], (n, 3)
    margin: np.ndarray  # [m], (n,), negative outside
    polygons: dict[int, np.ndarray]  # first row of a phase -> (rows, h, 2) [m], world xy


def zmp_margin(evidence: Evidence) -> tuple[Finding, ...]:
    """The least distance of the ZMP from the border of the support polygon."""
    margin = zmp_track(evidence).margin
    rows = np.flatnonzero(np.isfinite(margin))
    if not len(rows):
        why = "at no instant all contacts lie in one horizontal plane"
        return (nothing_to_ask(MARGIN, "mm", why),)
    k = int(rows[np.argmin(margin[rows])])
    limit = evidence.options.zmp_margin
    slack = evidence.options.support_limit * evidence.lever  # the same moment, as a length
    return (
        at_least(
            MARGIN,
            1e3 * margin[k],
            1e3 * limit,
            "mm",
            evidence.carriers(k),
            evidence.when(k),
            slack=1e3 * slack,
            detail="outside the support polygon" if margin[k] < -slack else "",
        ),
    )


def zmp_track(evidence: Evidence) -> ZmpTrack:
    """The ZMP of the required wrench, and how far inside the support polygon it lies."""
    zmp = np.full((evidence.n, 3), np.nan)
    margin = np.full(evidence.n, np.nan)
    polygons = {}
    for phase in evidence.phases:
        points = _flat_points(evidence, phase)
        if points is None:
            continue
        order = _hull(points[0, :, :2])
        if order is None:
            continue
        polygon = points[:, order, :2]
        height = points[:, :, 2].mean(axis=1)
        zmp[phase.rows] = _zmp(evidence, phase, height)
        margin[phase.rows] = distance_inside(polygon, zmp[phase.rows, :2])
        polygons[phase.start] = polygon
    return ZmpTrack(zmp, margin, polygons)


def _flat_points(evidence: Evidence, phase: Phase) -> np.ndarray | None:
    """Contact points of a phase [m], (rows, k, 3), if they lie in one horizontal plane."""
    touches = [evidence.touches[i] for i in phase.touches]
    if not touches or any(touch.normal[2] < 1.0 - LEVEL for touch in touches):
        return None
    heights = np.concatenate([touch.anchors[:, 2] for touch in touches])
    if np.ptp(heights) > LEVEL:
        return None
    return np.concatenate([carrying_points(evidence, t, phase.rows) for t in touches], axis=1)


def _hull(points: np.ndarray) -> np.ndarray | None:
    """Positions of the corners of the convex hull, counter-clockwise."""
    try:
        return ConvexHull(points).vertices
    except QhullError:
        return None


def _zmp(evidence: Evidence, phase: Phase, height: np.ndarray) -> np.ndarray:
    """Point of the plane z = height about which the required wrench does not tip, (rows, 3)."""
    w = evidence.required[phase.rows]
    fz = np.where(w[:, 2] > PRESSING * evidence.robot.weight, w[:, 2], np.nan)
    x = (height * w[:, 0] - w[:, 4]) / fz
    y = (height * w[:, 1] + w[:, 3]) / fz
    return np.column_stack([x, y, height])


def distance_inside(polygon: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Distance of points from the border of convex polygons [m], (n,), negative outside.

    Args:
        polygon: corners, counter-clockwise [m], (n, h, 2).
        point: (n, 2) [m].
    """
    edge = np.roll(polygon, -1, axis=1) - polygon
    length = np.linalg.norm(edge, axis=2)
    away = point[:, None] - polygon
    inward = (edge[..., 0] * away[..., 1] - edge[..., 1] * away[..., 0]) / length
    along = np.clip((edge * away).sum(axis=2) / length**2, 0.0, 1.0)
    to_border = np.linalg.norm(away - along[..., None] * edge, axis=2).min(axis=1)
    return np.where((inward >= 0.0).all(axis=1), to_border, -to_border)
