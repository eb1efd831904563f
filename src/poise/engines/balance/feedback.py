"""What a ZMP that is not where it should be does to the centre of mass.

Every law answers with a velocity and a shift of the centre of mass, (2,) each, in the axes of the
reference foot, which the second level adds to its reference:

    c' = c_d' + u + k (c_d + s - c)

The sign is a choice. `Stiff` (the paper) leans against what pushes: better at rest, but its first
move drives the ZMP further out. `Compliant` (Choi, Kajita) gives way: worse at rest, and stable
without a filter. `catching.Capture` leans against a push as fast as the soles can bear.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from poise.engines.balance.felt import Felt
from poise.engines.balance.filters import SecondOrder
from poise.engines.balance.options import BalanceOptions


class Feedback(Protocol):
    """A law that turns the ZMP error into a motion of the centre of mass."""

    velocity: np.ndarray  # [m/s], (2,)
    shift: np.ndarray  # [m], (2,)
    beyond: np.ndarray  # how far the capture point is known to be off the soles [m], (2,)
    speed: np.ndarray  # of the centre of mass, as believed [m/s], (2,)
    ahead: float  # how far the capture point, the push included, is on its way to toes or heels
    aside: tuple[float, float, float]
    """To the left: moment over the weight that the soles cannot give [m], how far the capture
    point, the push included, is on its way to the rim, and where that rim is [m]."""
    tipping: bool  # whether the robot is known to stand on the rim of its soles

    def step(self, felt: Felt) -> None:
        """Take what is felt in this period."""
        ...

    def restart(self) -> None:
        """Forget what is under way."""
        ...


class Steadfast:
    """A law that never tips the robot nor steps: nothing to know about rims, nothing to forget."""

    tipping = False
    aside, ahead = (0.0, 0.0, 1.0), 0.0
    speed = np.zeros(2)

    def restart(self) -> None:
        """Nothing."""


class NoRegulation(Steadfast):
    """Nobody looks at the ZMP."""

    def __init__(self) -> None:
        self.velocity, self.shift, self.beyond = np.zeros(2), np.zeros(2), np.zeros(2)

    def step(self, felt: Felt) -> None:
        """Nothing."""


class Stiff(Steadfast):
    """The paper's law: u = k (Kp e + Kd de/dt) of the filtered error."""

    def __init__(self, options: BalanceOptions, dt: float) -> None:
        """Take gains and period [s]."""
        self._p, self._d = options.k * options.Kp, options.k * options.Kd
        self._filter = SecondOrder(options.zmp_filter, dt)
        self.velocity, self.shift, self.beyond = np.zeros(2), np.zeros(2), np.zeros(2)

    def step(self, felt: Felt) -> None:
        """Lean to where the ZMP should go."""
        f = self._filter
        f.step(felt.zmp_error)
        np.multiply(f.value, self._p, out=self.velocity)
        if self._d:
            self.velocity += self._d * f.rate


class Compliant(Steadfast):
    """The opposite sign: u = -kz e, the robot gives way to what pushes."""

    def __init__(self, options: BalanceOptions, dt: float) -> None:
        """Take gain and period [s]."""
        self._gain = -options.kz
        self._filter = SecondOrder(options.zmp_filter, dt)
        self.velocity, self.shift, self.beyond = np.zeros(2), np.zeros(2), np.zeros(2)

    def step(self, felt: Felt) -> None:
        """Move with the ZMP."""
        self._filter.step(felt.zmp_error)
        np.multiply(self._filter.value, self._gain, out=self.velocity)
