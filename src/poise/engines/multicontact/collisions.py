"""Distances between links, and between links and what stands around, with their derivatives.

The shapes are the robot's collision primitives and the scene's solids. A distance is negative
where two overlap; its derivative is the difference of the speeds of the two nearest points along
the line that joins them.
"""

from __future__ import annotations

from dataclasses import dataclass

import coal
import numpy as np
import pinocchio as pin

from poise.engines.multicontact.chart import MORE_JOINTS, Chart
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.scene import SceneFile, SolidWish
from poise.engines.multicontact.stage import Stage
from poise.engines.multicontact.terrain import is_hill
from poise.robot.collision import SelfCollision

NEAR = 0.03  # [m], beyond what is careful: pairs that come no nearer are not looked at closely
CAREFUL = 0.05  # [m], nearer than this to its limit a distance enters the program
WATCHFUL = 0.2  # [m], the same of links and solids before the first solve
COARSE = 4  # every so many samples all pairs are looked at
RESTING = 3e-3  # [m], how deep a part may sink into what it rests on
EXACT = 1e-9  # of the search for the nearest points: derivatives are as exact as these
STANDING = 2e-3  # [m], links that stand close may come closer by this much


@dataclass(frozen=True, eq=False)
class _Body:
    """A shape, and what carries it."""

    name: str
    joint: int  # of the chart's model; 0 is the world
    T: pin.SE3
    shape: coal.CollisionGeometry


