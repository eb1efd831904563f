"""A path on the floor: straight, a turn, straight again; smooth in its curvature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline


@dataclass(frozen=True)
class Path:
    """Straight along x, then a turn to the left (positive) or right over some length."""

    before: float  # [m], straight, up to the turn
    turn: float  # [rad]
    over: float  # [m], length of the turn

    def heading(self, s: np.ndarray) -> np.ndarray:
        """Direction at lengths s [m] along the path [rad]."""
        u = np.clip((np.asarray(s) - self.before) / self.over, 0.0, 1.0)
        return self.turn * u**3 * (10.0 - 15.0 * u + 6.0 * u**2)

    def place(self, s: np.ndarray) -> np.ndarray:
        """Points at lengths s [m] along the path [m], (n, 2)."""
        grid = np.linspace(-2.0, self.before + self.over + 6.0, 4000)
        heading = CubicSpline(grid, self.heading(grid))
        x = CubicSpline(grid, np.cos(heading(grid))).antiderivative()
        y = CubicSpline(grid, np.sin(heading(grid))).antiderivative()
        return np.column_stack([x(s) - x(0.0), y(s) - y(0.0)])
