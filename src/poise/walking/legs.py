"""How high a walker may carry its centre of mass before its legs have to stretch.

Longer steps, wider sway and a lean all move the hips away from the feet. The body above the hips
is taken as one piece that leans about them; the legs' own mass moves with the hips in
proportion. That is good to a few millimetres, and the rest is what the knees keep in reserve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import cos, sin

import numpy as np
import pinocchio as pin

from poise.robot import Robot
from poise.robot.robot import BASE_Q

KEPT_BEND = 0.4  # [rad], of the knee: straighter legs move fast and carry badly


@dataclass(frozen=True)
class Legs:
    """Where the hips are and how far the feet can be from them."""

    reach: float  # [m], from the first joint of a leg to its ankle, with a little bend kept
    ankle_height: float  # [m], of the ankle above the sole
    ankle_forward: float  # [m], of the ankle before the foot's frame
    root_aside: float  # [m], of the first joint of the left leg from the middle
    trunk_share: float  # of the mass that is above the legs
    trunk: tuple[float, float]  # [m], its centre, forward and up from the hips, upright
    leg_lift: float  # how much of a way of the hips the legs' centre makes
    leg_forward: float  # [m], of the legs' centre, with the hips above the feet

    @classmethod
    def of(cls, robot: Robot) -> Legs:
        """Measure a robot in half-sitting."""
        return _measured(robot)

    def hips_forward(self, com_forward: float, pitch: float) -> float:
        """How far the hips are before the feet's frames [m] when the centre of mass is.

        Args:
            com_forward: of the centre of mass before the feet's frames [m].
            pitch: lean of the trunk [rad].
        """
        m, k = self.trunk_share, self.leg_lift
        x, z = self.trunk
        leaning = x * cos(pitch) + z * sin(pitch)
        return (com_forward - m * leaning - (1.0 - m) * self.leg_forward) / (m + (1.0 - m) * k)

    def highest_com(
        self, com_forward: float, pitch: float, stride: float, sway: float, half_spacing: float
    ) -> float:
        """How high the centre of mass may be [m].

        Args:
            com_forward: of the centre of mass before the middle of the feet's frames [m].
            pitch: lean of the trunk [rad].
            stride: how far a foot lands in front of the other one [m].
            sway: how far the centre of mass goes sideways [m].
            half_spacing: half the sideways distance of the feet [m].
        """
        forward = self.hips_forward(com_forward, pitch) - self.ankle_forward
        aside = self.root_aside - half_spacing
        over = _height(self.reach, abs(forward), abs(sway + aside))
        apart = _height(self.reach, abs(forward) + 0.6 * abs(stride), sway + abs(aside))
        hips = self.ankle_height + min(over, apart)
        m, k = self.trunk_share, self.leg_lift
        x, z = self.trunk
        return (m + (1.0 - m) * k) * hips + m * (z * cos(pitch) - x * sin(pitch))


def _height(length: float, forward: float, aside: float) -> float:
    return max(length**2 - forward**2 - aside**2, 0.01 * length**2) ** 0.5


@lru_cache(maxsize=32)
def _measured(robot: Robot) -> Legs:
    at = robot.at(robot.half_sitting)
    names = robot.groups["left_leg"]
    left, right = robot.feet
    feet = 0.5 * (at.position(left) + at.position(right))
    roots = [
        at.data.oMi[robot.model.getJointId(robot.groups[g][0])].translation
        for g in ("left_leg", "right_leg")
    ]
    hips = 0.5 * (roots[0] + roots[1]) - feet
    ankle = at.data.oMi[robot.model.getJointId(names[-2])].translation - at.position(left)
    legs = {
        robot.model.getJointId(name) for g in ("left_leg", "right_leg") for name in robot.groups[g]
    }
    mass, moment = np.zeros(2), np.zeros((2, 3))
    for joint in range(1, robot.model.njoints):
        body = robot.model.inertias[joint]
        part = int(joint in legs)
        mass[part] += body.mass
        moment[part] += body.mass * (at.data.oMi[joint].act(body.lever) - feet)
    trunk, leg = moment[0] / mass[0], moment[1] / mass[1]
    lift = float(leg[2] / hips[2])
    lean = trunk_lean(robot)
    upright = pin.exp3(np.array([0.0, -lean, 0.0])) @ (trunk - hips)
    return Legs(
        reach=_reach(robot, "left_leg"),
        ankle_height=float(ankle[2]),
        ankle_forward=float(ankle[0]),
        root_aside=float(roots[0][1] - feet[1]),
        trunk_share=float(mass[0] / mass.sum()),
        trunk=(float(upright[0]), float(upright[2])),
        leg_lift=lift,
        leg_forward=float(leg[0] - lift * hips[0]),
    )


def trunk_lean(robot: Robot) -> float:
    """How far the chest leans forward in half-sitting [rad], against the model's zero posture."""
    up = robot.at(robot.half_sitting).rotation("chest") @ chest_axis(robot)
    return float(np.arctan2(up[0], up[2]))


def chest_axis(robot: Robot) -> np.ndarray:
    """The axis of the chest's frame that is vertical when all joints are at zero, (3,)."""
    return robot.at(pin.neutral(robot.model)).rotation("chest")[2].copy()


@dataclass(frozen=True)
class Knee:
    """The joint that stretches a leg."""

    joint: int  # index among the joints
    straight: float  # [rad], where the leg is longest
    sign: float  # of angles that bend it

    def bend(self, joints: np.ndarray) -> float:
        """How far it is from straight [rad], at joint angles [rad], (na,)."""
        return self.sign * (float(joints[self.joint]) - self.straight)


@lru_cache(maxsize=64)
def knee_of(robot: Robot, group: str) -> Knee:
    """The knee of a leg, found by what stretches it."""
    names = robot.groups[group]
    length = _length_of(robot, names)
    here = {name: float(robot.half_sitting[BASE_Q + robot.index(name)]) for name in names}
    knee = max(
        names, key=lambda name: abs(length(name, here[name] + 0.1) - length(name, here[name]))
    )
    k = robot.index(knee)
    angles = np.linspace(max(robot.lower[k], -3.0), min(robot.upper[k], 3.0), 400)
    straight = float(angles[np.argmax([length(knee, angle) for angle in angles])])
    return Knee(k, straight, float(np.sign(here[knee] - straight) or 1.0))


def _reach(robot: Robot, group: str) -> float:
    """From the first joint of a leg to its ankle, the knee bent a little [m]."""
    knee = knee_of(robot, group)
    length = _length_of(robot, robot.groups[group])
    return length(robot.joint_names[knee.joint], knee.straight + KEPT_BEND * knee.sign)


def _length_of(robot: Robot, names: tuple[str, ...]) -> Callable[[str, float], float]:
    """From the first joint of a leg to its ankle [m], by the angle of one joint [rad]."""
    data = robot.model.createData()
    root, ankle = robot.model.getJointId(names[0]), robot.model.getJointId(names[-2])

    def length(joint: str, angle: float) -> float:
        q = np.array(robot.half_sitting)
        q[BASE_Q + robot.index(joint)] = angle
        pin.forwardKinematics(robot.model, data, q)
        return float(np.linalg.norm(data.oMi[ankle].translation - data.oMi[root].translation))

    return length
