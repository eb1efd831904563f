"""One recovery step in the air: where the foot goes, and how it gets there level.

The body tips over the rim of the standing foot meanwhile, so the way is told on the floor and seen
from wherever the standing foot is by then. Torque limits of a small robot let its standing leg
give way; then the swinging leg is told where the base really is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
import pinocchio as pin

from poise.walking.swing_foot import ease, hump

LONGEST = 0.6  # of the CoM's height, of a step
SHORTEST = 0.7  # of the longest: landing too far costs little, too near costs the balance
WIDEST = 0.5  # of the longest, to the side
CLEARANCE = 0.12  # of the CoM's height, of the foot in the middle
PRESS = 0.02  # of the CoM's height, how far below the floor a foot is sent to find it
DOWN = 0.3  # of the CoM's height in the time of a swing, how fast a late foot is lowered
LEVEL = 0.5  # of the way, after which the foot is level
DECIDED = 0.6  # of the way, after which the place to land stays
LAG = 0.04  # [s], between a command and a foot that is there
SIDEWAYS = 0.1  # [s], over which giving way to the side is averaged: the leg's own swing shakes it

_ALONG = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])  # x, z and pitch of a twist


@dataclass(eq=False)
class Stride:
    """A foot on its way.

    Attributes:
        foot: that swings, 0 left, 1 right.
        start: time of lift-off [s].
        duration: until touchdown as planned [s].
        T_floor_start: pose of the foot at lift-off.
        turn: heading of the foot on the floor, (3, 3).
        com_stand: centre of mass seen from the standing foot, held meanwhile [m], (3,).
        pivot: point of the standing sole that the robot tips over [m], (2,).
        ahead: 1 forward, -1 backward.
        height: of the centre of mass [m].
        longest: of the step [m].
        omega: rate of the pendulum [1/s].
    """

    foot: int
    start: float
    duration: float
    T_floor_start: pin.SE3
    turn: np.ndarray
    com_stand: np.ndarray
    pivot: np.ndarray
    ahead: float
    height: float
    longest: float
    omega: float

    def __post_init__(self) -> None:
        self._from = self.T_floor_start.translation[:2].copy()
        self._tilt = pin.log3(self.T_floor_start.rotation @ self.turn.T)
        self.target = self._from.copy()  # on the floor [m], (2,)
        self._sag = np.zeros(6)

    def progress(self, time: float) -> float:
        """0 at lift-off, 1 when it should touch down, more when it is late."""
        return (time - self.start) / self.duration

    def choose(self, s: float, capture: np.ndarray) -> None:
        """Aim at where a capture point [m], (2,), will be at touchdown, within reach."""
        if s > DECIDED:
            return
        left = (1.0 - s) * self.duration + LAG
        x, y = (self.pivot + (capture - self.pivot) * exp(self.omega * left)).tolist()
        at_x, at_y = self._from.tolist()
        side = 1.0 if self.foot == 0 else -1.0
        far = min(max(self.ahead * (x - at_x), SHORTEST * self.longest), self.longest)
        wide = min(max(side * (y - at_y), 0.0), WIDEST * self.longest)
        self.target[:] = at_x + self.ahead * far, at_y + side * wide

    def pose(self, s: float) -> pin.SE3:
        """Where the foot should be on the floor."""
        late, s = max(s - 1.0, 0.0), min(s, 1.0)
        e = ease(s)[0]
        x, y = (self._from + (self.target - self._from) * e).tolist()
        z = (1.0 - e) * float(self.T_floor_start.translation[2])
        z += (CLEARANCE * hump(s)[0] - PRESS * e - DOWN * late) * self.height
        tilt = (1.0 - ease(min(s / LEVEL, 1.0))[0]) * self._tilt
        return pin.SE3(pin.exp3(tilt) @ self.turn, np.array([x, y, z]))

    def making_up(self, T_stand_told: pin.SE3, T_stand_seen: pin.SE3, dt: float) -> pin.SE3:
        """What to put before a pose of the swinging foot, seen from the standing one.

        With it a base that is not where it was told to be carries the foot there all the same.

        Args:
            T_stand_told: the base as commanded, seen from the standing foot.
            T_stand_seen: by the encoders.
            dt: period [s].
        """
        sag = pin.log6(T_stand_told * T_stand_seen.inverse()).vector
        slow = 1.0 - exp(-dt / SIDEWAYS)
        self._sag += (_ALONG + (1.0 - _ALONG) * slow) * (sag - self._sag)
        return pin.exp6(self._sag)
