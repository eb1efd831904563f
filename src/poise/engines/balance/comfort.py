"""Where joints like to be, and the way there: the lowest level of the stack.

The potential is the sum of ((q - q_comfort) / range)². Comfort goes down its slope, -beta times its
gradient; uphill (the sign printed in the paper) drives every free joint into its limit.
"""

from __future__ import annotations

import numpy as np

from poise.robot import Robot


class ComfortSlope:
    """Joint rates that lead to comfort, whatever the other levels do with them."""

    def __init__(self, robot: Robot, joints_comfort: np.ndarray, time: float) -> None:
        """Take the robot, its comfort [rad], (na,), and how long a middling joint takes [s]."""
        reach = robot.upper - robot.lower
        limited = np.isfinite(reach) & (reach > 1e-6)
        middling = float(np.median(reach[limited])) if limited.any() else 1.0
        reach = np.where(limited, reach, middling)
        self.joints_comfort = np.array(joints_comfort, dtype=float)
        self.slopes = 1.0 / reach**2  # [1/rad^2]
        # -beta 2 (q - q_comfort) / range², beta so that a middling joint takes `time`
        self._gain = -(middling**2 / time) * self.slopes
        self._rates = np.zeros(robot.na)

    def rates(self, joints: np.ndarray) -> np.ndarray:
        """Down the slope at joint angles [rad/s], (na,); memory of this object."""
        np.subtract(joints, self.joints_comfort, out=self._rates)
        self._rates *= self._gain
        return self._rates

    def potential(self, joints: np.ndarray) -> float:
        """The sum of squared distances from comfort, each over its joint's range."""
        away = joints - self.joints_comfort
        return float(away @ (self.slopes * away))
