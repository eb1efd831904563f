"""Joint limits that can still be kept tomorrow.

A bound on the next position alone stays silent until the last tick and then asks for an
impossible deceleration. The bound here keeps every joint able to stop before its limit with a
known deceleration: v + dt a <= sqrt(2 a_brake (q_high - q_next)), and within its speed limit.

On that bound a joint brakes from one tick to the next as hard as it can, and the torques jump.
Where they must not, it also settles at its limit like a critically damped spring of a rate k:
a <= k² (q_high - q) - 2 k v.
"""

from __future__ import annotations

import numpy as np

from poise.control.assembling import write_viable
from poise.robot import Robot

ABRUPT = np.inf  # [1/s], a settling that leaves all to the hardest braking
STEADY = 0.25  # of 1 / dt: a spring that is faster would not settle in steps of dt


class ViableAccelerations:
    """Bounds on joint accelerations at (q, v) that keep position and speed limits for ever."""

    def __init__(
        self,
        robot: Robot,
        dt: float,
        brake: float = 60.0,
        margin: float = 1e-3,
        settling: float = ABRUPT,
    ) -> None:
        """Remember the limits.

        Args:
            robot: whose limits.
            dt: length of a control period [s].
            brake: deceleration that every joint can be counted on for [rad/s^2].
            margin: how far inside its limits every joint stays [rad].
            settling: how fast a joint may settle at a limit [1/s].
        """
        self._dt, self._brake = dt, brake
        self._settling = settling if settling == ABRUPT else min(settling, STEADY / dt)
        self._low, self._high = robot.lower + margin, robot.upper - margin
        self._speed = robot.velocity_limit.copy()
        self.lower, self.upper = np.zeros(robot.na), np.zeros(robot.na)

    def refresh(self, q: np.ndarray, v: np.ndarray) -> None:
        """Compute `lower` and `upper` [rad/s^2], (na,), for a state, in place."""
        limits = self._low, self._high, self._speed, self._dt, self._brake
        write_viable(q, v, *limits, self._settling, self.lower, self.upper)
