"""Filters of a control loop: exact for inputs that are held between ticks."""

from __future__ import annotations

from math import exp

import numpy as np


class LowPass:
    """First order, y' = (u - y) / tau; without a time constant y = u."""

    def __init__(self, tau: float, dt: float, start: np.ndarray | float = 0.0) -> None:
        """Take time constant and period [s] and the first output."""
        self._keep = exp(-dt / tau) if tau > 0.0 else 0.0
        self.value = np.array(start, dtype=float)

    def step(self, u: np.ndarray | float) -> np.ndarray:
        """Take an input; the output, in memory of the filter."""
        self.value *= self._keep
        self.value += (1.0 - self._keep) * np.asarray(u)
        return self.value


class SecondOrder:
    """1 / (tau s + 1)² with its own derivative, both in closed form for a held input."""

    def __init__(self, tau: float, dt: float, size: int = 2) -> None:
        """Take time constant and period [s] and how many signals there are."""
        self.value, self.rate = np.zeros(size), np.zeros(size)
        if tau <= 0.0:
            self._a = None
            self._dt = dt
            return
        # y - u and y' of a critically damped pair, one period on
        fade, h = exp(-dt / tau), dt / tau
        self._a = np.array([[fade * (1.0 + h), fade * dt], [-fade * h / tau, fade * (1.0 - h)]])
        self._away, self._next = np.zeros(size), np.zeros(size)

    def step(self, u: np.ndarray) -> None:
        """Take an input; `value` and `rate` follow."""
        if self._a is None:
            np.subtract(u, self.value, out=self.rate)
            self.rate /= self._dt
            self.value[:] = u
            return
        a, away, rate = self._a, self._away, self.rate
        np.subtract(self.value, u, out=away)
        np.multiply(rate, a[0, 1], out=self._next)
        self._next += a[0, 0] * away
        rate *= a[1, 1]
        rate += a[1, 0] * away
        np.add(self._next, u, out=self.value)

    def restart(self, value: np.ndarray) -> None:
        """Rest at a value."""
        self.value[:] = value
        self.rate[:] = 0.0
