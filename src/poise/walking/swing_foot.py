"""The way of a swinging foot: smooth along the ground, a hump in height, level all the time.

With s from 0 to 1, place and heading follow 10 s³ - 15 s⁴ + 6 s⁵ and the height 64 h s³ (1 - s)³,
so that velocity and acceleration vanish at lift-off and at touchdown.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

Place = tuple[float, float, float]  # x [m], y [m], heading [rad]


def ease(s: float) -> tuple[float, float, float]:
    """The quintic step at s and its first two derivatives by s."""
    r = 1.0 - s
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * r) ** 2, 60.0 * s * r * (r - s)


def hump(s: float) -> tuple[float, float, float]:
    """A hump of height 1 at s = 1/2, flat at both ends, and its first two derivatives by s."""
    r = 1.0 - s
    b = s * r
    slope = r - s
    return 64.0 * b**3, 192.0 * b * b * slope, 384.0 * b * (slope * slope - b)


@dataclass
class FootTrack:
    """Where a foot should be now, with velocity and acceleration; rewritten every tick.

    Attributes:
        place: x, y, z [m] and heading [rad] (unwrapped).
        rate: its rates [m/s, rad/s].
        rate2: their rates [m/s^2, rad/s^2].
        moved: whether it is somewhere else since it was last written.
    """

    place: list[float]
    rate: list[float]
    rate2: list[float]
    moved: bool = True

    @classmethod
    def resting(cls, place: Place) -> FootTrack:
        """A foot flat on the ground at a place."""
        x, y, heading = place
        return cls([x, y, 0.0, heading], [0.0] * 4, [0.0] * 4)

    def rest(self, place: Place) -> None:
        """Put the foot flat on the ground at a place."""
        self.place[:] = (place[0], place[1], 0.0, place[2])
        self.rate[:] = self.rate2[:] = (0.0, 0.0, 0.0, 0.0)
        self.moved = True

    def swing(self, way: Swing, s: float, s_rate: float, s_rate2: float) -> None:
        """Move along a swing.

        Args:
            way: from where to where.
            s: progress, 0 to 1.
            s_rate: its rate [1/s].
            s_rate2: the rate of that [1/s^2].
        """
        e, e1, e2 = ease(s)
        h, h1, h2 = hump(s)
        e2, e1 = e2 * s_rate * s_rate + e1 * s_rate2, e1 * s_rate
        h2, h1 = h2 * s_rate * s_rate + h1 * s_rate2, h1 * s_rate
        place, rate, rate2 = self.place, self.rate, self.rate2
        for k, (a, b) in enumerate(zip(way.start, way.end, strict=True)):
            k = 3 if k == 2 else k
            place[k], rate[k], rate2[k] = a + (b - a) * e, (b - a) * e1, (b - a) * e2
        place[2], rate[2], rate2[2] = way.height * h, way.height * h1, way.height * h2
        self.moved = True

    def write(
        self,
        translation: np.ndarray,
        rotation: np.ndarray,
        twist: np.ndarray,
        acceleration: np.ndarray,
    ) -> None:
        """Put pose, twist and acceleration into arrays, world axes, linear part first."""
        x, y, z, heading = self.place
        c, s = cos(heading), sin(heading)
        translation[:] = (x, y, z)
        rotation[0, 0] = rotation[1, 1] = c
        rotation[0, 1], rotation[1, 0] = -s, s
        twist[:3], twist[5] = self.rate[:3], self.rate[3]
        acceleration[:3], acceleration[5] = self.rate2[:3], self.rate2[3]
        self.moved = False


@dataclass
class Swing:
    """A swing from one place to another; its end may still be moved while it lasts."""

    start: Place
    end: Place
    height: float  # [m], at the middle

    def at(self, s: float) -> tuple[float, float, float, float]:
        """Where the foot is at a progress from 0 to 1: x, y, z [m] and heading [rad]."""
        e, h = ease(s)[0], hump(s)[0]
        x, y, heading = (a + (b - a) * e for a, b in zip(self.start, self.end, strict=True))
        return x, y, self.height * h, heading
