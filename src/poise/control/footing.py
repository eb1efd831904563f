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
    all >= 0. `wrench_map` takes them to the wrench at the part's frame, world axes.
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

    def moulds(self) -> tuple[np.ndarray, np.ndarray]:
        """Force edges and levers of every coefficient in surface axes, (3, size) each."""
        edges = np.tile(pyramid(np.eye(3), self.friction), len(self.touch.points))
        return edges, np.repeat(self.touch.points, EDGES, axis=0).T


class FootingMaps:
    """The matrices of one footing, kept up to date with the part's pose."""

    def __init__(self, footing: Footing) -> None:
        self.footing = footing
        T = footing.touch.T_world_surface
        points = footing.touch.points
        k, size = len(points), footing.size
        edges, _ = footing.moulds()
        self._edges = T.rotation @ edges  # world axes: the surface does not move
        self._normal = T.rotation[:, 2]
        self._points = np.ascontiguousarray(points.T)  # part axes, (3, k)
        self._anchor_heights = footing.touch.anchors @ self._normal
        # lever x edge is linear in the lever: crosses[j] @ lever_row gives all of them at once
        self._edge_cross = np.stack([_cross_matrix(e) for e in self._edges.T])  # (size, 3, 3)
        self._normal_cross = _cross_matrix(self._normal)
        self._owner = np.repeat(np.arange(k), EDGES)
        self.wrench_map = np.zeros((6, size))
        self.wrench_map[:3] = self._edges
        self.normal_map = np.zeros((k, 6))
        self.normal_map[:, :3] = self._normal

    def refresh(self, at: Snapshot) -> tuple[np.ndarray, np.ndarray]:
        """Update both maps; heights [m] and speeds [m/s] of the points above the surface, (k,)."""
        part = self.footing.part
        levers = at.rotation(part) @ self._points  # world axes, (3, k)
        # lever x edge = -(edge x) lever
        self.wrench_map[3:] = -np.einsum("jab,bj->aj", self._edge_cross, levers[:, self._owner])
        self.normal_map[:, 3:] = -(self._normal_cross @ levers).T
        heights = self._normal @ levers + self._normal @ at.position(part) - self._anchor_heights
        return heights, self.normal_map @ at.velocity(part)


def _cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
