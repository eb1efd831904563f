"""Footing: a contact as inverse dynamics sees it, with all that does not change precomputed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.compiled import compiled
from poise.contacts import Touch, pyramid
from poise.robot import Robot, Snapshot
from poise.robot.frames import FrameTables, write_jacobian, write_rates
from poise.robot.robot import BASE_V

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
    price: float = 1.0  # factor on its forces' cost: where they are shared, the dearer carries less

    @property
    def part(self) -> str:
        """The part of the robot that touches."""
        return self.touch.part


class FootingMaps:
    """The matrices of all footings of an instant, kept up to date with the parts' poses.

    Attributes:
        size: number of force coefficients of all footings together.
        count: number of contact points of all footings together.
        forces: generalised force of a unit of each coefficient, (size, nv).
        normals: normal acceleration of each point by accelerations, (count, nv).
        sinking: how much the points must not accelerate downwards by less than [m/s^2], (count,).
        ceilings: most that each coefficient may be [N], (size,).
        prices: how dear each coefficient is, (size,).
    """

    def __init__(self, footings: Sequence[Footing], robot: Robot) -> None:
        self.parts = [footing.part for footing in footings]
        heights = [len(footing.touch.points) for footing in footings]
        self.count = sum(heights)
        self.size = EDGES * self.count
        self.owners = [
            part for part, height in zip(self.parts, heights, strict=True) for _ in range(height)
        ]
        self._frames = np.array([robot.frame_id(part) for part in self.parts], dtype=np.intp)
        self._ends = np.cumsum(heights, dtype=np.intp)
        self._points = np.zeros((self.count, 3))
        self._normals, self._edges = np.zeros((len(heights), 3)), np.zeros((len(heights), EDGES, 3))
        # height of each surface along its normal, and of the points that rest on it
        self._levels, self._rest = np.zeros(len(heights)), np.zeros(self.count)
        nv = robot.nv
        self.forces, self.normals = np.zeros((self.size, nv)), np.zeros((self.count, nv))
        self.sinking, self.ceilings = np.zeros(self.count), np.zeros(self.size)
        self.prices = np.ones(self.size)
        self._levers = np.zeros((self.count, 3))
        parents, moves = robot.carriers
        self._moved = moves[parents[self._frames]].any(axis=0)
        self._given: list[float] = []
        self._priced = [1.0] * len(heights)
        self._asked, self._reached = np.zeros(0), False
        self.move(footings)

    def move(self, footings: Sequence[Footing]) -> None:
        """Take on other touches of the same parts, with as many points each."""
        self._touches = [(footing.touch, footing.friction) for footing in footings]
        first = 0
        for k, (footing, end) in enumerate(zip(footings, self._ends.tolist(), strict=True)):
            T, own = footing.touch.T_world_surface, slice(first, end)
            self._points[own] = footing.touch.points
            surface = T.rotation, T.translation, _edges(footing.friction), self._points[own]
            self._levels[k] = _write_surface(
                *surface, self._normals[k], self._edges[k], self._rest[own]
            )
            first = end

    def are(self, footings: Sequence[Footing]) -> bool:
        """Whether these are the maps of some footings, whatever their ceilings."""
        if len(footings) != len(self._touches):
            return False
        for footing, (touch, friction) in zip(footings, self._touches, strict=True):
            if footing.touch is not touch or footing.friction != friction:
                return False
        return True

    def reach(self, joints: np.ndarray) -> bool:
        """Whether contact forces act on any of these joints."""
        if joints is not self._asked:  # the same ones are asked for at every tick
            self._asked, self._reached = joints, bool(self._moved[BASE_V + joints].any())
        return self._reached

    def set_ceilings(self, footings: Sequence[Footing]) -> bool:
        """How hard each footing may push now; whether that is new."""
        given = [footing.ceiling for footing in footings]
        if given == self._given:
            return False
        self._given = given
        self._spread(given, self.ceilings)
        return True

    def set_prices(self, footings: Sequence[Footing]) -> bool:
        """How dear the forces of each footing are now; whether that is new."""
        asked = [footing.price for footing in footings]
        if asked == self._priced:
            return False
        self._priced = asked
        self._spread(asked, self.prices)
        return True

    def _spread(self, values: Sequence[float], out: np.ndarray) -> None:
        """Write the value of each footing to all of its coefficients."""
        first = 0
        for end, value in zip(self._ends.tolist(), values, strict=True):
            out[EDGES * first : EDGES * end] = value
            first = end

    def refresh(self, at: Snapshot, recovery: float) -> None:
        """Update `forces`, `normals` and `sinking`.

        Each point comes back to its surface like a critically damped spring with a time
        constant `recovery` [s], never faster.
        """
        places = (self._frames, self._ends, self._points)
        surfaces = (self._normals, self._edges, self._levels, self._rest)
        out = (self.forces, self.normals, self.sinking, self._levers)
        _refresh(at.tables, at.v, recovery, *places, *surfaces, *out)

    def wrenches(self, coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Wrench on each part, at its frame, world axes [N, N m]."""
        found = _wrenches(coefficients, self._ends, self._edges, self._levers)
        return dict(zip(self.parts, found, strict=True))


