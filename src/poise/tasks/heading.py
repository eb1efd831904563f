"""Turn a frame about the vertical to a heading, whatever its lean."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, pi
from typing import ClassVar

import numpy as np

from poise.robot import Snapshot
from poise.tasks.residual import Linear, Residual
from poise.tasks.rotations import cross


@dataclass(frozen=True, eq=False)
class Heading(Residual):
    """Point an axis of a frame, seen from above, in a direction; one row.

    The axis must not be vertical, where it has no heading.
    """

    frame: str
    heading: float  # [rad], from the world's x axis to the left
    rate: float = 0.0  # of the target [rad/s]
    rate2: float = 0.0  # [rad/s^2]
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)  # unit vector, in the frame
    unit: ClassVar[str] = "rad"

    @property
    def rows(self) -> int:
        """One."""
        return 1

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Angle from the target to the axis, seen from above, the short way round."""
        x = at.rotation(self.frame) @ np.array(self.axis)
        w = at.velocity(self.frame)[3:]
        v = cross(w, x)
        x0, x1, x2 = x.tolist()
        v0, v1, _ = v.tolist()
        square = x0 * x0 + x1 * x1
        off = atan2(x1, x0) - self.heading
        out.error[0] = (off + pi) % (2.0 * pi) - pi
        # heading' = (x0 x1' - x1 x0') / (x0² + x1²), and x' = w x x
        row = np.array([-x0 * x2, -x1 * x2, square]) / square
        out.jacobian[0] = row @ at.jacobian(self.frame)[3:]
        rate = (x0 * v1 - x1 * v0) / square
        out.flow[0] = -self.rate
        a0, a1, _ = (cross(at.drift(self.frame)[3:], x) + cross(w, v)).tolist()
        bend = (x0 * a1 - x1 * a0) / square - 2.0 * rate * (x0 * v0 + x1 * v1) / square
        out.drift[0] = bend - self.rate2
