"""Small convex geometry in the plane: hulls, half-planes, signed distances, insets.

A polygon is an array (h, 2) of corners, counter-clockwise, convex, without repeated or collinear
corners, as `convex_hull` returns it. A point (1, 2) and a segment (2, 2) are polygons too, flat
ones: nothing is strictly inside them. An empty polygon is (0, 2). Lengths are in the unit of the
points, metres everywhere in poise.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.errors import BadInput

FLAT = 1e-12  # corners closer to a line than this fraction of the hull's size lie on it
POINT = 1e-100  # points closer together than this are one, whose squares would vanish [length]


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points (k, 2), counter-clockwise from the lowest x, (h, 2)."""
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise BadInput("convex_hull", "points", f"of shape {points.shape}", "finite, (k, 2)")
    if len(points) == 0:
        return points
    size = np.ptp(points, axis=0).max()
    if size < POINT:
        return points[:1]
    scaled = (points - points.min(axis=0)) / size  # where no product of tiny numbers vanishes
    order = np.lexsort((scaled[:, 1], scaled[:, 0]))
    return points[order][_corners(scaled[order])]


@compiled
def _corners(points: np.ndarray) -> np.ndarray:
    """Numbers of the hull's corners among sorted points (k, 2), counter-clockwise."""
    count = points.shape[0]
    kept = np.empty(2 * count, dtype=np.int64)
    there = _chain(points, kept, 0, 0, 1)
    back = _chain(points, kept, there - 1, count - 1, -1)
    return kept[: _without_flat_corners(points, kept, back - 1)]


@compiled
def _chain(points: np.ndarray, kept: np.ndarray, first: int, start: int, way: int) -> int:
    """Write the points that turn left on the way through sorted points, ends included.

    Args:
        points: sorted, (k, 2).
        kept: numbers of points, written from `first` on.
        first: place in `kept`.
        start: the point where it begins, the first or the last.
        way: 1 or -1.

    Returns:
        One past the last place that was written.
    """
    n = first
    for k in range(points.shape[0]):
        i = start + way * k
        while n - first > 1 and _left(points[kept[n - 2]], points[kept[n - 1]], points[i]) <= 0.0:
            n -= 1
        kept[n] = i
        n += 1
    return n


@compiled
def _left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Twice the area of a triangle, positive where the way a, b, c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@compiled
def _without_flat_corners(points: np.ndarray, corners: np.ndarray, count: int) -> int:
    """Drop corners that rounding error put between, or on, their neighbours; how many are left."""
    i = 0
    while count > 2 and i < count:
        a, b, c = (
            points[corners[i - 1 if i else count - 1]],
            points[corners[i]],
            points[corners[(i + 1) % count]],
        )
        back_x, back_y, ahead_x, ahead_y = a[0] - b[0], a[1] - b[1], c[0] - b[0], c[1] - b[1]
        to_a, to_c = back_x**2 + back_y**2, ahead_x**2 + ahead_y**2
        span = ((c[0] - a[0]) ** 2 + (c[1] - a[1]) ** 2) ** 0.5
        between = back_x * ahead_x + back_y * ahead_y <= 0.0
        if min(to_a, to_c) <= FLAT**2 or (between and _left(a, b, c) <= FLAT * span):
            for k in range(i, count - 1):
                corners[k] = corners[k + 1]
            count -= 1
            i = max(i - 1, 0)
        else:
            i += 1
    if count == 2:
        a, b = points[corners[0]], points[corners[1]]
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) <= FLAT:
            return 1
    return count


