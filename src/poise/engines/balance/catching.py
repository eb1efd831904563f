"""Catching a push: the best regulator of a pendulum on lagging servos and soles that give way.

One axis of the robot obeys (see `oracle`)

    J a'' = m g (c + z a) - m z c'' + m g d - m g p,      p = (K a + B a') / (m g)

with a the tilt on the soles, d = F z / (m g) what a push does to the ZMP, and c what the servos
make of the command s, c = s / (lag s + 1)². An observer tells a, a' and d from the measured ZMP: it
knows which part of it is the robot's own doing. The command is accelerated by

    s'' = -gain . (s + d, s', c + d, c', a, a')

which leaves the least ZMP error for the least effort (linear-quadratic), comes to rest at s = -d
with the ZMP where it should be, and never asks the ZMP to leave the soles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from poise.engines.balance.filters import SecondOrder
from poise.robot.robot import GRAVITY

NOISE = 5e-3  # [m], of the ZMP as the observer expects it
TILT_NOISE, SPIN_NOISE = 1e-12, 1e-8  # [rad², rad²/s²] a period, what the model does not know
HOME = 0.05  # how much a centre of mass away from home costs against a ZMP that is
WITHIN = 0.95  # of the room of the ZMP that is used


@dataclass(frozen=True)
class Footing:
    """What one axis of a robot stands on."""

    mass: float  # [kg]
    height: float  # of the centre of mass [m]
    stiffness: float  # K, of tilting on the soles [N m/rad]
    damping: float  # B [N m s/rad]
    inertia: float  # of the robot about its soles [kg m²]
    servo_time: float  # [s]


def regulator_gain(footing: Footing, dt: float, effort: float) -> np.ndarray:
    """The gain on (s + d, s', c + d, c', a, a'), (6,).

    Args:
        footing: what the axis stands on.
        dt: period [s].
        effort: what an acceleration of 1 m/s² costs against a ZMP error of 1 m.
    """
    m, z, J, tau = footing.mass, footing.height, footing.inertia, footing.servo_time
    A = np.zeros((6, 6))
    A[0, 1] = A[2, 3] = A[4, 5] = 1.0
    A[3, [0, 2, 3]] = 1.0 / tau**2, -1.0 / tau**2, -2.0 / tau
    A[5] = -m * z / J * A[3]
    A[5, 2] += m * GRAVITY / J
    A[5, 4] += (m * GRAVITY * z - footing.stiffness) / J
    A[5, 5] -= footing.damping / J
    both = np.zeros((7, 7))
    both[:6, :6], both[1, 6] = A, 1.0
    step = expm(both * dt)
    A, b = step[:6, :6], step[:6, 6:]
    zmp = np.zeros(6)
    zmp[4:] = footing.stiffness, footing.damping
    zmp /= m * GRAVITY
    cost = np.outer(zmp, zmp) + 1e-9 * np.eye(6)
    cost[0, 0] += HOME
    P = solve_discrete_are(A, b, cost, np.array([[effort]]))
    return (b.T @ P @ A / (effort + b.T @ P @ b))[0]


def observer(footing: Footing, dt: float, believe: float) -> tuple[np.ndarray, ...]:
    """How tilt, its rate and a push go on, and how a measured ZMP corrects them.

    Args:
        footing: what the axis stands on.
        dt: period [s].
        believe: how fast a push may change, variance a period [m²].

    Returns:
        A (3, 3), input b (3,), ZMP row (3,), correction (3,).
    """
    m, J = footing.mass, footing.inertia
    M = np.zeros((4, 4))
    M[0, 1] = 1.0
    M[1] = (m * GRAVITY * footing.height - footing.stiffness) / J, -footing.damping / J, 0.0, 1.0
    M[1, 2] = m * GRAVITY / J
    step = expm(M * dt)
    A, b = step[:3, :3], step[:3, 3]
    row = np.array([footing.stiffness, footing.damping, 0.0]) / (m * GRAVITY)
    W = np.diag([TILT_NOISE, SPIN_NOISE, believe])
    S = solve_discrete_are(A.T, row[:, None], W, np.array([[NOISE**2]]))
    return A, b, row, S @ row / (row @ S @ row + NOISE**2)


class AxisCatcher:
    """One axis; plain numbers, because arrays of three cost more than they carry."""

    def __init__(self, footing: Footing, dt: float, effort: float, believe: float) -> None:
        """Take the footing, the period [s], and the tastes of `regulator_gain`, `observer`."""
        self._gain = regulator_gain(footing, dt, effort).tolist()
        A, b, row, correction = observer(footing, dt, believe)
        self._A, self._b = A.tolist(), b.tolist()
        self._row, self._correction = row.tolist(), correction.tolist()
        self._w2, self._dt = GRAVITY / footing.height, dt
        J = footing.inertia
        self._pull = footing.mass * GRAVITY / J, footing.mass * footing.height / J
        self.tilt = self.spin = self.push = 0.0

    def step(
        self,
        zmp: float,
        s: float,
        rate: float,
        held: tuple[float, float, float],
        low: float,
        high: float,
    ) -> float:
        """The acceleration of the command [m/s²].

        Args:
            zmp: measured, from where it should be [m].
            s: shift of the command [m].
            rate: its rate [m/s].
            held: what the servos make of it: shift, rate, acceleration.
            low: least ZMP that may be asked for [m].
            high: greatest.
        """
        r, k = self._row, self._correction
        missed = zmp - r[0] * self.tilt - r[1] * self.spin
        a, w, d = self.tilt + k[0] * missed, self.spin + k[1] * missed, self.push + k[2] * missed
        c, c_rate, c_rate2 = held
        g = self._gain
        u = -(g[0] * (s + d) + g[1] * rate + g[2] * (c + d) + g[3] * c_rate + g[4] * a + g[5] * w)
        u = min(max(u, self._w2 * (s + d - high)), self._w2 * (s + d - low))
        A, b = self._A, self._b
        known = self._pull[0] * c - self._pull[1] * c_rate2
        self.tilt = A[0][0] * a + A[0][1] * w + A[0][2] * d + b[0] * known
        self.spin = A[1][0] * a + A[1][1] * w + A[1][2] * d + b[1] * known
        self.push = A[2][0] * a + A[2][1] * w + A[2][2] * d + b[2] * known
        return u


class Capture:
    """A feedback that catches pushes, both axes."""

    def __init__(
        self, footings: tuple[Footing, Footing], dt: float, effort: float, believe: float
    ) -> None:
        """Take the footing of both axes, forward first, the period [s] and the tastes."""
        self._axes = [AxisCatcher(one, dt, effort, believe) for one in footings]
        self._tau, self._dt = footings[0].servo_time, dt
        self._servo = SecondOrder(self._tau, dt)
        self.velocity, self.shift = np.zeros(2), np.zeros(2)

    @property
    def pushed(self) -> np.ndarray:
        """By how much a push moves the ZMP, as believed [m], (2,)."""
        return np.array([axis.push for axis in self._axes])

    def step(self, zmp_error: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Accelerate the centre of mass."""
        servo, tau, dt = self._servo, self._tau, self._dt
        servo.step(self.shift)
        for k, axis in enumerate(self._axes):
            s, rate = float(self.shift[k]), float(self.velocity[k])
            c, c_rate = float(servo.value[k]), float(servo.rate[k])
            held = (c, c_rate, (s - c - 2.0 * tau * c_rate) / tau**2)
            room = WITHIN * float(low[k]), WITHIN * float(high[k])
            rate += dt * axis.step(-float(zmp_error[k]), s, rate, held, *room)
            self.velocity[k] = rate
            self.shift[k] = s + dt * rate