@lru_cache(maxsize=64)
def _edges(friction: float) -> np.ndarray:
    """Edges of a friction pyramid in the axes of its surface, (EDGES, 3)."""
    return np.ascontiguousarray(pyramid(np.eye(3), friction).T)


@compiled
def _write_surface(
    R: np.ndarray,
    p: np.ndarray,
    edges: np.ndarray,
    points: np.ndarray,
    normal_out: np.ndarray,
    edges_out: np.ndarray,
    rest_out: np.ndarray,
) -> float:
    """What a surface is to its points; its height along its normal [m].

    Args:
        R: R_world_surface.
        p: origin of the surface [m], (3,).
        edges: of the friction pyramid in its axes (EDGES, 3).
        points: in the part's frame, which rests on the surface [m], (k, 3).
        normal_out: of the surface, world axes, (3,).
        edges_out: of the pyramid, world axes, (EDGES, 3).
        rest_out: height of each resting point above the surface's origin [m], (k,).
    """
    level = 0.0
    for i in range(3):
        normal_out[i] = R[i, 2]
        level += R[i, 2] * p[i]
        for e in range(EDGES):
            f = edges[e]
            edges_out[e, i] = R[i, 0] * f[0] + R[i, 1] * f[1] + R[i, 2] * f[2]
    for k in range(points.shape[0]):
        rest_out[k] = points[k, 2]  # the part lies in the axes of the surface
    return level


@compiled
def _refresh(
    tables: FrameTables,
    v: np.ndarray,
    recovery: float,
    frames: np.ndarray,
    ends: np.ndarray,
    points: np.ndarray,
    normals: np.ndarray,
    edges: np.ndarray,
    levels: np.ndarray,
    rest: np.ndarray,
    forces_out: np.ndarray,
    normals_out: np.ndarray,
    sinking_out: np.ndarray,
    levers_out: np.ndarray,
) -> None:
    """Matrices of the points of all footings; see the attributes of FootingMaps."""
    nv = v.shape[0]
    J, spin, drift = np.empty((6, nv)), np.empty(3), np.empty(6)
    point = 0
    for i in range(frames.shape[0]):
        write_jacobian(tables, frames[i], 0, J)
        write_rates(tables, frames[i], spin, drift)
        T, n = tables[0][frames[i]], normals[i]
        base = n[0] * T[9] + n[1] * T[10] + n[2] * T[11] - levels[i]
        while point < ends[i]:
            p = points[point]
            x = T[0] * p[0] + T[3] * p[1] + T[6] * p[2]
            y = T[1] * p[0] + T[4] * p[1] + T[7] * p[2]
            z = T[2] * p[0] + T[5] * p[1] + T[8] * p[2]
            levers_out[point, 0], levers_out[point, 1], levers_out[point, 2] = x, y, z
            for e in range(EDGES):
                f, out = edges[i, e], forces_out[EDGES * point + e]
                _push(J, x, y, z, f, out)
            row = normals_out[point]
            _push(J, x, y, z, n, row)
            rate = 0.0
            for c in range(nv):
                rate += row[c] * v[c]
            # the drift is taken at the part's frame: what the points add by turning is small
            fall = n[0] * drift[0] + n[1] * drift[1] + n[2] * drift[2]
            fall += (y * n[2] - z * n[1]) * drift[3]
            fall += (z * n[0] - x * n[2]) * drift[4]
            fall += (x * n[1] - y * n[0]) * drift[5]
            height = base + n[0] * x + n[1] * y + n[2] * z - rest[point]
            sinking_out[point] = -(fall + 2.0 / recovery * rate + height / recovery**2)
            point += 1


@compiled
def _push(J: np.ndarray, x: float, y: float, z: float, f: np.ndarray, out: np.ndarray) -> None:
    """Generalised force of a force f with the lever (x, y, z) from the frame of J."""
    mx, my, mz = y * f[2] - z * f[1], z * f[0] - x * f[2], x * f[1] - y * f[0]
    for c in range(out.shape[0]):
        out[c] = (
            f[0] * J[0, c] + f[1] * J[1, c] + f[2] * J[2, c]
            + mx * J[3, c] + my * J[4, c] + mz * J[5, c]
        )  # fmt: skip


@compiled
def _wrenches(
    coefficients: np.ndarray, ends: np.ndarray, edges: np.ndarray, levers: np.ndarray
) -> np.ndarray:
    """Wrench of each footing at its frame, (footings, 6)."""
    out = np.zeros((ends.shape[0], 6))
    point = 0
    for i in range(ends.shape[0]):
        wrench = out[i]
        while point < ends[i]:
            fx = fy = fz = 0.0
            for e in range(EDGES):
                share, f = coefficients[EDGES * point + e], edges[i, e]
                fx += share * f[0]
                fy += share * f[1]
                fz += share * f[2]
            x, y, z = levers[point]
            wrench[0] += fx
            wrench[1] += fy
            wrench[2] += fz
            wrench[3] += y * fz - z * fy
            wrench[4] += z * fx - x * fz
            wrench[5] += x * fy - y * fx
            point += 1
    return out
