"""Gait: a style worked out for one robot, in metres, seconds and absolute weights.

The rules of size are here and nowhere else:

- step length is counted in lengths of the sole, because the sole is what carries the ZMP while
  the centre of mass goes with the middle of the feet; other lengths in heights of the CoM;
- durations are counted in the fall time of the pendulum at that height, so that walks of robots
  of all sizes are dynamically alike;
- the sway that balances follows from durations, foot spacing and sole width (walking.margins);
- accelerations weigh the same on every robot; angular momentum and torque come in units of
  (m l²) and (m g l), and are brought to the robot on which the weights were calibrated.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from poise.engines.expressive.options import NUMBERS, Style, sizes_of
from poise.robot import Robot
from poise.robot.robot import GRAVITY
from poise.walking.footsteps import Stride
from poise.walking.margins import sway_range
from poise.walking.pendulum import pendulum_rate
from poise.walking.stature import Stature, shift_ratio

CALIBRATED_MASS = 5.2  # [kg], of the robot for which the weights below were found
CALIBRATED_LENGTH = 0.27  # [m], height of its centre of mass


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
    com_height: float  # [m]
    omega: float  # [1/s]
    momentum_weight: float  # [1 / (N m)^2]
    torque_weight: float  # [1 / (N m)^2]
    rest_weight: float  # [1 / (rad/s^2)^2]
    rest_gain: float  # [1/s^2]
    chest_pitch: float  # [rad]
    slowness: float = 1.0  # how much longer the sway takes to shift the ZMP than both feet stand
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
        return GaitMaker(robot).make(
            {name: getattr(style, name) for name in NUMBERS},
            float(style.com_law == "pendulum"),
            float(style.com_height_law == "fixed"),
        )


class GaitMaker:
    """Works styles out for one robot, quickly: a live walk does it every tick."""

    def __init__(self, robot: Robot) -> None:
        self.stature = stature = Stature.of(robot)
        self._sizes = sizes_of(robot)
        m, l = stature.mass / CALIBRATED_MASS, stature.com_height / CALIBRATED_LENGTH  # noqa: E741
        self._momentum_unit = (m * l * l) ** -2
        self._torque_unit = (m * l * GRAVITY / GRAVITY) ** -2

    def make(self, v: dict[str, float], pendulum: float = 0.0, hold: float = 1.0) -> Gait:
        """The gait of the numbers of a style, in units of the robot."""
        height_unit = self._sizes["CoM height"]
        single = v["single_support"] * self._sizes["fall time"]
        double = v["double_support"] * self._sizes["shift time"]
        com_height = v["com_height"] * height_unit
        spacing = v["spacing"] * self._sizes["step width"]
        sway = sway_range(self.stature, single, double, com_height, half_spacing=spacing)
        over_foot = spacing + self.stature.sole_centre[1]
        return Gait(
            half_spacing=spacing,
            stride=Stride(
                v["step_length"] * self._sizes["sole length"],
                v["sideways"] * height_unit,
                v["turn"],
            ),
            step_height=v["step_height"] * height_unit,
            single=single,
            double=double,
            sway=v["sway"] * sway.best,
            zmp_sway=v["sway"] * over_foot,
            slowness=shift_ratio(self.stature, spacing),
            phase=v["sway_phase"],
            com_height=com_height,
            omega=pendulum_rate(com_height),
            momentum_weight=v["momentum"] * self._momentum_unit,
            torque_weight=v["torque"] * self._torque_unit,
            rest_weight=0.01 * v["rest_pull"],
            rest_gain=4.0 * v["rest_pull"] ** 0.8,
            chest_pitch=v["chest_pitch"],
            pendulum=pendulum,
            height_share=hold,
        )
