"""Footing: a contact as inverse dynamics sees it, with all that does not change precomputed."""

from __future__ import annotations

from collections.abc import Sequence
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


class FootingMaps:
    """The matrices of all footings of an instant, kept up to date with the parts' poses.

    All that depends on the orientation of a part is linear in it, so one product of a constant
    matrix with the nine numbers of a rotation refreshes everything of a footing, and one
    stacked product that of all footings. Footings with fewer points than others are filled up
    with points that carry nothing.

    Attributes:
        size: number of force coefficients of all footings together.
        count: number of contact points of all footings together.
        forces: generalised force of a unit of each coefficient, (size, nv).
        normals: normal acceleration of each point by accelerations, (count, nv).
        ceilings: most that each coefficient may be [N], (size,).
    """

    def __init__(self, footings: Sequence[Footing], nv: int) -> None:
        self.parts = [f.part for f in footings]
        k = max((len(f.touch.points) for f in footings), default=0)
        n = len(footings)
        self._k, width = k, (EDGES + 1) * k
        self.size, self.count = n * EDGES * k, n * k
        self.ceilings = np.zeros(self.size)
        self._columns = np.zeros((n, 6, width))  # wrenches of the edges, then of the normals
        self._turning = np.zeros((n, 3 * width + k, 9))
        self._turned = np.zeros((n, 3 * width + k, 1))
        self._normal = np.zeros((n, 3))
        self._anchors = np.zeros((n, k))
        for i, footing in enumerate(footings):
            self._mould(i, footing, k)
        self.set_ceilings(footings)
        self._columns_T = self._columns.transpose(0, 2, 1)
        self._normal_columns_T = self._columns_T[:, EDGES * k :]
        self._levers = self._turned[:, : 3 * width, 0].reshape(n, 3, width)
        self._heights = self._turned[:, 3 * width :, 0]
        self._R = np.zeros((n, 9, 1))
        self._R_rows = self._R.reshape(n, 3, 3)
        self._J, self._drift = np.zeros((n, 6, nv)), np.zeros((n, 6, 1))
        self._drift_rows = self._drift.reshape(n, 6)
        self._product = np.zeros((n, width, nv))
        self.forces, self.normals = np.zeros((self.size, nv)), np.zeros((self.count, nv))
        self._forces_rows = self.forces.reshape(n, EDGES * k, nv)
        self._normals_rows = self.normals.reshape(n, k, nv)
        self._base = np.zeros((n, 1))

    def _mould(self, i: int, footing: Footing, k: int) -> None:
        """What never changes while a touch lasts."""
        touch = footing.touch
        R, real = touch.T_world_surface.rotation, len(touch.points)
        points = np.vstack([touch.points, np.tile(touch.points[-1:], (k - real, 1))])
        width = (EDGES + 1) * k
        edges = np.tile(R @ pyramid(np.eye(3), footing.friction), k)  # the surface rests
        pushes = np.hstack([edges, np.tile(R[:, 2:], k)])  # (3, width)
        owners = np.r_[np.repeat(np.arange(k), EDGES), np.arange(k)]
        self._columns[i, :3] = pushes
        # lever x push = -[push]x R_world_part p, and height = normal . R_world_part p
        for j, owner in enumerate(owners):
            turn = -np.einsum("ab,c->abc", skew(pushes[:, j]), points[owner]).reshape(3, 9)
            self._turning[i, j : 3 * width : width] = turn
        for j, point in enumerate(points):
            self._turning[i, 3 * width + j] = np.outer(R[:, 2], point).ravel()
        self._normal[i] = R[:, 2]
        self._anchors[i] = points @ R.T @ R[:, 2] + touch.T_world_surface.translation @ R[:, 2]

    @property
    def owners(self) -> list[str]:
        """Whose each of the points is."""
        return [part for part in self.parts for _ in range(self._k)]

    def set_ceilings(self, footings: Sequence[Footing]) -> None:
        """How hard each footing may push now; the points filled in carry nothing."""
        rows = self.ceilings.reshape(len(self.parts), EDGES * self._k)
        for row, footing in zip(rows, footings, strict=True):
            row[: EDGES * len(footing.touch.points)] = footing.ceiling

    def refresh(self, at: Snapshot) -> None:
        """Update `forces` and `normals`."""
        for i, part in enumerate(self.parts):
            self._R_rows[i] = at.rotation(part)
            self._J[i] = at.jacobian(part)
            self._drift_rows[i] = at.drift(part)
            self._base[i, 0] = self._normal[i].dot(at.position(part))
        np.matmul(self._turning, self._R, out=self._turned)
        self._columns[:, 3:] = self._levers
        np.matmul(self._columns_T, self._J, out=self._product)
        edges = EDGES * self._k
        self._forces_rows[:] = self._product[:, :edges]
        self._normals_rows[:] = self._product[:, edges:]

    def sinking(self, at: Snapshot, recovery: float) -> np.ndarray:
        """How much the points must not accelerate downwards by less than [m/s^2], (count,).

        Each comes back to its surface like a critically damped spring with a time constant
        `recovery` [s], never faster.
        """
        wish = np.matmul(self._normal_columns_T, self._drift).ravel()
        wish += (2.0 / recovery) * (self.normals @ at.v)
        heights = self._heights - self._anchors
        heights += self._base
        heights *= 1.0 / recovery**2
        wish += heights.ravel()
        return np.negative(wish, out=wish)

    def wrenches(self, coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Wrench on each part, at its frame, world axes [N, N m]."""
        edges = EDGES * self._k
        shares = coefficients.reshape(len(self.parts), edges, 1)
        found = np.matmul(self._columns[:, :, :edges], shares)
        return {part: found[i, :, 0] for i, part in enumerate(self.parts)}


def skew(a: np.ndarray) -> np.ndarray:
    """Matrix of the cross product with a, (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
