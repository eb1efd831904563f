"""What a robot stands on, as far as a push is concerned: soles and servos that give way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from poise.engines.balance.options import BalanceOptions
from poise.engines.balance.reference import Stance
from poise.engines.balance.rooted import Rooted
from poise.robot.robot import GRAVITY

SOLE_DAMPING = 3.0  # how far beyond critically rubber soles are damped
LEAST = 1e-9  # [N m/rad], of a servo, lest a joint without one divide by zero


@dataclass(frozen=True)
class Footing:
    """What one axis of a robot stands on."""

    mass: float  # [kg]
    height: float  # of the centre of mass [m]
    stiffness: float  # K, of tilting on the soles [N m/rad]
    damping: float  # B [N m s/rad]
    inertia: float  # of the robot about its soles [kg m²]
    servo_time: float  # [s]

    @property
    def spring(self) -> float:
        """By how much a tilt moves the ZMP [m/rad]."""
        return self.stiffness / (self.mass * GRAVITY)

    @property
    def damper(self) -> float:
        """The same for the rate of the tilt [m s/rad]."""
        return self.damping / (self.mass * GRAVITY)

    @property
    def rigid(self) -> float:
        """How much slower than a pendulum of its height the robot falls when nothing bends."""
        return (self.inertia / self.mass) ** 0.5 / self.height


def footings(rooted: Rooted, stance: Stance, options: BalanceOptions) -> tuple[Footing, Footing]:
    """The footing of both axes, forward first.

    A tilting robot bends two springs in series: the soles, taken at their corners, and the servos
    of both legs, as far as a horizontal force at the centre of mass bends them. Both are damped;
    their impedance is taken at the frequency at which the robot rocks.
    """
    robot, height = rooted.robot, float(stance.com[2])
    rooted.refresh(stance.joints)
    left, right = (robot.soles[part].corners for part in robot.feet)
    corners = np.vstack([left, right @ stance.T_left_right.rotation[:2, :2].T])
    corners[len(left) :] += stance.T_left_right.translation[:2]
    levers = ((corners - corners.mean(axis=0)) ** 2).mean(axis=0)
    floor = robot.weight / options.sinkage
    floor_damping = SOLE_DAMPING * 2.0 * (floor * robot.mass) ** 0.5
    J = rooted.reduced(rooted.at.com_jacobian[:2], np.zeros((2, robot.na)))
    leg = np.zeros(robot.na)
    leg[robot.indices("left_leg")] = 1.0
    bend = ((J * leg) ** 2) @ (1.0 / np.maximum(robot.servos.kp, LEAST))  # [m/N], one leg
    servo = 2.0 * height**2 / bend
    about_com = _inertia(rooted)
    found = []
    for axis in range(2):
        inertia = robot.mass * height**2 + float(about_com[1 - axis])
        sole = floor * levers[axis]
        rocking = (max(sole - robot.weight * height, 1.0) / inertia) ** 0.5
        for _ in range(5):
            soft = 1.0 / (sole + 1j * rocking * floor_damping * levers[axis])
            soft += 1.0 / (servo[axis] * (1.0 + 1j * rocking * options.servo_time))
            stiff = 1.0 / soft
            rocking = (max(stiff.real - robot.weight * height, 1.0) / inertia) ** 0.5
        found.append(
            Footing(
                robot.mass,
                height,
                float(stiff.real),
                float(stiff.imag / rocking),
                inertia,
                max(options.servo_time, 1e-3),
            )
        )
    return found[0], found[1]


def _inertia(rooted: Rooted) -> np.ndarray:
    """Inertia of the whole robot about its CoM, around the axes of the root [kg m²], (3,)."""
    data = rooted.at.data
    pin.ccrba(rooted.robot.model, data, rooted.at.q, rooted.at.v)
    return np.diag(data.Ig.inertia).copy()
