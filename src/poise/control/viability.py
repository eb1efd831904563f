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
        self.dt, self.brake = dt, brake
        self._low, self._high = robot.lower + margin, robot.upper - margin
        self._speed = robot.velocity_limit
        self._room = np.zeros((2, robot.na))  # to the upper limit, to the lower limit
        self._most = np.zeros((2, robot.na))
        self.lower, self.upper = np.zeros(robot.na), np.zeros(robot.na)

    def refresh(self, q: np.ndarray, v: np.ndarray) -> None:
        """Compute `lower` and `upper` [rad/s^2], (na,), for a state, in place."""
        joints, rates, dt, brake = q[BASE_Q:], v[BASE_V:], self.dt, self.brake
        room, most = self._room, self._most
        np.subtract(self._high, joints, out=room[0])
        np.subtract(joints, self._low, out=room[1])
        np.maximum(room, 0.0, out=room)
        # the speed w whose stopping distance after one more period fits: w dt + w²/(2 b) = room
        room *= 2.0 / brake
        room += dt * dt
        np.sqrt(room, out=most)
        most -= dt
        most *= brake
        np.minimum(most, self._speed, out=most)
        np.subtract(most[0], rates, out=self.upper)
        np.add(most[1], rates, out=self.lower)
        self.upper /= dt
        self.lower /= -dt
        # beyond a limit already: brake as hard as one can count on, no harder
        np.maximum(self.upper, -brake, out=self.upper)
        np.minimum(self.lower, brake, out=self.lower)
        np.maximum(self.upper, self.lower, out=self.upper)
