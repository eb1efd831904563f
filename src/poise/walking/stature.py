"""Stature: the handful of sizes of a robot that decide how it can walk.

Everything that depends on how big a robot is follows from these numbers; no rule about walking
looks at anything else, and none knows a robot by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.errors import BadInput
from poise.robot import Robot
from poise.robot.robot import BASE_Q, GRAVITY
from poise.walking.pendulum import pendulum_rate


@dataclass(frozen=True)
class Stature:
    """Sizes of a robot that stands in half-sitting, seen as a walker.

    Sole sizes are distances from the origin of the foot's frame to the borders of the rectangle
    that carries, on the left foot; the right one is its mirror image.
    """

    mass: float  # [kg]
    com_height: float  # [m]
    leg_length: float  # [m], from the hip to the sole, stretched
    half_spacing: float  # [m], half the sideways distance of the feet
    sole_front: float  # [m]
    sole_back: float  # [m], positive backwards
    sole_inner: float  # [m], towards the other foot
    sole_outer: float  # [m]

    @classmethod
    def of(cls, robot: Robot) -> Stature:
        """Measure a robot in its half-sitting posture."""
        return _measured(robot)

    @property
    def omega(self) -> float:
        """Rate of the pendulum at this height [1/s]."""
        return pendulum_rate(self.com_height)

    @property
    def time_unit(self) -> float:
        """Time in which the pendulum at this height falls by a factor e [s]."""
        return 1.0 / self.omega

    @property
    def sole_length(self) -> float:
        """Length of the rectangle that carries [m]."""
        return self.sole_front + self.sole_back

    @property
    def sole_width(self) -> float:
        """Width of the rectangle that carries [m]."""
        return self.sole_inner + self.sole_outer

    @property
    def sole_centre(self) -> tuple[float, float]:
        """Centre of the left sole in its foot's frame: forward, outward [m]."""
        return 0.5 * (self.sole_front - self.sole_back), 0.5 * (self.sole_outer - self.sole_inner)

    @property
    def weight(self) -> float:
        """Mass times gravity [N]."""
        return self.mass * GRAVITY


@lru_cache(maxsize=32)
def _measured(robot: Robot) -> Stature:
    if len(robot.feet) != 2:
        raise BadInput(robot.name, "the number of feet", f"{len(robot.feet)}", "two, with soles")
    at = robot.at(robot.half_sitting)
    left, right = robot.feet
    p_left, p_right = at.position(left), at.position(right)
    x, y = robot.soles[left].corners.T
    return Stature(
        mass=robot.mass,
        com_height=float(at.com[2] - 0.5 * (p_left[2] + p_right[2])),
        leg_length=_leg_length(robot, left),
        half_spacing=0.5 * float(p_left[1] - p_right[1]),
        sole_front=float(x.max()),
        sole_back=float(-x.min()),
        sole_inner=float(-y.min()),
        sole_outer=float(y.max()),
    )


def _leg_length(robot: Robot, foot: str) -> float:
    """Length of the leg above a sole when its knee is straight, up to the hip's last joint [m]."""
    joints = [robot.model.getJointId(name) for name in robot.groups["left_leg"]]
    at = robot.at(robot.half_sitting)
    origins = [at.data.oMi[j].translation for j in joints] + [at.position(foot)]
    return float(sum(np.linalg.norm(b - a) for a, b in zip(origins, origins[1:], strict=False)))


def half_sitting_joints(robot: Robot) -> np.ndarray:
    """Joint angles of half-sitting [rad], (na,)."""
    return robot.half_sitting[BASE_Q:]
