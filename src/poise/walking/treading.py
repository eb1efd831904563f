"""What each foot carries too much or too little in every step alike, summed up over the strides.

While both feet stand, tenths of a millimetre decide which of them carries how much, and when a foot
touches or is free. A sole under a load creeps: what it carries is decided by how fast it is pressed
in. How much so is not known well, but it is the same in every step. So for each moment of a stride
the excess of a foot is summed up, and the foot yields to the sum as it yields to what it feels now:
after some strides it carries its share.
"""

from __future__ import annotations

import numpy as np

from poise.walking.repeating import Stride

BINS = 48  # of a step
LEARNING = 0.4  # of an excess is added to the sum at every visit
MOST = 2.0  # of the weight: no sum grows beyond this
EARLY = 0.015  # [s], what is commanded now is felt so much later


class Treading:
    """What the left foot carried beyond its share of the weight, summed up over strides."""

    def __init__(self, dt: float) -> None:
        """Know nothing yet; something is learnt every period dt [s]."""
        self._dt = dt
        self._sum, self._smooth = np.zeros(2 * BINS), np.zeros(2 * BINS)
        self._left: bool | None = None

    def learn(self, stride: Stride, excess: float) -> None:
        """Take in how much of the weight the left foot carries beyond its share, -1 to 1."""
        row = int(stride.left) * BINS + min(int(stride.share * BINS), BINS - 1)
        gain = min(LEARNING * self._dt * BINS / stride.duration, 1.0)
        self._sum[row] = min(max(float(self._sum[row]) + gain * excess, -MOST), MOST)

    def excess(self, stride: Stride) -> float:
        """The sum for this moment of the stride, of the weight."""
        if stride.left != self._left:
            self._left, found = stride.left, self._sum
            self._smooth = 0.5 * found + 0.25 * (np.roll(found, 1) + np.roll(found, -1))
        at = (float(stride.left) + stride.share + EARLY / stride.duration) * BINS - 0.5
        low = int(at // 1.0)
        share, a, b = at - low, low % (2 * BINS), (low + 1) % (2 * BINS)
        return float(self._smooth[a] + share * (self._smooth[b] - self._smooth[a]))
