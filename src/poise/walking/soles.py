"""The soles that stand: how they share the weight, where they press, what room the ZMP has.

A ZMP between two feet is one foot's share of the weight where the ZMP rests under it and the
other's where it rests under that; what is left over moves the centre of pressure under both alike.
So each sole stays flat while the weight goes from one to the other, and a foot carries nothing when
it touches and nothing when it lifts off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pinocchio as pin

from poise.robot import Robot

Pair = tuple[float, float]


class _Standing(NamedTuple):
    """A sole on the ground, its frame seen from above."""

    x: float  # [m]
    y: float
    z: float
    a: float  # the rotation's first two rows and columns: a, b over c, d
    b: float
    c: float
    d: float
    middle: Pair  # [m], world

    def turned(self, x: float, y: float) -> Pair:
        """A vector of the foot's frame in world axes."""
        return self.a * x + self.b * y, self.c * x + self.d * y

    def own(self, x: float, y: float) -> Pair:
        """A vector of the world in the foot's axes."""
        return self.a * x + self.c * y, self.b * x + self.d * y


class Soles:
    """What the standing soles do for a planned ZMP; looked at once a period."""

    def __init__(self, robot: Robot, rest: Pair | None = None) -> None:
        """Measure the soles.

        Args:
            robot: whose.
            rest: where the planned ZMP is under a foot that stands alone, in the left foot's frame:
                forward, outward [m]; the middle of the sole when absent.
        """
        self._corners = {part: sole.corners.tolist() for part, sole in robot.soles.items()}
        self._rooms = {
            part: (*sole.corners.min(axis=0).tolist(), *sole.corners.max(axis=0).tolist())
            for part, sole in robot.soles.items()
        }
        self._centres = {
            part: (0.5 * (low_x + high_x), 0.5 * (low_y + high_y))
            for part, (low_x, low_y, high_x, high_y) in self._rooms.items()
        }
        if rest is not None:
            left, right = robot.feet
            self._centres = {left: rest, right: (rest[0], -rest[1])}
        self.feet: dict[str, _Standing] = {}
        self.shares: dict[str, float] = {}

    def look(self, zmp: Pair, stance: Mapping[str, pin.SE3]) -> None:
        """Take in who stands where.

        Args:
            zmp: as planned [m].
            stance: T_world_foot of each foot that stands.
        """
        self.zmp, self.feet = zmp, {}
        for part, T in stance.items():
            (a, b, _), (c, d, _), _ = T.rotation.tolist()
            x, y, z = T.translation.tolist()
            u, v = self._centres[part]
            middle = x + a * u + b * v, y + c * u + d * v
            self.feet[part] = _Standing(x, y, z, a, b, c, d, middle)
        self.shares = self._share(zmp)

    @property
    def ground(self) -> float:
        """Height of the standing feet [m]."""
        return sum(foot.z for foot in self.feet.values()) / len(self.feet) if self.feet else 0.0

    @property
    def support(self) -> Pair:
        """Origins of the standing feet, by their shares [m]."""
        feet, shares = self.feet, self.shares
        return (
            sum(share * feet[part].x for part, share in shares.items()),
            sum(share * feet[part].y for part, share in shares.items()),
        )

    def _share(self, zmp: Pair) -> dict[str, float]:
        """How much of the weight each foot carries, together 1."""
        if len(self.feet) != 2:
            return dict.fromkeys(self.feet, 1.0)
        (first, a), (second, b) = self.feet.items()
        wx, wy = b.middle[0] - a.middle[0], b.middle[1] - a.middle[1]
        along = (zmp[0] - a.middle[0]) * wx + (zmp[1] - a.middle[1]) * wy
        along = min(max(along / max(wx * wx + wy * wy, 1e-9), 0.0), 1.0)
        return {first: 1.0 - along, second: along}

    def presses(self, zmp: Pair) -> dict[str, Pair]:
        """Where each standing foot should press for a ZMP, in its own frame [m]."""
        x, y = zmp
        for part, share in self.shares.items():
            mx, my = self.feet[part].middle
            x, y = x - share * mx, y - share * my
        found = {}
        for part, foot in self.feet.items():
            (u, v), (off_x, off_y) = self._centres[part], foot.own(x, y)
            low_x, low_y, high_x, high_y = self._rooms[part]
            found[part] = (
                min(max(u + off_x, low_x), high_x),
                min(max(v + off_y, low_y), high_y),
            )
        return found

    def room(self) -> tuple[Pair, Pair] | None:
        """How far the ZMP may move from its plan within the box around the soles: low, high [m]."""
        if not self.feet:
            return None
        xs, ys = [], []
        for part, foot in self.feet.items():
            for u, v in self._corners[part]:
                dx, dy = foot.turned(u, v)
                xs.append(foot.x + dx)
                ys.append(foot.y + dy)
        zx, zy = self.zmp
        return (
            (min(min(xs) - zx, 0.0), min(min(ys) - zy, 0.0)),
            (max(max(xs) - zx, 0.0), max(max(ys) - zy, 0.0)),
        )
