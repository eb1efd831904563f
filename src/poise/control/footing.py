"""Footing: a contact as inverse dynamics sees it, with all that does not change precomputed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.contacts import Touch, pyramid
from poise.robot import Snapshot

EDGES = 4  # of each point's friction pyramid


@dataclass(frozen=True, eq=False)
class Footing:
    """Where a part may push: points with friction pyramids, and how hard at most.

    The unknowns of a footing are the coefficients of its pyramid edges, four for each point,
    all >= 0.
    """

    touch: Touch
    friction: float
    ceiling: float  # [N], on each coefficient; small values let a foot take weight gradually

    @property
    def part(self) -> str:
        """The part of the robot that touches."""
        return self.touch.part

    @property
    def size(self) -> int:
        """Number of force coefficients."""
        return EDGES * len(self.touch.points)


class FootingMaps:
    """The matrices of one footing, kept up to date with the part's pose.

    All that depends on the orientation of the part is linear in it, so one product of a
    constant matrix with the nine numbers of a rotation refreshes everything.

    Attributes:
        columns: wrenches at the part's frame, world axes, of a unit of each force coefficient,
            then of a unit of normal force at each point, (6, size + k).
    """

    def __init__(self, footing: Footing) -> None:
        self.footing = footing
        touch = footing.touch
        R, points = touch.T_world_surface.rotation, touch.points
        self.size, self.count = footing.size, len(points)
        edges = np.tile(R @ pyramid(np.eye(3), footing.friction), self.count)  # the surface rests
        pushes = np.hstack([edges, np.tile(R[:, 2:], self.count)])  # (3, size + k)
        owners = np.r_[np.repeat(np.arange(self.count), EDGES), np.arange(self.count)]
        width = self.size + self.count
        self._memory = np.zeros(6 * width + self.count)
        self.columns = self._memory[: 6 * width].reshape(6, width)
        self.columns[:3] = pushes
        self._turned = self._memory[3 * width :]  # levers x pushes, then heights of the points
        # lever x push = -[push]x R_world_part p, and height = normal . R_world_part p
        rows = np.zeros((3 * width + self.count, 9))
        for j, owner in enumerate(owners):
            turn = -np.einsum("ab,c->abc", skew(pushes[:, j]), points[owner]).reshape(3, 9)
            rows[j : 3 * width : width] = turn
        for k, point in enumerate(points):
            rows[3 * width + k] = np.outer(R[:, 2], point).ravel()
        self._rows = rows
        self._normal = R[:, 2].copy()
        self._anchor_heights = touch.anchors @ self._normal
        self._heights = np.zeros(self.count)

    @property
    def wrench_map(self) -> np.ndarray:
        """Wrench at the part's frame, world axes, of the force coefficients, (6, size)."""
        return self.columns[:, : self.size]

    def refresh(self, at: Snapshot) -> np.ndarray:
        """Update `columns`; heights of the points above the surface [m], (k,)."""
        part = self.footing.part
        np.matmul(self._rows, at.rotation(part).ravel(), out=self._turned)
        base = float(self._normal @ at.position(part))
        np.subtract(self._memory[-self.count :], self._anchor_heights - base, out=self._heights)
        return self._heights


def skew(a: np.ndarray) -> np.ndarray:
    """Matrix of the cross product with a, (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
