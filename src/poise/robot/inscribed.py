"""The largest axis-aligned rectangle inside a convex outline.

Four corners that never leave the sole are what a contact needs; the outline itself may have
any number of vertices.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

GRID = 1e-5  # [m], corners are rounded inwards to this
SCALE = 1e-2  # [m^2], the order of a sole's area


def convex_outline(points: np.ndarray) -> np.ndarray:
    """Convex hull of points in the plane, (n, 2), counter-clockwise."""
    points = np.asarray(points, dtype=float)
    return points[ConvexHull(points).vertices]


def inscribed_rectangle(polygon: np.ndarray) -> np.ndarray:
    """Corners of the largest axis-aligned rectangle inside a convex polygon.

    The area is quasi-concave in the two opposite corners and each edge of the polygon binds
    one corner only, in a linear way, so a stationary rectangle is the largest one.

    Args:
        polygon: (n, 2), convex [m].

    Returns:
        (4, 2), counter-clockwise from the corner of the smallest x and y [m].
    """
    planes = ConvexHull(np.asarray(polygon, dtype=float)).equations  # normal . p + offset <= 0
    normal, offset = planes[:, :2], planes[:, 2]
    high = np.maximum(normal, 0.0)  # the corner an edge binds is high where its normal is
    bind = np.hstack([normal - high, high])  # on (low x, low y, high x, high y)
    middle = np.mean(polygon, axis=0)
    start = np.concatenate([middle - 1e-3, middle + 1e-3])
    best = minimize(
        lambda box: (box[0] - box[2]) * (box[3] - box[1]) / SCALE,
        start,
        constraints={"type": "ineq", "fun": lambda box: -bind @ box - offset},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    ).x
    low = np.ceil(best[:2] / GRID - 1e-2) * GRID
    top = np.floor(best[2:] / GRID + 1e-2) * GRID
    return np.array([low, [top[0], low[1]], top, [low[0], top[1]]]).round(9)