class Obstacles:
    """All pairs of shapes that must not touch."""

    def __init__(self, chart: Chart, scene: SceneFile, stage: Stage, options: PlanOptions) -> None:
        self.chart = chart
        watch = SelfCollision(chart.robot)
        self.bodies = [
            _Body(link, thing.parentJoint + MORE_JOINTS, thing.placement.copy(), thing.geometry)
            for thing, link in zip(watch.geometry.geometryObjects, watch.links, strict=True)
        ]
        self.pairs = [(pair.first, pair.second) for pair in watch.geometry.collisionPairs]
        self.limits = []
        standing = watch.distances(np.array(chart.robot.half_sitting))
        for distance in standing:
            self.limits.append(
                (min(options.clearance, distance - STANDING), min(0.0, distance - 2.5 * STANDING))
            )
        links = len(self.bodies)
        resting = {
            (hold.joint, wish.on)
            for hold, wish in zip(stage.holds, scene.contacts, strict=True)
            if wish.on
        }
        for solid in scene.solids:
            T = pin.SE3(pin.rpy.rpyToMatrix(*solid.rpy), np.array(solid.position))
            self.bodies.append(_Body(solid.name or solid.kind, 0, T, _shape(solid)))
            for body in range(links):
                on = (self.bodies[body].joint, solid.name) in resting
                self.pairs.append((body, len(self.bodies) - 1))
                self.limits.append((-RESTING, -2.0 * RESTING) if on else (options.clearance, 0.0))
        moved = np.zeros((len(self.bodies), chart.nv))
        for k, one in enumerate(self.bodies):
            if one.joint:
                moved[k, chart.chain(one.joint)] = 1.0
        first, second = np.array(self.pairs, dtype=int).reshape(-1, 2).T
        # the second of a pair moves away from the first; what moves both alike changes nothing
        self.signs = moved[second] - moved[first]  # (pairs, nv)
        # soles step over low solids by their height above them
        feet = {chart.carrier(part)[0] for part in chart.robot.feet}
        under = {
            len(self.bodies) - len(scene.solids) + k
            for k, box in enumerate(stage.humps)
            if is_hill(*box, float(stage.start[2]))
        }
        self.stepped = [self.bodies[a].joint in feet and b in under for a, b in self.pairs]
        self._geometry = self._all()
        self._found = pin.GeometryData(self._geometry)
        self._results = list(self._found.distanceResults)
        self._normals = [result.normal for result in self._results]  # Pinocchio's memory
        self._data = chart.model.createData()

    def _all(self) -> pin.GeometryModel:
        geometry = pin.GeometryModel()
        for k, body in enumerate(self.bodies):
            geometry.addGeometryObject(
                pin.GeometryObject(f"{body.name}/{k}", body.joint, 0, body.T, body.shape)
            )
        for a, b in self.pairs:
            geometry.addCollisionPair(pin.CollisionPair(a, b))
        return geometry

    def all_distances(self, q: np.ndarray) -> np.ndarray:
        """Distance of every pair at flat coordinates (nv,) [m]."""
        pin.computeDistances(self.chart.model, self._data, self._geometry, self._found, q)
        return np.array([result.min_distance for result in self._results])

    def careful(self, watchful: bool) -> np.ndarray:
        """Nearer than this to their limits pairs enter the program [m], (pairs,)."""
        solid = np.array([self.bodies[b].joint == 0 for _, b in self.pairs], dtype=bool)
        return np.where(solid, WATCHFUL, CAREFUL) if watchful else np.full(len(solid), CAREFUL)

    def near(self, q: np.ndarray, reach: np.ndarray) -> list[int]:
        """Pairs that come nearer than their reach [m] at some of the postures (n, nv)."""
        least = np.full(len(self.pairs), np.inf)
        for row in q[::COARSE]:
            np.minimum(least, self.all_distances(row), out=least)
        return np.flatnonzero(least < reach).tolist()

    def distances(self, pairs: list[int], q: np.ndarray) -> np.ndarray:
        """Distances of some pairs at postures (n, nv) [m], (n, pairs)."""
        found = np.empty((len(q), len(pairs)))
        for k, row in enumerate(q):
            pin.forwardKinematics(self.chart.model, self._data, row)
            self._place(self._data)
            for j, pair in enumerate(pairs):
                pin.computeDistance(self._geometry, self._found, pair)
                found[k, j] = self._results[pair].min_distance
        return found

    def meter(self, pairs: list[int]) -> Meter:
        """What measures some pairs, apart from all others."""
        return Meter(self.chart, self._geometry, pairs)

    def overlaps(
        self, data: pin.Data, Jt: np.ndarray, room: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """How much pairs are too close [m], (k,), negative, and derivatives by q, (k, nv).

        Args:
            data: of the chart's model, with the joints where they are.
            Jt: motions about the world's origin there, (nv, 6).
            room: asked beyond what the solver keeps, where it keeps a distance [m].
        """
        self._place(data)
        pin.computeDistances(self._geometry, self._found)
        low = [least + room if least > 0.0 else least for least, _ in self.limits]
        distance = np.array([result.min_distance for result in self._results])
        close = np.flatnonzero(distance < np.array(low))
        if not len(close):
            return np.zeros(0), np.zeros((0, self.chart.nv))
        normal = np.array([self._normals[pair] for pair in close])
        point = np.array([self._results[pair].getNearestPoint1() for pair in close])
        line = np.concatenate([normal, np.cross(point, normal)], axis=1)
        return distance[close] - np.array(low)[close], (line @ Jt.T) * self.signs[close]

    def _place(self, data: pin.Data) -> None:
        pin.updateGeometryPlacements(self.chart.model, data, self._geometry, self._found)

    def least(self, pair: int) -> float:
        """What the solver keeps [m]."""
        return self.limits[pair][0]

    def floor(self, pair: int) -> float:
        """What must be kept [m]."""
        return self.limits[pair][1]

    def chain(self, pair: int) -> np.ndarray:
        """Coordinates that move one of the two but not both alike, rising."""
        return np.flatnonzero(self.signs[pair])

    def name(self, pair: int) -> str:
        """The two."""
        return " and ".join(self.bodies[i].name for i in self.pairs[pair])


class Meter:
    """Measures the distances of some pairs, in memory of its own."""

    def __init__(self, chart: Chart, geometry: pin.GeometryModel, pairs: list[int]) -> None:
        self._model, self._geometry = chart.model, geometry
        self._found = found = pin.GeometryData(geometry)
        found.deactivateAllCollisionPairs()
        for pair in pairs:
            found.activateCollisionPair(pair)
            found.distanceRequests[pair].gjk_tolerance = EXACT
        self._results = [found.distanceResults[pair] for pair in pairs]
        self._records, self._pairs = _records(geometry, found), np.array(pairs, dtype=int)
        if not self._reads_memory():
            self._records = None

    def __call__(self, data: pin.Data, out: np.ndarray) -> None:
        """Normal and nearest points [m] of each pair, into out (pairs, 9).

        Args:
            data: of the chart's model, with the joints where they are.
            out: takes the numbers; the distance is that of the points along the normal.
        """
        pin.updateGeometryPlacements(self._model, data, self._geometry, self._found)
        pin.computeDistances(self._geometry, self._found)
        if self._records is None:
            self._ask(out)
        else:
            self._records.take(self._pairs, axis=0, out=out, mode="clip")

    def _ask(self, out: np.ndarray) -> None:
        for mine, result in zip(out, self._results, strict=True):
            mine[:3] = result.normal
            mine[3:6], mine[6:] = result.getNearestPoint1(), result.getNearestPoint2()

    def _reads_memory(self) -> bool:
        """Whether the results lie where they are read; asking for each takes longer."""
        if self._records is None:
            return False
        data = self._model.createData()
        pin.forwardKinematics(self._model, data, np.zeros(self._model.nv))
        read, asked = np.empty((2, len(self._pairs), 9))
        self(data, read)
        self._ask(asked)
        return bool(np.abs(read - asked).max(initial=0.0) < 1e-8)


def _records(geometry: pin.GeometryModel, found: pin.GeometryData) -> np.ndarray | None:
    """Normal and both nearest points of all pairs as they lie in Pinocchio's memory, (pairs, 9)."""
    normals = [result.normal for result in found.distanceResults]
    at = np.array([normal.__array_interface__["data"][0] for normal in normals])
    steps = np.unique(np.diff(at))
    if len(steps) != 1:
        return None
    strides = (int(steps[0]), 8)
    return np.lib.stride_tricks.as_strided(normals[0], (len(at), 9), strides, writeable=False)


def _shape(solid: SolidWish) -> coal.CollisionGeometry:
    if solid.kind == "box":
        return coal.Box(*solid.size)
    if solid.kind == "sphere":
        return coal.Sphere(solid.size[0])
    return coal.Cylinder(*solid.size)
