"""Where a viewer is in a motion: playing or not, how fast, and what happens at the end."""

from __future__ import annotations

import numpy as np

SLOWEST, FASTEST = 0.1, 4.0  # times real time


class Playback:
    """The position of one viewer in a motion.

    Args:
        times: the instants of the motion [s], (n,), increasing.
    """

    def __init__(self, times: np.ndarray) -> None:
        self._times = np.asarray(times, dtype=float)
        self.time = self.start
        self.playing = False
        self.loop = True
        self._speed = 1.0

    @property
    def start(self) -> float:
        """The first instant [s]."""
        return float(self._times[0])

    @property
    def end(self) -> float:
        """The last instant [s]."""
        return float(self._times[-1])

    @property
    def speed(self) -> float:
        """Seconds of motion for each second of watching, 0.1 to 4."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = float(np.clip(speed, SLOWEST, FASTEST))

    def toggle(self) -> None:
        """Play or pause; from the very end, play again from the start."""
        self.playing = not self.playing
        if self.playing and self.time >= self.end:
            self.time = self.start

    def seek(self, time: float) -> None:
        """Go to a time [s], or as near as the motion has it."""
        self.time = float(np.clip(time, self.start, self.end))

    def step(self, count: int) -> None:
        """Pause, and go `count` instants of the motion forward (or back, when negative)."""
        self.playing = False
        last = len(self._times) - 1
        # from between two instants, one step leads to the next or the last of them
        if count > 0:
            here = int(np.searchsorted(self._times, self.time, side="right")) - 1
        else:
            here = int(np.searchsorted(self._times, self.time, side="left"))
        self.time = float(self._times[np.clip(here + count, 0, last)])

    def advance(self, passed: float) -> None:
        """Let time pass [s of watching]; at the end, start over or stop."""
        if not self.playing:
            return
        self.time += passed * self._speed
        if self.time < self.end:
            return
        length = self.end - self.start
        if self.loop and length > 0.0:
            self.time = self.start + (self.time - self.start) % length
        else:
            self.time, self.playing = self.end, False

    def between(self) -> tuple[int, float]:
        """The instant k before now, and how far now is on the way to k + 1, from 0 to 1."""
        if len(self._times) < 2:
            return 0, 0.0
        k = int(np.clip(np.searchsorted(self._times, self.time, side="right") - 1, 0, None))
        k = min(k, len(self._times) - 2)
        return k, float((self.time - self._times[k]) / (self._times[k + 1] - self._times[k]))
