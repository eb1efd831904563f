"""Which points of a sole carry it, and what its pressure sensors feel."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

MOST_POINTS = 8
TOTAL_FIRST = 1e5  # how much an error of the load weighs against the norm of its shares
NEGLIGIBLE = 0.005  # of the sole's area: a corner that adds less is left out


def contact_points(polygon: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """The corners of a sole that matter [m], (k, 2).

    Corners are taken away one by one, always the one whose loss costs the least area, until
    few are left and each of them matters. What remains is a polygon inside the sole with
    corners of the sole.
    """
    points = np.asarray(polygon, dtype=float)
    whole = polygon_area(points)
    while len(points) > 3:
        before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
        (ax, ay), (bx, by) = (points - before).T, (after - before).T
        costs = 0.5 * np.abs(ax * by - ay * bx)
        cheapest = int(costs.argmin())
        if len(points) <= most and costs[cheapest] > NEGLIGIBLE * whole:
            break
        points = np.delete(points, cheapest, axis=0)
    return points


def polygon_area(points: np.ndarray) -> float:
    """Area of a polygon [m^2], positive when counter-clockwise."""
    x, y = points.T
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


class PressureMap:
    """Shares out the load of a sole to its pressure points.

    A sole's load is its normal force and the two moments that tip it. Three equations leave
    some freedom when there are four points; the shares of least norm are taken, and none may
    pull. While the centre of pressure lies among the points, the shares reproduce it exactly;
    beyond them they come as close as they can and keep the total.
    """

    def __init__(self, points: np.ndarray) -> None:
        """Take the points in the part's frame [m], (k, 2 or 3)."""
        x, y = np.asarray(points, dtype=float)[:, :2].T
        self._rows = np.array([np.ones_like(x), y, -x])  # Fz, Mx, My of unit forces
        self._shares = np.linalg.pinv(self._rows)
        lever = max(float(np.abs(points).max()), 1e-3)
        self._weights = TOTAL_FIRST * np.array([10.0, 1.0 / lever, 1.0 / lever])
        self._stacked = np.vstack([self._weights[:, None] * self._rows, np.eye(len(x))])

    def pressures(self, load: np.ndarray) -> np.ndarray:
        """Normal forces of the points [N], (k,).

        Args:
            load: normal force [N], moments about the part's x and y [N m], (3,).
        """
        if load[0] <= 0.0:
            return np.zeros(self._rows.shape[1])
        shares = self._shares.dot(load)
        if min(shares.tolist()) < 0.0:
            target = np.concatenate([self._weights * load, np.zeros(len(shares))])
            shares = nnls(self._stacked, target)[0]
        return shares


def centre_of_pressure(points: np.ndarray, pressures: np.ndarray) -> np.ndarray:
    """Where the resultant of some pressures acts [m], (2,); NaN when nothing presses."""
    total = pressures.sum()
    return points[:, :2].T @ pressures / total if total > 0.0 else np.full(2, np.nan)
