"""Catching a push, both axes: on the soles, on their rim, and back.

On the rim ankles can do nothing: a rigid body falls slower than one that bends. When the capture
point has come back, the feet are laid flat before the body has swung through: only a robot on its
soles can be stopped.
"""

from __future__ import annotations

import numpy as np

from poise.engines.balance.axis_catcher import AxisCatcher
from poise.engines.balance.felt import Felt
from poise.engines.balance.filters import SecondOrder
from poise.engines.balance.footing import Footing

TIPPED, LANDED = 1.6, 0.5  # of the tilt at which soles reach their rim: tipping begins and ends
EAGER = 1.0  # how much faster than it runs away a capture point beyond the rim is called back


class Capture:
    """A feedback that catches pushes, both axes."""

    def __init__(
        self, footings: tuple[Footing, Footing], dt: float, effort: float, believe: float
    ) -> None:
        """Take the footing of both axes, forward first, the period [s] and the tastes."""
        self._axes = [AxisCatcher(one, dt, effort, believe) for one in footings]
        self._dt, self._servo = dt, SecondOrder(footings[0].servo_time, dt)
        self.velocity, self.shift = np.zeros(2), np.zeros(2)
        self.beyond, self.speed = np.zeros(2), np.zeros(2)
        self.aside, self.ahead = (0.0, 0.0, 1.0), 0.0
        self._command, self.tipping = np.zeros(2), False

    def restart(self) -> None:
        """The robot stands on something else now."""
        for axis in self._axes:
            axis.move()
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
        held, rates = servo.value.tolist(), servo.rate.tolist()
        rims = self._feel(felt, held, low, high)
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
            self.velocity[k], self.speed[k] = rate, axis.speed
            self._command[k] = s + dt * rate
        ahead, aside = self._axes
        self.ahead = max(ahead.share(high[0]), ahead.share(low[0]))
        self._look_aside(rims[1], high[1] if aside.tilt > 0.0 else low[1])

    def _feel(
        self, felt: Felt, held: list[float], low: list[float], high: list[float]
    ) -> list[float | None]:
        """Tell both axes what is felt; the rims that the robot stands on, if any [m]."""
        blind_low, blind_high = felt.blind_low.tolist(), felt.blind_high.tolist()
        zmp, mass, momentum = felt.zmp.tolist(), felt.mass.tolist(), felt.momentum.tolist()
        against, flies = felt.against.tolist(), felt.flies.tolist()
        load = float(felt.load[0])
        rims: list[float | None] = [None, None]
        for k, axis in enumerate(self._axes):
            axis.tipped = self.tipping
            axis.lean(mass[k], held[k])
            blind, rim = (blind_high[k], high[k]) if zmp[k] > 0.0 else (blind_low[k], low[k])
            axis.feel(zmp[k], blind, rim, load, momentum[k], against[k], flies[k])
            rim = high[k] if axis.tilt > 0.0 else low[k]
            if self.tipping:  # until the soles are flat again, whatever they feel meanwhile
                on_rim = axis.springy() / rim > LANDED
            else:
                unseen = not blind_low[k] < zmp[k] < blind_high[k]
                on_rim = unseen and axis.springy() / rim > TIPPED
            if on_rim:
                rims[k] = rim
        return rims

    def _look_aside(self, tipped: float | None, rim: float) -> None:
        """Tell what the soles lack to the side; the rim it tips over, if any, and is nearer [m]."""
        axis = self._axes[1]
        share, lacking = axis.share(rim), 0.0
        if tipped is not None or share > 1.0:  # who will tip need not wait until it does
            lacking = (1.0 + EAGER) * axis.capture + axis.observer.push - rim
        self.aside = (lacking, share, rim)
