"""The largest axis-aligned rectangle inside a convex outline.

Four corners that never leave the sole are what a contact needs; the outline itself may have
any number of vertices.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.spatial import ConvexHull

GRID = 1e-5  # [m], corners are rounded inwards to this
SLACK = 1e-2  # of the grid: what a search leaves to a round number is forgiven


def convex_outline(points: np.ndarray) -> np.ndarray:
    """Convex hull of points in the plane, (n, 2), counter-clockwise."""
    points = np.asarray(points, dtype=float)
    return points[ConvexHull(points).vertices]


def inscribed_rectangle(polygon: np.ndarray) -> np.ndarray:
    """Corners of the largest axis-aligned rectangle inside a convex polygon.

    Between two sides x0 and x1 the largest height is a concave function of both, so the area
    has one maximum: search x1 for each x0, and x0 by what that search yields.

    Args:
        polygon: (n, 2), convex [m].

    Returns:
        (4, 2), counter-clockwise from the corner of the smallest x and y [m].
    """
    polygon = np.asarray(polygon, dtype=float)
    planes = ConvexHull(polygon).equations  # normal . p + offset <= 0
    above, below = planes[planes[:, 1] > 1e-9], planes[planes[:, 1] < -1e-9]
    left, right = polygon[:, 0].min(), polygon[:, 0].max()

    def span(x0: float, x1: float) -> tuple[float, float]:
        """The lowest and highest y that lie inside at both sides."""
        sides = np.array([[x0, 1.0], [x1, 1.0]])
        low = (-(below[:, [0, 2]] @ sides.T) / below[:, [1]]).max()
        high = (-(above[:, [0, 2]] @ sides.T) / above[:, [1]]).min()
        return float(low), float(high)

    def loss(x0: float, x1: float) -> float:
        low, high = span(x0, x1)
        return (x0 - x1) * (high - low) if high > low else low - high

    def best_x1(x0: float) -> float:
        return _lowest(lambda x1: loss(x0, x1), x0, right)

    x0 = _lowest(lambda x: loss(x, best_x1(x)), left, right)
    x1 = best_x1(x0)
    y0, y1 = span(x0, x1)
    low = np.ceil(np.array([x0, y0]) / GRID - SLACK) * GRID
    top = np.floor(np.array([x1, y1]) / GRID + SLACK) * GRID
    return np.array([low, [top[0], low[1]], top, [low[0], top[1]]]).round(9)


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with a single valley is lowest."""
    found = minimize_scalar(
        function, bounds=(low, high), method="bounded", options={"xatol": 1e-11}
    )
    return float(found.x)
