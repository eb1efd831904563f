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

from poise.engines.balance.felt import Felt
from poise.engines.balance.filters import SecondOrder
from poise.robot.robot import GRAVITY

NOISE = 5e-3  # [m], of the ZMP as the observer expects it
TIPPING_NOISE = 1e-3  # [rad], of the tilt on the rim of the soles, where the ZMP tells nothing
TILT_NOISE, SPIN_NOISE = 1e-12, 1e-8  # [rad², rad²/s²] a period, what the model does not know
HOME = 0.05  # how much a centre of mass away from home costs against a ZMP that is
HURRY = 100.0  # how much faster a push is believed to change when the robot tips
TIPPED, LANDED = 1.6, 0.5  # of the tilt at which soles reach their rim: tipping begins and ends
FRESH = 0.95  # how much of the rate of the tilt is kept from period to period
STIFFEN = 0.05  # [s], in which the command comes to rest while the robot tips
WITHIN = 0.86  # of the way from the reference to the rim of the soles that the ZMP is sent


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


@dataclass(frozen=True)
class Observer:
    """How tilt, its rate and a push go on, and how what is measured corrects them."""

    A: np.ndarray  # (3, 3)
    b: np.ndarray  # of a known moment over the inertia, (3,)
    correction: np.ndarray  # of the state by what was not foreseen, (3,)


def observer(footing: Footing, dt: float, believe: float, tipping: bool) -> Observer:
    """The observer of a robot on its soles, by its ZMP, or on their rim, by its tilt.

    Args:
        footing: what the axis stands on.
        dt: period [s].
        believe: how fast a push may change, variance a period [m²].
        tipping: on the rim, where the soles neither turn it back nor tell anything new.
    """
    m, J = footing.mass, footing.inertia
    K, B = (0.0, 0.0) if tipping else (footing.stiffness, footing.damping)
    M = np.zeros((4, 4))
    M[0, 1] = 1.0
    M[1] = (m * GRAVITY * footing.height - K) / J, -B / J, m * GRAVITY / J, 1.0
    step = expm(M * dt)
    A, b = step[:3, :3], step[:3, 3]
    row = np.array([1.0, 0.0, 0.0] if tipping else [K, B, 0.0]) / (1.0 if tipping else m * GRAVITY)
    noise = (TIPPING_NOISE if tipping else NOISE) ** 2
    W = np.diag([TILT_NOISE, SPIN_NOISE, believe * (HURRY if tipping else 1.0)])
    S = solve_discrete_are(A.T, row[:, None], W, np.array([[noise]]))
    return Observer(A, b, S @ row / (row @ S @ row + noise))


class AxisCatcher:
    """One axis; plain numbers, because arrays of three cost more than they carry."""

    def __init__(self, footing: Footing, dt: float, effort: float, believe: float) -> None:
        """Take the footing, the period [s], and the tastes of `regulator_gain`, `observer`."""
        self._gain = regulator_gain(footing, dt, effort).tolist()
        flat, tipping = (observer(footing, dt, believe, way) for way in (False, True))
        self._flat = flat.A.tolist(), flat.b.tolist(), flat.correction.tolist()
        self._tipping = tipping.A.tolist(), tipping.b.tolist(), tipping.correction.tolist()
        weight, J = footing.mass * GRAVITY, footing.inertia
        self._zmp = footing.stiffness / weight, footing.damping / weight
        self._w2, self._inertia = GRAVITY / footing.height, J
        self._pull = weight / J, footing.mass * footing.height / J
        self._dt = dt
        self.restart()

    def restart(self) -> None:
        """Believe that the robot is at rest."""
        self.tilt = self.spin = self.push = 0.0
        self._before = self._falling = 0.0  # tilt and its rate, as measured
        self._tipped = False

    def springy(self, tilt: float) -> float:
        """Where the ZMP would be at a tilt [rad] on soles without end [m]."""
        return self._zmp[0] * tilt

    def step(
        self,
        zmp: float,
        tilt: float,
        s: float,
        rate: float,
        held: tuple[float, float, float],
        low: float,
        high: float,
        tipping: bool,
        turned: float = 0.0,
    ) -> float:
        """The acceleration of the command [m/s²].

        Args:
            zmp: from where it should be [m].
            tilt: of the robot on its soles, measured [rad].
            s: shift of the command [m].
            rate: its rate [m/s].
            held: what the servos make of it: shift, rate, acceleration.
            low: least ZMP on the soles [m].
            high: greatest.
            tipping: whether the robot stands on the rim of its soles.
            turned: moment that a swing of the body takes [N m].
        """
        p0, p1 = self._zmp
        a, w, d = self.tilt, self.spin, self.push
        c, c_rate, c_rate2 = held
        known = self._pull[0] * c - self._pull[1] * c_rate2 - turned / self._inertia
        self._falling += (1.0 - FRESH) * ((tilt - self._before) / self._dt - self._falling)
        self._before = tilt
        if tipping:
            if not self._tipped:  # on the soles nobody had asked how far it tilts
                a, w = tilt, self._falling
            A, b, k = self._tipping
            missed, known = tilt - a, known - self._pull[0] * zmp
        else:
            if self._tipped:  # landed: what was believed on the rim is worth nothing on the soles
                a = w = d = 0.0
            A, b, k = self._flat
            missed = zmp - p0 * a - p1 * w
        a, w, d = a + k[0] * missed, w + k[1] * missed, d + k[2] * missed
        self.tilt = A[0][0] * a + A[0][1] * w + A[0][2] * d + b[0] * known
        self.spin = A[1][0] * a + A[1][1] * w + A[1][2] * d + b[1] * known
        self.push, self._tipped = d, tipping
        if tipping:
            # ankles can do nothing on a rim: a rigid body falls slower than one that bends
            return -rate / STIFFEN
        s, c, g = s + d, c + d, self._gain
        u = -(g[0] * s + g[1] * rate + g[2] * c + g[3] * c_rate + g[4] * a + g[5] * w)
        return min(max(u, self._w2 * (s - WITHIN * high)), self._w2 * (s - WITHIN * low))


