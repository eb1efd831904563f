"""Turn a frame about the vertical to a heading, whatever its lean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import atan2, pi
from typing import ClassVar

import numpy as np

from poise.compiled import compiled
from poise.robot import Snapshot
from poise.robot.frames import FrameTables, write_rates
from poise.tasks.residual import Linear, Residual
from poise.tasks.rotations import crossed


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

    @cached_property
    def goal(self) -> np.ndarray:
        """Heading, its rate and the rate's, (3,); the residual follows what is written there."""
        return np.array([self.heading, self.rate, self.rate2])

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Angle from the target to the axis, seen from above, the short way round."""
        fill_heading(at.tables, at.robot.frame_id(self.frame), self.axis, self.goal, *out)


@compiled
def fill_heading(
    tables: FrameTables,
    frame: int,
    axis: tuple[float, float, float],
    wish: np.ndarray,
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Write the heading of an axis of a frame minus a wanted one.

    Args:
        tables: of the robot now.
        frame: which.
        axis: unit vector, in the frame.
        wish: heading [rad], its rate [rad/s] and the rate's [rad/s^2], (3,).
        error: written, as the next three are; see `residual.Linear`.
        jacobian: (1, nv).
        flow: (1,).
        drift: (1,).
    """
    places, _, _, _, J, parents, all_moves = tables
    place, moves = places[frame], all_moves[parents[frame]]
    w, still = np.empty(3), np.empty(6)
    write_rates(tables, frame, w, still)
    x = (
        place[0] * axis[0] + place[3] * axis[1] + place[6] * axis[2],
        place[1] * axis[0] + place[4] * axis[1] + place[7] * axis[2],
        place[2] * axis[0] + place[5] * axis[1] + place[8] * axis[2],
    )
    v = crossed(w, x)
    square = x[0] * x[0] + x[1] * x[1]
    off = atan2(x[1], x[0]) - wish[0]
    error[0] = (off + pi) % (2.0 * pi) - pi
    # heading' = (x0 x1' - x1 x0') / (x0² + x1²), and x' = w x x
    r0, r1 = -x[0] * x[2] / square, -x[1] * x[2] / square
    for c in range(jacobian.shape[1]):
        jacobian[0, c] = 0.0
        if moves[c]:
            jacobian[0, c] = r0 * J[3, c] + r1 * J[4, c] + J[5, c]
    rate = (x[0] * v[1] - x[1] * v[0]) / square
    flow[0] = -wish[1]
    bent, swung = crossed(still[3:], x), crossed(w, v)
    bend = (x[0] * (bent[1] + swung[1]) - x[1] * (bent[0] + swung[0])) / square
    drift[0] = bend - 2.0 * rate * (x[0] * v[0] + x[1] * v[1]) / square - wish[2]
