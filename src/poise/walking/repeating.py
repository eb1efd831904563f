"""What is off in every step alike: learnt from the steps that went before, made up for in the next.

A swing that is not quite as planned, a sole that gives way, a servo that is late move the ZMP of a
walking robot in the same way step after step. So the offset is kept as a table over the two steps
of a stride, and because it comes again it is known ahead: a mass that falls away at the rate w
meets it best through w int e^-ws d(t + s) ds.
"""

from __future__ import annotations

from math import cos, exp, sin
from typing import NamedTuple

import numpy as np

BINS = 24  # of a step
LEARNING = 0.4  # of what is found in a bin is believed after one visit
EARLY = 0.015  # [s], what is commanded now is felt so much later


class Stride(NamedTuple):
    """How far a step has come."""

    left: bool  # which foot takes the weight
    share: float  # of the step that has passed, 0 to 1
    duration: float  # [s], of the step
    heading: float  # [rad], of the walk


class Repeating:
    """Offsets of the ZMP that come again with every stride."""

    def __init__(self, most: float, dt: float) -> None:
        """Know nothing yet.

        Args:
            most: a larger offset is cut [m].
            dt: period in which something is found [s].
        """
        self._most, self._dt = most, dt
        self._found = np.zeros((2 * BINS, 2))  # forward and to the left [m]
        self._smooth, self._ahead = np.zeros((2 * BINS, 2)), np.zeros((2 * BINS, 2))
        self._left: bool | None = None

    def learn(self, stride: Stride, off: tuple[float, float]) -> None:
        """Take in where the ZMP was off [m], world axes."""
        c, s = cos(stride.heading), sin(stride.heading)
        most, row = self._most, self._row(stride)
        gain = min(LEARNING * self._dt * BINS / stride.duration, 1.0)
        here = self._found[row]
        for i, value in enumerate((c * off[0] + s * off[1], -s * off[0] + c * off[1])):
            here[i] += gain * (min(max(value, -most), most) - here[i])

    def expect(self, stride: Stride, omega: float) -> tuple[float, float, float, float]:
        """The offset now, and what a mass that falls at a rate [1/s] will have met: world axes [m].

        Args:
            stride: how far the step has come.
            omega: of the pendulum.
        """
        if stride.left != self._left:
            self._left = stride.left
            self._foresee(stride.duration, omega)
        early = EARLY / stride.duration
        at = (float(stride.left) + stride.share + early) * BINS - 0.5
        low = int(at // 1.0)
        share, a, b = at - low, low % (2 * BINS), (low + 1) % (2 * BINS)
        c, s = cos(stride.heading), sin(stride.heading)
        found = []
        for rows in (self._smooth, self._ahead):
            (ax, ay), (bx, by) = rows[a].tolist(), rows[b].tolist()
            x, y = ax + share * (bx - ax), ay + share * (by - ay)
            found += [c * x - s * y, s * x + c * y]
        return found[0], found[1], found[2], found[3]

    def _row(self, stride: Stride) -> int:
        return int(stride.left) * BINS + min(int(stride.share * BINS), BINS - 1)

    def _foresee(self, duration: float, omega: float) -> None:
        """Once a step: smooth what was found, and sum up what is ahead of each bin."""
        found = self._found
        self._smooth = 0.5 * found + 0.25 * (np.roll(found, 1, axis=0) + np.roll(found, -1, axis=0))
        fade = exp(-omega * duration / BINS)
        ahead = np.zeros(2)
        for k in (*range(2 * BINS - 1, -1, -1), *range(2 * BINS - 1, -1, -1)):
            ahead = (1.0 - fade) * self._smooth[k] + fade * ahead
            self._ahead[k] = ahead
