"""What a ZMP that is not where it should be does to the centre of mass.

Every law answers with a velocity and a shift of the centre of mass, (2,) each, in the axes of the
reference foot, which the second level adds to its reference:

    c' = c_d' + u + k (c_d + s - c)

The sign is a choice. `Stiff` (the paper) leans against what pushes: better at rest, but its first
move drives the ZMP further out. `Compliant` (Choi, Kajita) gives way: worse at rest, and stable
without a filter. `Capture` leans against a push as fast as the soles can bear, and no faster: it
knows which part of the ZMP is its own doing.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from poise.engines.balance.filters import LowPass, SecondOrder
from poise.engines.balance.options import BalanceOptions


class Feedback(Protocol):
    """A law that turns the ZMP error into a motion of the centre of mass."""

    velocity: np.ndarray  # [m/s], (2,)
    shift: np.ndarray  # [m], (2,)

    def step(self, zmp_error: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Take the error of this period and how far the ZMP may go.

        Args:
            zmp_error: desired minus measured [m], (2,).
            low: room of the ZMP around the desired one, towards negative axes [m], (2,).
            high: towards positive axes [m], (2,).
        """
        ...


class NoRegulation:
    """Nobody looks at the ZMP."""

    def __init__(self) -> None:
        self.velocity, self.shift = np.zeros(2), np.zeros(2)

    def step(self, zmp_error: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Nothing."""


class Stiff:
    """The paper's law: u = k (Kp e + Kd de/dt) of the filtered error."""

    def __init__(self, options: BalanceOptions, dt: float) -> None:
        """Take gains and period [s]."""
        self._p, self._d = options.k * options.Kp, options.k * options.Kd
        self._filter = SecondOrder(options.zmp_filter, dt)
        self.velocity, self.shift = np.zeros(2), np.zeros(2)

    def step(self, zmp_error: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Lean to where the ZMP should go."""
        f = self._filter
        f.step(zmp_error)
        np.multiply(f.value, self._p, out=self.velocity)
        if self._d:
            self.velocity += self._d * f.rate


class Compliant:
    """The opposite sign: u = -kz e, the robot gives way to what pushes."""

    def __init__(self, options: BalanceOptions, dt: float) -> None:
        """Take gain and period [s]."""
        self._gain = -options.kz
        self._filter = SecondOrder(options.zmp_filter, dt)
        self.velocity, self.shift = np.zeros(2), np.zeros(2)

    def step(self, zmp_error: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Move with the ZMP."""
        self._filter.step(zmp_error)
        np.multiply(self._filter.value, self._gain, out=self.velocity)


class Capture:
    """Catches the capture point of a robot that is pushed.

    What a push does to the ZMP, d = F z / (m g), is what is felt beyond what the commanded motion
    explains once the servos have followed it. With the centre of mass off its reference by s, the
    capture point is off by x = s + s' / w and obeys x' = w (x + d - p). The ZMP is asked to go to

        p = (1 + catch) (x + d), no further than the soles reach,

    which brings x to -d at the rate w catch, and with it the ZMP back to where it should be:
    where the soles are large enough there is no offset under a steady push.
    """

    def __init__(self, options: BalanceOptions, dt: float, omega: float) -> None:
        """Take gains, period [s] and rate of the pendulum [1/s]."""
        self._omega, self._dt, self._gain = omega, dt, 1.0 + options.catch
        self._tau = max(options.servo_time, dt)
        self._servo = SecondOrder(self._tau, dt)
        self._soles = SecondOrder(options.sole_time, dt)
        self._observer = LowPass(options.observer_time, dt, np.zeros(2))
        self.velocity, self.shift = np.zeros(2), np.zeros(2)
        self._rate2, self._wish, self._own = np.zeros(2), np.zeros(2), np.zeros(2)

    @property
    def pushed(self) -> np.ndarray:
        """By how much a push moves the ZMP, as believed [m], (2,)."""
        return self._observer.value

    def step(self, zmp_error: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Accelerate the centre of mass."""
        w2, servo, tau, own, wish = self._omega**2, self._servo, self._tau, self._own, self._wish
        servo.step(self.shift)
        # what the commanded motion does to the ZMP: s - s'' / w², after servos and soles
        np.subtract(self.shift, servo.value, out=own)
        own -= 2.0 * tau * servo.rate
        own *= -1.0 / (w2 * tau * tau)
        own += servo.value
        self._soles.step(own)
        np.add(self._soles.value, zmp_error, out=own)
        pushed = self._observer.step(-own)
        np.multiply(self.velocity, 1.0 / self._omega, out=wish)
        wish += self.shift
        wish += pushed
        wish *= self._gain
        np.maximum(wish, low, out=wish)
        np.minimum(wish, high, out=wish)
        np.add(self.shift, pushed, out=self._rate2)
        self._rate2 -= wish
        self._rate2 *= w2
        self.velocity += self._dt * self._rate2
        self.shift += self._dt * self.velocity
