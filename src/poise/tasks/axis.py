"""Keep an axis of the body parallel to a direction of the world, free to spin about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pinocchio as pin

from poise.compiled import compiled
from poise.contacts.friction import tangents
from poise.robot import Snapshot
from poise.robot.frames import FrameTables, write_jacobian, write_rates
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
        fill_axis(at.tables, at.robot.frame_id(self.frame), self.axis, self._seen, *out)


@compiled
def fill_axis(
    tables: FrameTables,
    frame: int,
    axis: np.ndarray,
    seen: np.ndarray,
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Write how an axis of a frame appears to those who look along the direction.

    Args:
        tables: of the robot now.
        frame: which.
        axis: unit vector, in the frame.
        seen: takes an axis of the world to the error, (2, 3).
        error: written, as the next three are; see `residual.Linear`.
        jacobian: (2, nv).
        flow: (2,).
        drift: (2,).
    """
    place, z = tables[0][frame], np.empty(3)
    for i in range(3):
        z[i] = place[i] * axis[0] + place[3 + i] * axis[1] + place[6 + i] * axis[2]
    w, still, J = np.empty(3), np.empty(6), np.empty((3, jacobian.shape[1]))
    write_rates(tables, frame, w, still)
    write_jacobian(tables, frame, 3, J)
    turning = cross(still[3:], z) + cross(w, cross(w, z))
    for row in range(2):
        s = seen[row]
        # s . (w x z) = w . (z x s)
        across = cross(z, s)
        error[row] = s[0] * z[0] + s[1] * z[1] + s[2] * z[2]
        flow[row] = 0.0
        drift[row] = s[0] * turning[0] + s[1] * turning[1] + s[2] * turning[2]
        for c in range(jacobian.shape[1]):
            jacobian[row, c] = across[0] * J[0, c] + across[1] * J[1, c] + across[2] * J[2, c]
