"""A reference that a slider moves, with its rates, so that the body goes along at once."""

from __future__ import annotations


class Slide:
    """A number on its way, told once a period.

    Attributes:
        motion: the number, its rate and how fast that changes.
    """

    def __init__(self, value: float, most: float) -> None:
        """Begin at rest; foresee accelerations of at most so much, because a start is a kink."""
        self.motion, self._most = (value, 0.0, 0.0), most

    def move(self, value: float, dt: float) -> None:
        """It has this value now, a period [s] after the last."""
        before, rate, _ = self.motion
        now = (value - before) / dt
        self.motion = (value, now, min(max((now - rate) / dt, -self._most), self._most))
