"""How near the collision primitives of a robot come to each other, and how to thin them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from poise.robot.collision import NEIGHBOURS, coal_shape, joint_distances
from poise.robot.onboarding.capsules import Primitive
from poise.robot.parts import Shape

THINNER = 0.94  # one step of thinning
THINNEST = {True: 0.55, False: 0.75}  # of the fitted size: for the standing posture, for others


class Clearance:
    """Distances between primitives of links that should never touch."""

    def __init__(self, model: pin.Model, primitives: Sequence[Primitive]) -> None:
        self.model = model
        self.geometry = pin.GeometryModel()
        for k, p in enumerate(primitives):
            index = model.getFrameId(p.link, pin.FrameType.BODY)
            frame = model.frames[index]
            shape = coal_shape(Shape(p.link, p.kind, p.size, p.T_link_shape))
            self.geometry.addGeometryObject(
                pin.GeometryObject(
                    str(k), frame.parentJoint, index, frame.placement * p.T_link_shape, shape
                )
            )
        depth = joint_distances(model)
        objects = self.geometry.geometryObjects
        self.pairs = [
            (a, b)
            for a in range(len(objects))
            for b in range(a + 1, len(objects))
            if depth[objects[a].parentJoint, objects[b].parentJoint] > NEIGHBOURS
        ]
        for a, b in self.pairs:
            self.geometry.addCollisionPair(pin.CollisionPair(a, b))
        self._data, self._results = model.createData(), pin.GeometryData(self.geometry)

    def distances(self, q: np.ndarray) -> np.ndarray:
        """Distance of every pair [m], negative inside each other."""
        if not self.pairs:
            return np.zeros(0)
        pin.computeDistances(self.model, self._data, self.geometry, self._results, q)
        return np.array([r.min_distance for r in self._results.distanceResults])

    def least(self, q: np.ndarray, joints: set[int]) -> float:
        """The smallest distance of pairs in which some joints take part [m]."""
        parents = [g.parentJoint for g in self.geometry.geometryObjects]
        found = [
            d
            for d, (a, b) in zip(self.distances(q), self.pairs, strict=True)
            if parents[a] in joints or parents[b] in joints
        ]
        return float(min(found, default=np.inf))


def thinned(
    model: pin.Model, primitives: list[Primitive], postures: Sequence[tuple[np.ndarray, bool]]
) -> tuple[list[Primitive], list[float]]:
    """Primitives thin enough not to overlap in some postures, and by how much each was thinned.

    Args:
        model: of the robot.
        primitives: as fitted.
        postures: configurations, and whether the robot stands in them: there they may become
            thinner than elsewhere.
    """
    scales = np.ones(len(primitives))

    def close(q: np.ndarray, sizes: np.ndarray) -> set[tuple[int, int]]:
        now = [p.shrunk(s) for p, s in zip(primitives, sizes, strict=True)]
        clearance = Clearance(model, now)
        return {clearance.pairs[k] for k in np.flatnonzero(clearance.distances(q) <= 1e-3)}

    for q, stands in postures:
        hopeless = set() if stands else close(q, np.minimum(scales, THINNEST[stands]))
        while True:
            touched = {k for pair in close(q, scales) - hopeless for k in pair}
            thick = [k for k in touched if scales[k] * THINNER > THINNEST[stands]]
            if not thick:
                break
            scales[thick] *= THINNER
    return [p.shrunk(s) for p, s in zip(primitives, scales, strict=True)], scales.tolist()
