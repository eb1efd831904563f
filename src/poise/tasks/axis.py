"""Keep an axis of the body parallel to a direction of the world, free to spin about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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
    rates: np.ndarray | None = None  # of the direction [1/s, 1/s^2], (2, 3); may be rewritten
    unit: ClassVar[str] = "rad"

    @property
    def rows(self) -> int:
        """Two."""
        return 2

    @cached_property
    def direction_rates(self) -> np.ndarray:
        """How fast the direction changes, and how fast that does [1/s, 1/s^2], (2, 3)."""
        return np.zeros((2, 3)) if self.rates is None else self.rates

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Components of direction x axis in the plane across the direction."""
        wish = self.axis, self.direction, self.direction_rates
        fill_axis(at.tables, at.robot.frame_id(self.frame), *wish, *out)


@compiled
def fill_axis(
    tables: FrameTables,
    frame: int,
    axis: np.ndarray,
    direction: np.ndarray,
    rates: np.ndarray,
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
        rates: of the direction (2, 3).
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
    turn, turn2 = _turning(direction, t2, rates)
    speed = crossed(w, z)
    for row in range(2):
        # t . (direction x z) = z . s, where s is t x direction
        s = (-t2[0], -t2[1], -t2[2]) if row == 0 else t1
        # s . (w x z) = w . (z x s)
        across = crossed(z, s)
        s1 = crossed(turn, s)  # the plane turns with the direction
        s2, s3 = crossed(turn2, s), crossed(turn, s1)
        error[row] = s[0] * z[0] + s[1] * z[1] + s[2] * z[2]
        flow[row] = s1[0] * z[0] + s1[1] * z[1] + s1[2] * z[2]
        drift[row] = 0.0
        for k in range(3):
            drift[row] += (
                s[k] * (bend[k] + swing[k]) + 2.0 * s1[k] * speed[k] + (s2[k] + s3[k]) * z[k]
            )
        for c in range(jacobian.shape[1]):
            jacobian[row, c] = 0.0
            if moves[c]:
                jacobian[row, c] = across[0] * J[3, c] + across[1] * J[4, c] + across[2] * J[5, c]


@compiled
def _turning(
    d: np.ndarray, t2: tuple[float, float, float], rates: np.ndarray
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """How fast the axes (t1, t2, d) turn while d moves, and how fast that changes.

    The part across d follows from d alone; how they spin about it is up to `_tangent`, which
    keeps t2 across one axis of the world.

    Args:
        d: unit vector.
        t2: the second of its tangents.
        rates: first and second derivative of d (2, 3).
    """
    e = 0 if abs(d[0]) < 0.9 else 1
    d1, d2 = rates[0], rates[1]
    c, c1, length2 = d[e], d1[e], 1.0 - d[e] * d[e]
    side = t2[0] * d1[0] + t2[1] * d1[1] + t2[2] * d1[2]
    ratio = c / length2**0.5
    spin = -ratio * side
    tilt = crossed(d, d1)
    turn = (tilt[0] + spin * d[0], tilt[1] + spin * d[1], tilt[2] + spin * d[2])
    t21 = crossed(turn, t2)
    side1 = 0.0
    for k in range(3):
        side1 += t21[k] * d1[k] + t2[k] * d2[k]
    spin1 = -(c1 / length2**1.5) * side - ratio * side1  # (c / L)' = c' / L^3
    tilt1 = crossed(d, d2)
    turn1 = (
        tilt1[0] + spin1 * d[0] + spin * d1[0],
        tilt1[1] + spin1 * d[1] + spin * d1[1],
        tilt1[2] + spin1 * d[2] + spin * d1[2],
    )
    return turn, turn1


@compiled
def _tangent(d: np.ndarray) -> tuple[float, float, float]:
    """A unit vector across a unit vector."""
    if abs(d[0]) < 0.9:  # what is left of the x axis, or else of the y axis
        t, length = (1.0 - d[0] * d[0], -d[0] * d[1], -d[0] * d[2]), sqrt(1.0 - d[0] * d[0])
    else:
        t, length = (-d[1] * d[0], 1.0 - d[1] * d[1], -d[1] * d[2]), sqrt(1.0 - d[1] * d[1])
    return t[0] / length, t[1] / length, t[2] / length
