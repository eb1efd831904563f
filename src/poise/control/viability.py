"""Joint limits that can still be kept tomorrow.

A bound on the next position alone stays silent until the last tick and then asks for an
impossible deceleration. The bound here keeps every joint able to stop before its limit with a
known deceleration: v + dt a <= sqrt(2 a_brake (q_high - q_next)), and within its speed limit.
"""

from __future__ import annotations

import numpy as np

from poise.control.assembling import write_viable
from poise.robot import Robot


class ViableAccelerations:
    """Bounds on joint accelerations at (q, v) that keep position and speed limits for ever."""

    def __init__(self, robot: Robot, dt: float, brake: float = 60.0, margin: float = 1e-3) -> None:
        """Remember the limits.

        Args:
            robot: whose limits.
            dt: length of a control period [s].
            brake: deceleration that every joint can be counted on for [rad/s^2].
            margin: how far inside its limits every joint stays [rad].
        """
        self._dt, self._brake = dt, brake
        self._low, self._high = robot.lower + margin, robot.upper - margin
        self._speed = robot.velocity_limit.copy()
        self.lower, self.upper = np.zeros(robot.na), np.zeros(robot.na)

    def refresh(self, q: np.ndarray, v: np.ndarray) -> None:
        """Compute `lower` and `upper` [rad/s^2], (na,), for a state, in place."""
        limits = self._low, self._high, self._speed, self._dt, self._brake
        write_viable(q, v, *limits, self.lower, self.upper)
