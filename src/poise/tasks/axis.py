"""Keep an axis of the body parallel to a direction of the world, free to spin about it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from poise.compiled import compiled
from poise.robot import Snapshot
from poise.robot.frames import FrameTables, write_rates
from poise.tasks.residual import Linear, Residual
from poise.tasks.rotations import crossed


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

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Components of direction x axis in the plane across the direction."""
        fill_axis(at.tables, at.robot.frame_id(self.frame), self.axis, self.direction, *out)


@compiled
def fill_axis(
    tables: FrameTables,
    frame: int,
    axis: np.ndarray,
    direction: np.ndarray,
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
        direction: unit vector, in the world.
        error: written, as the next three are; see `residual.Linear`.
        jacobian: (2, nv).
        flow: (2,).
        drift: (2,).
    """
    places, _, _, _, J, parents, all_moves = tables
    place, moves = places[frame], all_moves[parents[frame]]
    w, still = np.empty(3), np.empty(6)
    write_rates(tables, frame, w, still)
    z = (
        place[0] * axis[0] + place[3] * axis[1] + place[6] * axis[2],
        place[1] * axis[0] + place[4] * axis[1] + place[7] * axis[2],
        place[2] * axis[0] + place[5] * axis[1] + place[8] * axis[2],
    )
    bend, swing = crossed(still[3:], z), crossed(w, crossed(w, z))
    t1 = _tangent(direction)
    t2 = crossed(direction, t1)
    for row in range(2):
        # t . (direction x z) = z . s, where s is t x direction
        s = (-t2[0], -t2[1], -t2[2]) if row == 0 else t1
        # s . (w x z) = w . (z x s)
        across = crossed(z, s)
        error[row] = s[0] * z[0] + s[1] * z[1] + s[2] * z[2]
        flow[row] = 0.0
        drift[row] = (
            s[0] * (bend[0] + swing[0]) + s[1] * (bend[1] + swing[1]) + s[2] * (bend[2] + swing[2])
        )
        for c in range(jacobian.shape[1]):
            jacobian[row, c] = 0.0
            if moves[c]:
                jacobian[row, c] = across[0] * J[3, c] + across[1] * J[4, c] + across[2] * J[5, c]


@compiled
def _tangent(d: np.ndarray) -> tuple[float, float, float]:
    """A unit vector across a unit vector."""
    if abs(d[0]) < 0.9:  # what is left of the x axis, or else of the y axis
        t, length = (1.0 - d[0] * d[0], -d[0] * d[1], -d[0] * d[2]), sqrt(1.0 - d[0] * d[0])
    else:
        t, length = (-d[1] * d[0], 1.0 - d[1] * d[1], -d[1] * d[2]), sqrt(1.0 - d[1] * d[1])
    return t[0] / length, t[1] / length, t[2] / length