class Capture:
    """A feedback that catches pushes, both axes."""

    def __init__(
        self, footings: tuple[Footing, Footing], dt: float, effort: float, believe: float
    ) -> None:
        """Take the footing of both axes, forward first, the period [s] and the tastes."""
        self._axes = [AxisCatcher(one, dt, effort, believe) for one in footings]
        self._tau, self._dt, self._height = footings[0].servo_time, dt, footings[0].height
        self._servo, self._swing = SecondOrder(self._tau, dt), SecondOrder(self._tau, dt)
        self.velocity, self.shift, self.beyond = np.zeros(2), np.zeros(2), np.zeros(2)
        self.tipping = False
        self._omega = (GRAVITY / self._height) ** 0.5

    def restart(self) -> None:
        """Forget all that was believed: the robot stands on something else now."""
        for axis in self._axes:
            axis.restart()
        for rows in (self.velocity, self.shift, self.beyond):
            rows[:] = 0.0
        self._servo.restart(self.shift)
        self._swing.restart(self.shift)
        self.tipping = False

    @property
    def pushed(self) -> np.ndarray:
        """By how much a push moves the ZMP, as believed [m], (2,)."""
        return np.array([axis.push for axis in self._axes])

    def step(self, felt: Felt) -> None:
        """Accelerate the centre of mass."""
        servo, tau, dt = self._servo, self._tau, self._dt
        servo.step(self.shift)
        self._swing.step(felt.momentum)
        low, high = felt.low.tolist(), felt.high.tolist()
        zmp = (-felt.zmp_error).tolist()
        blind_low, blind_high = felt.blind_low.tolist(), felt.blind_high.tolist()
        tilts = [(m - float(servo.value[k])) / self._height for k, m in enumerate(felt.mass)]
        rims: list[float | None] = [None, None]
        for k, axis in enumerate(self._axes):
            rim = high[k] if tilts[k] > 0.0 else low[k]
            unseen = not blind_low[k] < zmp[k] < blind_high[k]
            if self.tipping:  # until the soles are flat again, whatever they feel meanwhile
                on_rim = axis.springy(tilts[k]) / rim > LANDED
            else:
                on_rim = unseen and axis.springy(tilts[k]) / rim > TIPPED
            if on_rim:
                rims[k] = rim
        tipping = self.tipping = rims != [None, None]
        turned = self._swing.rate.tolist()
        for k, axis in enumerate(self._axes):
            s, rate = float(self.shift[k]), float(self.velocity[k])
            c, c_rate = float(servo.value[k]), float(servo.rate[k])
            held = (c, c_rate, (s - c - 2.0 * tau * c_rate) / tau**2)
            rim = rims[k]
            p = zmp[k] if rim is None else rim
            rate += dt * axis.step(p, tilts[k], s, rate, held, low[k], high[k], tipping, turned[k])
            mass, speed = float(felt.mass[k]), c_rate + self._height * axis.spin
            self.beyond[k] = 0.0
            if tipping:
                x = mass + speed / self._omega + min(max(axis.push, low[k]), high[k])
                self.beyond[k] = max(x - high[k], 0.0) + min(x - low[k], 0.0)
            self.velocity[k] = rate
            self.shift[k] = s + dt * rate
