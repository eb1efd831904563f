"""How close the robot comes to itself, on its collision primitives."""

from __future__ import annotations

from dataclasses import dataclass

import coal
import numpy as np
import pinocchio as pin

from poise.robot.parts import Shape
from poise.robot.robot import Robot

NEIGHBOURS = 2  # links at most this many joints apart may touch: they are built that way


@dataclass(frozen=True)
class Closest:
    """The closest pair of links and how far apart they are."""

    distance: float  # [m], negative when they overlap
    links: tuple[str, str]


class SelfCollision:
    """Distances between the links of a robot that should never touch.

    Pairs of neighbours are left out, and so are pairs whose primitives overlap in half-sitting:
    there the primitives are too coarse to say anything.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.geometry, self.links = geometry_model(robot)
        depth = joint_distances(robot.model)
        objects = self.geometry.geometryObjects
        for a in range(len(objects)):
            for b in range(a + 1, len(objects)):
                if depth[objects[a].parentJoint, objects[b].parentJoint] > NEIGHBOURS:
                    self.geometry.addCollisionPair(pin.CollisionPair(a, b))
        self._data = robot.model.createData()
        self._results = pin.GeometryData(self.geometry)
        overlapping = np.flatnonzero(self.distances(robot.half_sitting) <= 0.0)
        for k in overlapping[::-1]:
            self.geometry.removeCollisionPair(self.geometry.collisionPairs[int(k)])
        self._results = pin.GeometryData(self.geometry)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Names of the links of every pair that is watched."""
        return [
            (self.links[pair.first], self.links[pair.second])
            for pair in self.geometry.collisionPairs
        ]

    def distances(self, q: np.ndarray) -> np.ndarray:
        """Distance of every pair at a configuration [m], negative inside each other."""
        pin.computeDistances(self.robot.model, self._data, self.geometry, self._results, q)
        return np.array([result.min_distance for result in self._results.distanceResults])

    def closest(self, q: np.ndarray) -> Closest:
        """The pair that is closest at a configuration."""
        distances = self.distances(q)
        if not len(distances):
            return Closest(np.inf, ("", ""))
        worst = int(distances.argmin())
        return Closest(float(distances[worst]), self.pairs[worst])


def geometry_model(robot: Robot) -> tuple[pin.GeometryModel, list[str]]:
    """Pinocchio's geometry of the collision primitives, and the link of each."""
    geometry, links = pin.GeometryModel(), []
    for k, shape in enumerate(robot.shapes):
        frame = robot.model.frames[robot.frame_id(shape.link)]
        placement = frame.placement * shape.T_link_shape
        geometry.addGeometryObject(
            pin.GeometryObject(
                f"{shape.link}/{k}",
                frame.parentJoint,
                robot.frame_id(shape.link),
                placement,
                coal_shape(shape),
            )
        )
        links.append(shape.link)
    return geometry, links


def coal_shape(shape: Shape) -> coal.CollisionGeometry:
    """The coal primitive of a shape."""
    if shape.kind == "box":
        return coal.Box(*shape.size)
    if shape.kind == "sphere":
        return coal.Sphere(shape.size[0])
    return coal.Capsule(*shape.size)


def joint_distances(model: pin.Model) -> np.ndarray:
    """How many joints lie between two joints of the tree, (njoints, njoints)."""
    n = model.njoints
    distance = np.zeros((n, n), dtype=int)
    for child in range(1, n):
        parent = model.parents[child]
        distance[child, :child] = distance[parent, :child] + 1
        distance[:child, child] = distance[child, :child]
    return distance
