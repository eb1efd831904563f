"""The arm guard: arms that come too close to the body are drawn back to their rest pose.

Arms that balance the body go where momentum takes them. Every few ticks the guard looks how
close they come to trunk, legs, head and each other; the closer, the more strongly the rest pose
pulls. The rest pose itself is clear, so the pull leads away.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf

import numpy as np
import pinocchio as pin

from poise.robot import Robot
from poise.robot.collision import geometry_model, joint_distances
from poise.robot.robot import BASE_Q

ENOUGH = 0.035  # of the robot's height: arms further away than this are free
SHARE = 0.7  # of the distance in the rest pose, where that is less
EVERY = 8  # ticks between two looks
QUICKNESS = 25.0  # [1/s], how fast the guard tightens
RELEASE = 2.0  # [1/s], and lets go
NEIGHBOURS = 2  # links this many joints apart may touch: they are built that way


class ArmClearance:
    """Distances between arms and everything that they could hit."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._geometry, _ = geometry_model(robot)
        groups = ("left_arm", "right_arm")
        arms = {robot.model.getJointId(name) for g in groups for name in robot.groups.get(g, ())}
        apart = joint_distances(robot.model)
        objects = self._geometry.geometryObjects
        for a in range(len(objects)):
            for b in range(a + 1, len(objects)):
                i, j = objects[a].parentJoint, objects[b].parentJoint
                if (i in arms or j in arms) and apart[i, j] > NEIGHBOURS:
                    self._geometry.addCollisionPair(pin.CollisionPair(a, b))
        self._data = robot.model.createData()
        self._results = pin.GeometryData(self._geometry)
        self._closest_pair(robot.half_sitting)
        distances = [one.min_distance for one in self._results.distanceResults]
        touching = [k for k, distance in enumerate(distances) if distance <= 0.0]
        for k in touching[::-1]:  # there the primitives are too coarse to say anything
            self._geometry.removeCollisionPair(self._geometry.collisionPairs[k])
        self._results = pin.GeometryData(self._geometry)
        self._any = len(self._geometry.collisionPairs) > 0

    def _closest_pair(self, q: np.ndarray) -> int:
        """Measure all pairs; which one is closest."""
        model, data = self.robot.model, self._data
        return int(pin.computeDistances(model, data, self._geometry, self._results, q))

    def closest(self, q: np.ndarray) -> float:
        """The least distance [m]; infinite when there is nothing to hit."""
        if not self._any:
            return inf
        return float(self._results.distanceResults[self._closest_pair(q)].min_distance)


@lru_cache(maxsize=16)
def clearance_of(robot: Robot) -> ArmClearance:
    """The watch of a robot, made once."""
    return ArmClearance(robot)


class ArmGuard:
    """How strongly the arms are drawn back now.

    Attributes:
        level: 0 free, 1 as strongly as it goes.
    """

    def __init__(self, robot: Robot) -> None:
        self._watch = clearance_of(robot)
        self._tick = 0
        self._wanted = self.level = 0.0
        self._enough = ENOUGH * robot.height

    def rest(self, robot: Robot, joints: np.ndarray) -> None:
        """Take on a rest pose [rad], (na,)."""
        q = np.array(robot.half_sitting)
        q[BASE_Q:] = joints
        self._enough = min(ENOUGH * robot.height, SHARE * max(self._watch.closest(q), 0.0))

    def advance(self, q: np.ndarray, dt: float) -> bool:
        """Let a period pass [s] at a configuration; whether the level moved."""
        if self._tick == 0:
            near = 1.0 - self._watch.closest(q) / max(self._enough, 1e-6)
            self._wanted = min(max(near, 0.0), 1.0)
        self._tick = (self._tick + 1) % EVERY
        gap = self._wanted - self.level
        if abs(gap) < 1e-4:
            return False
        self.level += dt * (QUICKNESS if gap > 0.0 else RELEASE) * gap
        return True
