"""Keep an axis of the body parallel to a direction of the world, free to spin about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pinocchio as pin

from poise.contacts.friction import tangents
from poise.robot import Snapshot
from poise.tasks.residual import Linear, Residual
from poise.tasks.rotations import cross


@dataclass(frozen=True, eq=False)
class AxisParallel(Residual):
    """Bring an axis of a frame to a direction of the world; two rows, zero when parallel.

    For a small angle the rows are the rotation by which the axis is off; beyond a right angle
    they shrink again, so start within it.
    """

    frame: str
    axis: np.ndarray  # unit vector, in the frame
    direction: np.ndarray  # unit vector, in the world
    unit: ClassVar[str] = "rad"

    @property
    def rows(self) -> int:
        """Two."""
        return 2

    @cached_property
    def _seen(self) -> np.ndarray:
        """Takes the axis to the error: components of direction x axis across the direction."""
        t1, t2 = tangents(self.direction)
        return np.array([t1, t2]) @ pin.skew(self.direction)

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Components of direction x axis in the plane across the direction."""
        z = at.rotation(self.frame) @ self.axis
        w = at.velocity(self.frame)[3:]
        out.error[:] = self._seen @ z
        np.matmul(-self._seen @ pin.skew(z), at.jacobian(self.frame)[3:], out=out.jacobian)
        turning = cross(at.drift(self.frame)[3:], z) + cross(w, cross(w, z))
        out.drift[:] = self._seen @ turning
