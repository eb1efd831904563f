"""Stature: the handful of sizes of a robot that decide how it can walk.

Everything that depends on how big a robot is follows from these numbers; no rule about walking
looks at anything else, and none knows a robot by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from poise.errors import BadInput
from poise.robot import Robot
from poise.robot.robot import BASE_V, GRAVITY
from poise.walking.pendulum import pendulum_rate

ANKLE_SHARE = 0.8  # of an ankle's torque limit, for holding the weight
LANDING_ROOM = 0.1  # of half a sole: how far inside it the ZMP is when the other foot lifts off
SHIFT = 3.1  # fall times in which the weight goes from foot to foot without shaking the servos
SHORTEST = 1.35  # fall times that both feet stand at least
NARROWEST = 0.4  # half a sole's width, as a share of half the distance of the feet


@dataclass(frozen=True)
class Stature:
    """Sizes of a robot that stands in half-sitting, seen as a walker.

    Sole sizes are distances from the origin of the foot's frame to the borders of the rectangle
    that carries, on the left foot; the right one is its mirror image. An ankle too weak to hold
    the robot's weight at a border of the sole moves that border inwards.
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
    def step_width(self) -> float:
        """Half the distance of the feet at which to walk [m].

        As wide as it stands, but feet with narrow soles go closer together: otherwise the weight
        has a long way to go from one to the other in the time in which both are down.
        """
        return min(self.half_spacing, 0.5 * self.sole_width / NARROWEST)

    @property
    def shift_ratio(self) -> float:
        """How much longer the ZMP may take from foot to foot than both feet stand.

        It has to be over the sole when the other foot lifts off, not in its middle.
        """
        return shift_ratio(self, self.step_width)

    @property
    def shift_time(self) -> float:
        """How long both feet should stand, so that the weight shifts calmly [s]."""
        return self.time_unit * max(SHIFT / self.shift_ratio, SHORTEST)

    @property
    def weight(self) -> float:
        """Mass times gravity [N]."""
        return self.mass * GRAVITY


def shift_ratio(stature: Stature, half_spacing: float) -> float:
    """How much longer the ZMP may take from foot to foot than both feet stand.

    Args:
        stature: of the robot.
        half_spacing: half the sideways distance of the feet [m].
    """
    over = half_spacing + stature.sole_centre[1]
    inside = half_spacing - stature.sole_inner
    return over / max(inside + LANDING_ROOM * (over - inside), 0.1 * over)


@lru_cache(maxsize=32)
def _measured(robot: Robot) -> Stature:
    if len(robot.feet) != 2:
        raise BadInput(robot.name, "the number of feet", f"{len(robot.feet)}", "two, with soles")
    at = robot.at(robot.half_sitting)
    left, right = robot.feet
    p_left, p_right = at.position(left), at.position(right)
    x, y = robot.soles[left].corners.T
    along, across = _ankle_reach(robot, left)
    return Stature(
        mass=robot.mass,
        com_height=float(at.com[2] - 0.5 * (p_left[2] + p_right[2])),
        leg_length=_leg_length(robot, left),
        half_spacing=0.5 * float(p_left[1] - p_right[1]),
        sole_front=min(float(x.max()), along[1]),
        sole_back=min(float(-x.min()), -along[0]),
        sole_inner=min(float(-y.min()), -across[0]),
        sole_outer=min(float(y.max()), across[1]),
    )


def _leg_length(robot: Robot, foot: str) -> float:
    """Length of the leg above a sole when its knee is straight, up to the hip's last joint [m]."""
    joints = [robot.model.getJointId(name) for name in robot.groups["left_leg"]]
    at = robot.at(robot.half_sitting)
    origins = [at.data.oMi[j].translation for j in joints] + [at.position(foot)]
    return float(sum(np.linalg.norm(b - a) for a, b in pairwise(origins)))


def _ankle_reach(robot: Robot, foot: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """How far from the foot's origin the ankle can hold the weight: along and across [m]."""
    at = robot.at(robot.half_sitting)
    here = at.position(foot)
    reach = [(-np.inf, np.inf), (-np.inf, np.inf)]
    for name in robot.groups["left_leg"][-2:]:
        placement = at.data.oMi[robot.model.getJointId(name)]
        axis = np.abs(at.jacobian(foot)[3:, BASE_V + robot.index(name)])
        limit = robot.effort_limit[robot.index(name)]
        if limit <= 0.0:  # nobody wrote one
            continue
        side = int(axis[:2].argmax() == 0)  # a joint about x holds the weight across
        middle = float((placement.translation - here)[side])
        far = ANKLE_SHARE * limit / robot.weight
        low, high = reach[side]
        reach[side] = max(low, middle - far), min(high, middle + far)
    return reach[0], reach[1]
