"""Catching a push: the best regulator of a pendulum on lagging servos and soles that give way.

One axis of the robot obeys (see `oracle`)

    J a'' = m g (c + z a) - m z c'' + m g d - m g p,      p = (K a + B a') / (m g)

with a the tilt on the soles, d = F z / (m g) what a push does to the ZMP (see `push_observer`), and
c what the servos make of the command s, c = s / (lag s + 1)². The command is accelerated by

    s'' = -gain . (s + d, s', c + d, c', a, a')

which leaves the least ZMP error for the least effort (linear-quadratic), comes to rest at s = -d
with the ZMP where it should be, and never asks the ZMP to leave the soles. The sooner the ZMP is on
the rim the more is survived: a capture point that will be far out has a gain for which moving the
mass costs hardly anything, and a push that grows finds a robot that already moves against it.

On the rim ankles can do nothing: a rigid body falls slower than one that bends. When the capture
point has come back, the feet are laid flat before the body has swung through: only a robot on its
soles can be stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from poise.engines.balance.felt import Felt
from poise.engines.balance.filters import SecondOrder
from poise.engines.balance.push_observer import PushObserver
from poise.robot.robot import GRAVITY

HOME = 0.05  # how much a centre of mass away from home costs against a ZMP that is
TIPPED, LANDED = 1.6, 0.5  # of the tilt at which soles reach their rim: tipping begins and ends
FRESH = 0.95  # how much of the rate of the tilt is kept from period to period
URGENT = 0.01  # of the effort, when the capture point is far out
ALERT, ALARM = 0.15, 0.4  # of the way to the rim: where urgency begins and is complete
FORESEE = 0.05  # [s], how far ahead a push that grows is looked at
MOST = 2.5  # of the way to the rim: the greatest push that is believed
EAGER = 1.0  # how much faster than it runs away a capture point beyond the rim is called back
TRUST = 0.2  # [s], in which a tilt that the ZMP does not explain is taken for a wrong zero
BELIEVED = 0.3  # of the tilt at which soles reach their rim: the greatest such error
ASKEW = 0.4  # of the way to the rim, by which tilt and ZMP may tell different stories
STIFFEN = 0.05  # [s], in which the command comes to rest while the robot tips
WITHIN = 0.95  # of the way from the reference to the rim of the soles that the ZMP is sent
BACK = 0.7  # of the way to the rim: within, a capture point has come back
UNDER = 0.6  # of where the centre of mass is: where the feet are laid flat below it
LAY = 0.12  # [s], in which they are
GENTLY = 0.03  # [s], in which that begins


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


class AxisCatcher:
    """One axis of a robot that catches pushes.

    Attributes:
        tilt: of the robot on its soles, as measured [rad].
        tipped: whether the robot stood on a rim in the period before.
        speed: of the centre of mass [m/s].
        observer: of what pushes.
    """

    def __init__(self, footing: Footing, dt: float, effort: float, believe: float) -> None:
        """Take the footing, the period [s], the effort, and how fast a push may change."""
        m, z = footing.mass, footing.height
        self._height, self._weight = z, m * GRAVITY
        self._omega = (GRAVITY / z) ** 0.5
        self.observer = PushObserver(self._omega, dt, believe)
        self._moment = m * z
        self._turning = footing.inertia / (m * z) - z  # I / (m z)
        self._springs = footing.stiffness / self._weight, footing.damping / self._weight
        self._dt = dt
        self._calm = regulator_gain(footing, dt, effort).tolist()
        self._urgent = regulator_gain(footing, dt, URGENT * effort).tolist()
        self.restart()

    def restart(self) -> None:
        """Believe that the robot is at rest."""
        self.observer.restart()
        self.tilt = self._falling = 0.0
        self._mass = self._bias = self._turned = self._foot = self._rocking = self.speed = 0.0
        self.tipped, self._zmp = False, 0.0

    def springy(self) -> float:
        """Where the ZMP would be at this tilt on soles without end [m]."""
        return self._springs[0] * self.tilt

    def lean(self, mass: float, held: float) -> None:
        """See the centre of mass, as it is and as the servos hold it [m]."""
        before, self.tilt = self.tilt, (mass - held) / self._height
        self._falling += (1.0 - FRESH) * ((self.tilt - before) / self._dt - self._falling)
        self._mass = mass

    def feel(
        self, zmp: float, blind: float, rim: float, foot: float, momentum: float, c_rate: float
    ) -> None:
        """Tell the push.

        Args:
            zmp: as felt, from where it should be [m].
            blind: where the soles on that side tell no more [m].
            rim: where they end [m].
            foot: tilt of the reference foot [rad].
            momentum: of joints that turn [N m s].
            c_rate: of the centre of mass as the servos hold it [m/s].
        """
        if zmp / blind > 1.0:  # somewhere between the last sensor and the rim, as the tilt tells
            springs = self._springs[0] * self.tilt + self._springs[1] * self._falling
            way = (springs - blind) / (rim - blind + 1e-9)
            zmp = blind + min(max(way, 0.0), 1.0) * (rim - blind)
        elif not self.tipped:
            unexplained = self.tilt - zmp / self._springs[0] - self._bias
            most = BELIEVED * abs(rim) / self._springs[0]
            bias = self._bias + self._dt / TRUST * unexplained
            self._bias = min(max(bias, -most), most)
        before, self._foot = self._foot, foot
        self._rocking += (1.0 - FRESH) * ((foot - before) / self._dt - self._rocking)
        self._turned += self._dt * momentum / self._moment
        place = self._mass + self._turning * foot + self._turned
        self._zmp = zmp
        turns = self._turning * self._rocking + momentum / self._moment
        falls = c_rate + self._height * self._falling
        self.observer.step(place, self._mass - zmp, MOST * max(abs(rim), abs(blind)))
        self.speed = falls if self.tipped else self.observer.rate - turns

    @property
    def capture(self) -> float:
        """The capture point, from where it should be [m]."""
        return self._mass + self.speed / self._omega

    def share(self, rim: float) -> float:
        """How far the capture point is on its way to a rim [m], a push that way included."""
        return self.capture / rim + max(self.observer.push / rim, 0.0)

    def catch(
        self, s: float, rate: float, held: tuple[float, float], low: float, high: float
    ) -> float:
        """The rate of the command on the soles [m/s].

        Args:
            s: the command [m].
            rate: its rate so far [m/s].
            held: what the servos make of it [m], [m/s].
            low: least ZMP on the soles [m].
            high: greatest.
        """
        (c, c_rate), d = held, self.observer.push
        spin = (self.speed - c_rate) / self._height
        x = self.capture + d + FORESEE * self.observer.growth
        alarm = (x / (high if x > 0.0 else low) - ALERT) / (ALARM - ALERT)
        h = min(max(alarm, 0.0), 1.0)
        g = [a + h * (b - a) for a, b in zip(self._calm, self._urgent, strict=True)]
        tilt = self.tilt - self._bias
        # a foot that lies askew tilts the robot without moving its ZMP
        spring, damper = self._springs
        about, play = self._zmp - damper * spin, ASKEW * max(abs(low), abs(high))
        tilt = min(max(tilt, (about - play) / spring), (about + play) / spring)
        s, c = s + d, c + d
        u = -(g[0] * s + g[1] * rate + g[2] * c + g[3] * c_rate + g[4] * tilt + g[5] * spin)
        w2 = self._omega**2
        u = min(max(u, w2 * (s - WITHIN * high)), w2 * (s - WITHIN * low))
        return rate + self._dt * u

    def tip(self, s: float, rate: float, rim: float | None) -> float:
        """The rate of the command on a rim [m/s]; the rim [m] is None where another axis tips."""
        if rim is not None and self.share(rim) < BACK:
            return rate + self._dt / GENTLY * ((UNDER * self._mass - s) / LAY - rate)
        return rate - self._dt / STIFFEN * rate


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
        self.beyond = np.zeros(2)
        self.aside = (0.0, 0.0, 1.0)
        self._command, self.tipping = np.zeros(2), False

    def restart(self) -> None:
        """Forget all that was believed: the robot stands on something else now."""
        for axis in self._axes:
            axis.restart()
        for rows in (self._command, self.velocity, self.shift, self.beyond):
            rows[:] = 0.0
        self._servo.restart(self.shift)
        self.tipping = False

    @property
    def pushed(self) -> np.ndarray:
        """By how much a push moves the ZMP, as believed [m], (2,)."""
        return np.array([axis.observer.push for axis in self._axes])

    def step(self, felt: Felt) -> None:
        """Move the centre of mass."""
        servo, dt = self._servo, self._dt
        servo.step(self._command)
        self.shift[:] = servo.value  # servos that lag are not to be hurried by their loop
        low, high = felt.low.tolist(), felt.high.tolist()
        zmp = (-felt.zmp_error).tolist()
        blind_low, blind_high = felt.blind_low.tolist(), felt.blind_high.tolist()
        held, rates = servo.value.tolist(), servo.rate.tolist()
        tilt, momentum = felt.tilt.tolist(), felt.momentum.tolist()
        rims: list[float | None] = [None, None]
        for k, axis in enumerate(self._axes):
            axis.tipped = self.tipping
            axis.lean(float(felt.mass[k]), held[k])
            blind, rim = (blind_high[k], high[k]) if zmp[k] > 0.0 else (blind_low[k], low[k])
            axis.feel(zmp[k], blind, rim, tilt[k], momentum[k], rates[k])
            rim = high[k] if axis.tilt > 0.0 else low[k]
            unseen = not blind_low[k] < zmp[k] < blind_high[k]
            if self.tipping:  # until the soles are flat again, whatever they feel meanwhile
                on_rim = axis.springy() / rim > LANDED
            else:
                on_rim = unseen and axis.springy() / rim > TIPPED
            if on_rim:
                rims[k] = rim
        self.tipping = rims != [None, None]
        for k, axis in enumerate(self._axes):
            s, rate = float(self._command[k]), float(self.velocity[k])
            if self.tipping:
                rate = axis.tip(s, rate, rims[k])
                x = axis.capture + min(max(axis.observer.push, low[k]), high[k])
                self.beyond[k] = max(x - high[k], 0.0) + min(x - low[k], 0.0)
            else:
                rate = axis.catch(s, rate, (held[k], rates[k]), low[k], high[k])
                self.beyond[k] = 0.0
            self.velocity[k] = rate
            self._command[k] = s + dt * rate
        self._look_aside(rims[1], high[1] if self._axes[1].tilt > 0.0 else low[1])

    def _look_aside(self, tipped: float | None, rim: float) -> None:
        """Tell what the soles lack to the side; the rim it tips over, if any, and is nearer [m]."""
        axis = self._axes[1]
        lacking = 0.0
        if tipped is not None:
            lacking = (1.0 + EAGER) * axis.capture + axis.observer.push - tipped
        self.aside = (lacking, axis.share(rim), rim)
