"""How far every motor may go in one tick: within its limit, and not far from where it is.

A torque that leaps from one tick to the next is a blow to the gears, even where it stays within
its limit. So the limits of a tick are those of the motor, cut to a band around the torque of the
tick before.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.robot import Robot

ANY_STEP = np.inf  # share of a limit by which a torque may change where nobody minds


class TorqueBand:
    """Limits of the motors' torques in one tick.

    Attributes:
        most: what each motor gives at most [N m], (na,).
        low: least torque of each motor in this tick [N m], (na,).
        high: greatest.
        follows: whether the band follows the torques of the tick before.
    """

    def __init__(self, robot: Robot, fraction: float = 1.0, step: float = ANY_STEP) -> None:
        """Remember the limits.

        Args:
            robot: whose motors.
            fraction: of their limits that may be used.
            step: share of its limit by which a torque may change from one tick to the next.
        """
        self.most = robot.effort_limit * fraction
        self._step = step * robot.effort_limit
        self._free = step == ANY_STEP
        self._motors = robot.motor_map if robot.couplings else np.zeros((0, 0))
        self.follows = False
        self.low, self.high = -self.most, self.most.copy()

    def centre(self, tau: np.ndarray) -> None:
        """Take on the torques of the joints (na,) as those of the tick before [N m]."""
        if not self._free:
            _write_band(tau, self._motors, self.most, self._step, self.low, self.high)
            self.follows = True


@compiled
def _write_band(
    tau: np.ndarray,
    motors: np.ndarray,
    most: np.ndarray,
    step: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    """A band of a half width around the torques of the motors, within their limits.

    Args:
        tau: of the joints [N m], (na,).
        motors: torque of each motor by those of the joints (na, na), or empty when every joint
            has a motor of its own.
        most: limits [N m], (na,).
        step: half widths [N m], (na,).
        low: written, (na,).
        high: written, (na,).
    """
    for k in range(tau.shape[0]):
        torque = tau[k]
        if motors.shape[0] > 0:
            torque = 0.0
            for j in range(tau.shape[0]):
                torque += motors[k, j] * tau[j]
        torque = min(max(torque, -most[k]), most[k])
        low[k] = max(torque - step[k], -most[k])
        high[k] = min(torque + step[k], most[k])
