"""The soft stop: joints that swing freely are held the more firmly the nearer they are to a limit.

Arms and head that balance the body would swing until the hard limit brakes them, which looks like
a bang and jerks the whole robot. The rest pose pulls harder on the way there instead.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.robot import Robot

FREE = 0.8  # of the way from the rest pose to a limit that a joint may swing without a change
FIRM = 12.0  # how many times more a joint counts at its limit
LEAST = 0.05  # [rad], way to a limit that is always counted, for rest poses beside one


class SoftStop:
    """How much each joint counts in the posture task, by where it is.

    Attributes:
        scale: (na,), rewritten by every `look`.
    """

    def __init__(self, robot: Robot, base: np.ndarray) -> None:
        """For a robot whose joints count `base` (na,) when they are free."""
        self._lower, self._upper, self._base = robot.lower, robot.upper, base
        held = np.zeros(robot.na, dtype=bool)
        for group in ("left_arm", "right_arm", "head"):
            if robot.groups.get(group):
                held[robot.indices(group)] = True
        self._rise = np.where(held, FIRM - 1.0, 0.0)
        self.scale = np.array(base)
        self.aim(np.zeros(robot.na))

    def aim(self, rest: np.ndarray) -> None:
        """Take on a rest pose [rad], (na,)."""
        self._rest = rest
        self._per_up = 1.0 / np.maximum(self._upper - rest, LEAST)
        self._per_down = 1.0 / np.maximum(rest - self._lower, LEAST)

    def look(self, joints: np.ndarray) -> None:
        """Update `scale` for joints at some angles [rad], (na,)."""
        ways = self._rest, self._per_up, self._per_down
        _write_scale(joints, *ways, self._base, self._rise, self.scale)


@compiled
def _write_scale(
    joints: np.ndarray,
    rest: np.ndarray,
    per_up: np.ndarray,
    per_down: np.ndarray,
    base: np.ndarray,
    rise: np.ndarray,
    out: np.ndarray,
) -> None:
    """The base of each joint, grown with the square of its nearness to a limit, into out."""
    for k in range(joints.shape[0]):
        off = joints[k] - rest[k]
        way = max(off * per_up[k], -off * per_down[k])
        near = min(max((way - FREE) / (1.0 - FREE), 0.0), 1.0)
        out[k] = base[k] * (1.0 + rise[k] * near * near)