def half_planes(polygon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A polygon as inequalities, normals @ p <= offsets.

    Returns:
        Unit normals pointing outwards (e, 2) and offsets (e,) [length]. Flat polygons get as many
        as they need: four for a point, four for a segment.
    """
    if len(polygon) == 0:
        raise BadInput("half_planes", "polygon", "empty", "at least one corner")
    if len(polygon) == 1:
        normals = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
        return normals, normals @ polygon[0]
    edges = np.roll(polygon, -1, axis=0) - polygon
    edges /= np.linalg.norm(edges, axis=1)[:, None]
    if len(polygon) == 2:
        normals = np.vstack([edges, edges @ np.array([[0.0, -1.0], [1.0, 0.0]])])
        corners = polygon[[1, 0, 0, 1]]
    else:
        normals = edges @ np.array([[0.0, -1.0], [1.0, 0.0]])  # the edge turned to the right
        corners = polygon
    return normals, np.einsum("ij,ij->i", normals, corners)


def signed_distance(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """How deep points (..., 2) lie inside a polygon [length], (...).

    Positive inside: the distance to the nearest edge. Negative outside: minus the distance to the
    polygon. A flat polygon has no inside.
    """
    points = np.asarray(points, dtype=float)
    if len(polygon) == 0:
        return np.full(points.shape[:-1], -np.inf)
    outside = _distance_to_border(points, polygon)
    if len(polygon) < 3:
        return -outside
    normals, offsets = half_planes(polygon)
    depth = (offsets - points @ normals.T).min(axis=-1)
    return np.where(depth >= 0.0, depth, -outside)


def _distance_to_border(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Distance to the nearest point of the edges."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    squared = np.einsum("ij,ij->i", edges, edges)
    from_corner = points[..., None, :] - polygon
    along = np.einsum("...ij,ij->...i", from_corner, edges)
    along = np.clip(np.divide(along, squared, out=np.zeros_like(along), where=squared > 0), 0, 1)
    gap = from_corner - along[..., None] * edges
    return np.sqrt(np.einsum("...ij,...ij->...i", gap, gap).min(axis=-1))


def clip(polygon: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    """The part of a polygon where normal @ p <= offset."""
    if len(polygon) == 0:
        return polygon
    height = polygon @ normal - offset
    if np.all(height <= 0.0):
        return polygon
    kept = []
    for i, (p, h) in enumerate(zip(polygon, height, strict=True)):
        after, h_after = polygon[(i + 1) % len(polygon)], height[(i + 1) % len(polygon)]
        if h <= 0.0:
            kept.append(p)
        if (h < 0.0 < h_after) or (h_after < 0.0 < h):
            kept.append(p + (h / (h - h_after)) * (after - p))
    return convex_hull(np.array(kept).reshape(-1, 2))


def intersection(polygon: np.ndarray, other: np.ndarray) -> np.ndarray:
    """What two polygons have in common, possibly flat or empty."""
    if len(other) == 0:
        return other
    for normal, offset in zip(*half_planes(other), strict=True):
        polygon = clip(polygon, normal, offset)
    return polygon


def inset(polygon: np.ndarray, margin: float) -> np.ndarray:
    """The points at least a margin [length] inside a polygon; empty where there are none.

    A negative margin widens instead: every edge is moved outwards and the corners stay sharp.
    """
    if margin == 0.0 or len(polygon) == 0:
        return polygon
    if len(polygon) < 3:
        return np.zeros((0, 2)) if margin > 0.0 else _widened_flat(polygon, -margin)
    normals, offsets = half_planes(polygon)
    offsets = offsets - margin
    if margin < 0.0:
        before = np.roll(np.arange(len(polygon)), 1)  # a corner lies on its edge and the one before
        pairs = np.stack([normals[before], normals], axis=1)
        sides = np.stack([offsets[before], offsets], axis=1)
        return np.linalg.solve(pairs, sides[..., None])[..., 0]
    for normal, offset in zip(normals, offsets, strict=True):
        polygon = clip(polygon, normal, offset)
    return polygon


def _widened_flat(polygon: np.ndarray, margin: float) -> np.ndarray:
    """A point becomes a square, a segment a rectangle."""
    along = np.array([1.0, 0.0]) if len(polygon) == 1 else polygon[1] - polygon[0]
    along = margin * along / np.linalg.norm(along)
    across = np.array([-along[1], along[0]])
    start, end = polygon[0] - along, polygon[-1] + along
    return convex_hull(np.array([start - across, end - across, end + across, start + across]))


def area(polygon: np.ndarray) -> float:
    """Area [length^2], zero for flat polygons."""
    after = np.roll(polygon, -1, axis=0)
    return float(0.5 * np.sum(polygon[:, 0] * after[:, 1] - polygon[:, 1] * after[:, 0]))


def centroid(polygon: np.ndarray) -> np.ndarray:
    """Centre of area (2,); of a flat polygon its middle."""
    if len(polygon) == 0:
        raise BadInput("centroid", "polygon", "empty", "at least one corner")
    middle = polygon.mean(axis=0)
    if len(polygon) < 3:
        return middle
    p = polygon - middle  # near the origin, where the sums lose no digits
    after = np.roll(p, -1, axis=0)
    twice = p[:, 0] * after[:, 1] - p[:, 1] * after[:, 0]
    return middle + (twice @ (p + after)) / (3.0 * twice.sum())
