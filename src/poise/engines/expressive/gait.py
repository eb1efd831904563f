"""Gait: a style worked out for one robot, in metres, seconds and absolute weights.

The rules of size are here and nowhere else:

- step length is counted in lengths of the sole, because the sole is what carries the ZMP while
  the centre of mass goes with the middle of the feet; other lengths in heights of the CoM;
- durations are counted in the fall time of the pendulum at that height, so that walks of robots
  of all sizes are dynamically alike;
- the centre of mass is carried as high as the style says, or as the legs reach (walking.legs),
  counting that a foot is far before the hips when it is about to land;
- a side step leaves one leg spread behind, until the ankle can turn no further: the wider it is,
  the closer the feet come together and the less the body sways, so that legs are spread less;
- the sway that balances follows from durations, foot spacing and sole width (walking.margins);
- accelerations weigh the same on every robot; angular momentum and torque are counted in what an
  arm gives or takes of them, which grows like m l², against the robot on which the weights were
  calibrated; the rates of rest pose and momentum follow the fall time, so that arms swing alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from poise.engines.expressive.options import NUMBERS, Style, sizes_of
from poise.robot import Robot
from poise.robot.robot import BASE_V
from poise.walking.footsteps import Stride, clear_spacing
from poise.walking.legs import Legs
from poise.walking.margins import sway_range
from poise.walking.pendulum import fallen_sway, pendulum_rate
from poise.walking.stature import Stature, shift_ratio

CALIBRATED_LENGTH = 0.27  # [m], height of the CoM of the robot on which the weights were found
SIDE_CLOSING = 0.2  # of a side step by which the feet stand closer together
SIDE_SWAY = 2.5  # share of the sway that a side step of a CoM height would leave out
SIDE_ROOM = 0.15  # of half the distance of the feet: between the soles when a side step closes
LEAST_SWAY = 0.5  # of the sway that is left
AHEAD = 1.6  # strides that the legs reach for: just before it lands a foot is far before the hips
HEEL_ROOM = 0.2  # of half the distance of the feet: between the heels when a step opens
CALIBRATED_ARM = (
    0.0067  # [kg m^2], momentum of its body by the rate of the arm joint that gives most
)


@dataclass(frozen=True)
class Gait:
    """What the gait machine and the tasks of a tick need, in SI units."""

    stride: Stride
    half_spacing: float  # [m], half the sideways distance of the feet
    step_height: float  # [m]
    single: float  # [s]
    double: float  # [s]
    sway: float  # [m], amplitude of the centre of mass when it sways like a sine
    zmp_sway: float  # [m], how far the ZMP goes aside when it falls like a pendulum
    phase: float  # [rad]
    com_height: float  # [m], while walking: lower than standing where the legs would stretch
    stand_height: float  # [m], of the centre of mass while standing
    omega: float  # [1/s]
    momentum: float  # weight, as the knob says
    momentum_weight: float  # [1 / (N m)^2]
    torque_weight: float  # [1 / (N m)^2]
    rest_weight: float  # [1 / (rad/s^2)^2]
    rest_gain: float  # [1/s^2]
    momentum_gain: float  # [1/s]
    chest_pitch: float  # [rad]
    slowness: float = 1.0  # factor: the sway shifts the ZMP for longer than both feet stand
    pendulum: float = 0.0  # share of the pendulum in the centre line, 0 to 1
    height_share: float = 1.0  # how much the height of the centre of mass is held, 0 to 1

    @property
    def half_cycle(self) -> float:
        """From one double support to the next [s]."""
        return self.single + self.double

    @property
    def double_angle(self) -> float:
        """Half of double support as an angle of the half cycle, which has pi [rad]."""
        return 0.5 * pi * self.double / self.half_cycle

    @classmethod
    def of(cls, robot: Robot, style: Style) -> Gait:
        """Work a style out for a robot."""
        return GaitMaker(robot).of(style)


class GaitMaker:
    """Works styles out for one robot, quickly: a live walk does it every tick."""

    def __init__(self, robot: Robot) -> None:
        self.stature = stature = Stature.of(robot)
        self._legs = Legs.of(robot)
        self._outline = robot.soles[robot.feet[0]].polygon
        self._sizes = sizes_of(robot)
        self._arm_unit = (CALIBRATED_ARM / arm_momentum(robot)) ** 2
        # how much faster than the calibrated robot this one is
        self._tempo_unit = (stature.com_height / CALIBRATED_LENGTH) ** -0.5

    def of(self, style: Style) -> Gait:
        """The gait of a style."""
        return self.make(
            {name: getattr(style, name) for name in NUMBERS},
            float(style.com_law == "pendulum"),
            float(style.com_height_law == "fixed"),
        )

    def make(self, v: dict[str, float], pendulum: float = 0.0, hold: float = 1.0) -> Gait:
        """The gait of the numbers of a style, in units of the robot."""
        height_unit = self._sizes["CoM height"]
        single = v["single_support"] * self._sizes["fall time"]
        double = v["double_support"] * self._sizes["shift time"]
        stand_height = v["com_height"] * height_unit
        spacing = v["spacing"] * self._sizes["step width"]
        aside = abs(v["sideways"])
        if aside:
            closest = clear_spacing(self._outline, 0.0, SIDE_ROOM * spacing)
            spacing = max(spacing - SIDE_CLOSING * aside * height_unit, min(spacing, closest))
        if v["turn"]:
            spacing = max(spacing, clear_spacing(self._outline, v["turn"], HEEL_ROOM * spacing))
        over = v["sway"] * max(1.0 - SIDE_SWAY * aside, LEAST_SWAY)
        zmp_sway = over * (spacing + self.stature.sole_centre[1])
        stride = Stride(
            v["step_length"] * self._sizes["sole length"],
            v["sideways"] * height_unit,
            v["turn"],
        )
        forward, pitch = self.stature.sole_centre[0], v["chest_pitch"]
        wide_sway = fallen_sway(zmp_sway, single + double, self.stature.omega)
        reach = wide_sway + abs(stride.sideways)
        wide = self.stature.half_spacing
        highest = self._legs.highest_com
        stand_height = min(stand_height, highest(forward, pitch, 0.0, 0.0, wide))
        com_height = min(
            stand_height, highest(forward, pitch, AHEAD * stride.length, reach, spacing)
        )
        sway = sway_range(self.stature, single, double, com_height, half_spacing=spacing)
        return Gait(
            half_spacing=spacing,
            stride=stride,
            step_height=v["step_height"] * height_unit,
            single=single,
            double=double,
            sway=over * sway.best,
            zmp_sway=zmp_sway,
            slowness=shift_ratio(self.stature, spacing),
            phase=v["sway_phase"],
            com_height=com_height,
            stand_height=stand_height,
            omega=pendulum_rate(com_height),
            momentum=v["momentum"],
            momentum_weight=v["momentum"] * self._arm_unit,
            torque_weight=v["torque"] * self._arm_unit,
            rest_weight=0.01 * v["rest_pull"],
            rest_gain=4.0 * v["rest_pull"] ** 0.8 * self._tempo_unit**2,
            momentum_gain=8.0 * self._tempo_unit,
            chest_pitch=v["chest_pitch"],
            pendulum=pendulum,
            height_share=hold,
        )


def arm_momentum(robot: Robot) -> float:
    """Angular momentum by the rate of the arm joint that gives most of it [kg m^2]."""
    arms = [g for g in ("left_arm", "right_arm") if robot.groups.get(g)]
    if not arms:  # nobody to swing: what the size of the robot says
        stature = Stature.of(robot)
        return 0.015 * stature.mass * stature.com_height**2
    columns = BASE_V + np.concatenate([robot.indices(g) for g in arms])
    at = robot.at(robot.half_sitting)
    return float(np.linalg.norm(at.momentum_matrix[3:, columns], axis=0).max())
