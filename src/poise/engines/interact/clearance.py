"""Arms keep clear of the body: how near they are to it, and how fast they may come nearer.

A hand that is pulled into the hips would press its arm against them, and the wrist would feel the
robot itself instead of the partner. So an arm may come nearer to the body only as fast as what is
left of the way between them allows.

Most pairs of links are far apart and stay so for a while: they are looked at in turns, and only
those that are near are looked at every period.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import coal
import numpy as np
import pinocchio as pin

from poise.compiled import compiled
from poise.robot import Robot, Snapshot
from poise.robot.collision import SelfCollision

ROOM = 0.006  # of the robot's height, that an arm keeps from the body
NEAR = 0.03  # of the robot's height: arms further away are free
WATCHED = 0.06  # of the robot's height: links that are nearer are looked at every period
ROUND = 0.16  # [s], in which all pairs of links have been looked at
CLOSING = 10.0  # [1/s], how fast an arm may come nearer to the body, of what is left


class Near(NamedTuple):
    """Two links that are near each other: row @ v is how fast they part."""

    distance: float  # [m]
    row: np.ndarray  # (nv,)
    least: float  # [m/s], the least at which they may part: below zero they come nearer


class Clearance:
    """The links of held arms against all others."""

    def __init__(self, robot: Robot, q: np.ndarray, shoulders: Iterable[int], dt: float) -> None:
        """Prepare.

        Args:
            robot: who.
            q: at rest; links that are nearer there than they should be may stay so, (nq,).
            shoulders: joints that carry the held arms.
            dt: period of the looks [s].
        """
        self.robot = robot
        links = SelfCollision(robot)
        self._links, self._geometry = links, links.geometry
        self._results = pin.GeometryData(self._geometry)
        objects = self._geometry.geometryObjects
        arms = [set(robot.model.subtrees[shoulder].tolist()) for shoulder in shoulders]
        self._pairs, self._joints = [], []
        for k, pair in enumerate(self._geometry.collisionPairs):
            a, b = objects[pair.first].parentJoint, objects[pair.second].parentJoint
            if any((a in arm) != (b in arm) for arm in arms):
                self._pairs.append(k)
                self._joints.append((a, b))
        self._distances = links.distances(q)[self._pairs]
        self._rooms = np.minimum(ROOM * robot.height, self._distances)
        self._near, self._watched = NEAR * robot.height, WATCHED * robot.height
        self._turns, self._turn = max(round(ROUND / dt), 1), 0

    def left(self, q: np.ndarray) -> float:
        """How much nearer than now an arm may come to the body in a posture [m]."""
        distances = self._links.distances(q)[self._pairs]
        return float((distances - self._rooms).min(initial=np.inf))

    def look(self, at: Snapshot) -> list[Near]:
        """The pairs that are near each other now.

        Args:
            at: the robot, with places and Jacobians of all joints.
        """
        found: list[Near] = []
        if not self._pairs:
            return found
        model, geometry, results = self.robot.model, self._geometry, self._results
        pin.updateGeometryPlacements(model, at.data, geometry, results)
        self._turn = (self._turn + 1) % self._turns
        due = self._distances < self._watched
        due[self._turn :: self._turns] = True
        for i in np.flatnonzero(due).tolist():
            result = pin.computeDistance(geometry, results, self._pairs[i])
            distance = float(result.min_distance)
            self._distances[i] = distance
            if distance < self._near:
                least = CLOSING * (float(self._rooms[i]) - distance)
                found.append(Near(distance, self._parting(at, i, result), min(least, 0.0)))
        return found

    def _parting(self, at: Snapshot, i: int, result: coal.DistanceResult) -> np.ndarray:
        """How fast two links part by each entry of v, (nv,)."""
        first, second = self._joints[i]
        columns, moves = at.tables[4], at.tables[6]
        ends = result.getNearestPoint1(), result.getNearestPoint2()
        return _parting(result.normal, *ends, columns, moves[first], moves[second])


@compiled
def _parting(
    n: np.ndarray,
    p: np.ndarray,
    r: np.ndarray,
    columns: np.ndarray,
    moves_p: np.ndarray,
    moves_r: np.ndarray,
) -> np.ndarray:
    """How fast point r of one link parts from point p of another along n, by each entry of v."""
    row = np.zeros(columns.shape[1])
    for c in range(len(row)):
        if moves_p[c] == moves_r[c]:
            continue  # both or none: n lies along r - p
        q, sign = (r, 1.0) if moves_r[c] else (p, -1.0)
        along = n[0] * columns[0, c] + n[1] * columns[1, c] + n[2] * columns[2, c]
        along += (q[1] * n[2] - q[2] * n[1]) * columns[3, c]
        along += (q[2] * n[0] - q[0] * n[2]) * columns[4, c]
        along += (q[0] * n[1] - q[1] * n[0]) * columns[5, c]
        row[c] = sign * along
    return row
