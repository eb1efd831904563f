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
from poise.engines.multicontact.dynamics import Instants
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.scene import SceneFile, SolidWish
from poise.engines.multicontact.spatial import skew
from poise.engines.multicontact.stage import Stage
from poise.robot.collision import SelfCollision

NEAR = 0.08  # [m], pairs that come no nearer are not looked at closely
COARSE = 4  # every so many samples all pairs are looked at
RESTING = 3e-3  # [m], how deep a part may sink into what it rests on
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
        self.joints = sorted({body.joint for body in self.bodies if body.joint > 0})
        self._chains = {joint: chart.chain(joint) for joint in self.joints}
        self._chains[0] = np.zeros(chart.nv, dtype=bool)
        self._between: dict[int, np.ndarray] = {}
        self._geometry = self._all()
        self._results = pin.GeometryData(self._geometry)
        self._data = chart.model.createData()
        self._request, self._result = coal.DistanceRequest(), coal.DistanceResult()
        self._request.enable_signed_distance = True

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
        pin.computeDistances(self.chart.model, self._data, self._geometry, self._results, q)
        return np.array([result.min_distance for result in self._results.distanceResults])

    def near(self, phase: int, at: Instants) -> list[int]:
        """Pairs that come near at some of the instants."""
        least = np.full(len(self.pairs), np.inf)
        for q in at.q[::COARSE]:
            np.minimum(least, self.all_distances(q), out=least)
        return np.flatnonzero(least < NEAR).tolist()

    def distances(
        self, pair: int, at: Instants, nodes: np.ndarray, slopes: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances of a pair at some instants [m], (k,), and derivatives by q, (k, nv)."""
        a, b = (self.bodies[i] for i in self.pairs[pair])
        value = np.empty(len(nodes))
        normal, near = np.empty((len(nodes), 3)), np.empty((2, len(nodes), 3))
        request, result = self._request, self._result
        for k, node in enumerate(nodes):
            result.clear()
            value[k] = coal.distance(
                a.shape, _placed(a, at, node), b.shape, _placed(b, at, node), request, result
            )
            if slopes:
                normal[k] = result.normal
                near[0, k], near[1, k] = result.getNearestPoint1(), result.getNearestPoint2()
        by_q = np.zeros((len(nodes), self.chart.nv))
        if slopes:
            J = at.J[nodes]
            for body, points, sign in ((a, near[0], -1.0), (b, near[1], 1.0)):
                if body.joint:
                    moment = (skew(points) @ normal[..., None])[..., 0]
                    line = np.concatenate([normal, moment], axis=1)
                    moved = (line[:, None] @ J)[:, 0]
                    by_q += sign * np.where(self._chains[body.joint], moved, 0.0)
        return value, by_q

    def least(self, pair: int, phase: int) -> float:
        """What the solver keeps [m]."""
        return self.limits[pair][0]

    def floor(self, pair: int, phase: int) -> float:
        """What must be kept [m]."""
        return self.limits[pair][1]

    def chain(self, pair: int) -> np.ndarray:
        """Coordinates that move one of the two but not both alike."""
        found = self._between.get(pair)
        if found is None:
            a, b = (self._chains[self.bodies[i].joint] for i in self.pairs[pair])
            found = np.flatnonzero(a ^ b) if a.any() and b.any() else np.flatnonzero(a | b)
            self._between[pair] = found
        return found

    def name(self, pair: int) -> str:
        """The two."""
        return " and ".join(self.bodies[i].name for i in self.pairs[pair])


def _placed(body: _Body, at: Instants, node: int) -> coal.Transform3s:
    if body.joint == 0:
        return coal.Transform3s(body.T.rotation, body.T.translation)
    R, p = at.R[body.joint][node], at.p[body.joint][node]
    return coal.Transform3s(R @ body.T.rotation, p + R @ body.T.translation)


def _shape(solid: SolidWish) -> coal.CollisionGeometry:
    if solid.kind == "box":
        return coal.Box(*solid.size)
    if solid.kind == "sphere":
        return coal.Sphere(solid.size[0])
    return coal.Cylinder(*solid.size)
