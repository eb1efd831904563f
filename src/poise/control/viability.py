"""Joint limits that can still be kept tomorrow.

A bound on the next position alone stays silent until the last tick and then asks for an
impossible deceleration. The bound here keeps every joint able to stop before its limit with a
known deceleration: v + dt a <= sqrt(2 a_brake (q_high - q_next)), and within its speed limit.
"""

from __future__ import annotations

import numpy as np

from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V


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
        na = robot.na
        self._dt, self._brake = dt, brake
        # row 0 looks up, row 1 looks down: both are bounds "from above" on sign * joint
        self._sign = np.array([[1.0], [-1.0]])
        self._reach = np.array([robot.upper - margin, -robot.lower - margin])
        self._speed = np.tile(robot.velocity_limit, (2, 1))
        self._work = np.zeros((2, na))
        self._least = np.full((2, na), -brake)
        self.lower, self.upper = np.zeros(na), self._work[0]

    def refresh(self, q: np.ndarray, v: np.ndarray) -> None:
        """Compute `lower` and `upper` [rad/s^2], (na,), for a state, in place."""
        dt, brake, w = self._dt, self._brake, self._work
        np.multiply(self._sign, q[BASE_Q:], out=w)
        np.subtract(self._reach, w, out=w)  # room to the limit
        # the speed s whose stopping distance after one more period fits: s dt + s²/(2 b) = room
        w *= 2.0 / brake
        w += dt * dt
        np.maximum(w, 0.0, out=w)
        np.sqrt(w, out=w)
        w -= dt
        w *= brake
        np.minimum(w, self._speed, out=w)
        w -= self._sign * v[BASE_V:]
        w /= dt
        # beyond a limit already: brake as hard as one can count on, no harder
        np.maximum(w, self._least, out=w)
        np.negative(w[1], out=self.lower)
        np.maximum(w[0], self.lower, out=w[0])
