"""Where a foot may be put: a convex set of footprints, seen from the foot that stands.

The set is told for the right foot seen from the left one; the left foot's is its mirror image. For
every turn there is a polygon with the same normals, so that between two turns the distances of its
sides are interpolated. For the set to be closed, every landing must be a good place to swing the
other foot from: without turning that means symmetry under x -> -x, because a foot that is x in
front of the other sees that one x behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.interact.footprint import compose, seen_from
from poise.errors import BadInput
from poise.files import write_whole
from poise.motion.knobs import read_toml
from poise.robot import Robot
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

SIDES = 16
TURN_LENGTH = 0.15  # [m/rad], what a turn counts for when the nearest footprint is sought


def normals(sides: int = SIDES) -> np.ndarray:
    """Unit normals of the sides, evenly spread and symmetric under x -> -x, (sides, 2)."""
    angles = 2.0 * pi * np.arange(sides) / sides
    return np.column_stack([np.cos(angles), np.sin(angles)])


@dataclass(frozen=True, eq=False)
class SafeArea:
    """Footprints of the right foot seen from the left one."""

    robot: str
    turns: np.ndarray  # [rad], (k,), increasing
    offsets: np.ndarray  # [m], (k, sides), how far the sides are from the origin
    source: str = "computed"

    def polygon(self, turn: float) -> np.ndarray:
        """The polygon at a turn [m], (n, 2), counter-clockwise; empty when nothing is allowed."""
        turn = float(np.clip(turn, self.turns[0], self.turns[-1]))
        h = np.array([np.interp(turn, self.turns, column) for column in self.offsets.T])
        return polygon_of(normals(self.offsets.shape[1]), h)

    def contains(self, footprint: Place, tolerance: float = 1e-9) -> bool:
        """Whether a footprint of the right foot is in the set."""
        x, y, turn = footprint
        if not self.turns[0] - tolerance <= turn <= self.turns[-1] + tolerance:
            return False
        h = np.array([np.interp(turn, self.turns, column) for column in self.offsets.T])
        side = normals(self.offsets.shape[1]) @ (x, y)
        return bool((side <= h + tolerance).all())

    def clip(self, footprint: Place) -> Place:
        """The footprint of the right foot in the set that is nearest to a wish."""
        if self.contains(footprint):
            return footprint
        x, y, wish = footprint
        low, high = float(self.turns[0]), float(self.turns[-1])
        best, least = None, np.inf
        # a smaller turn may leave a larger polygon
        for share in (1.0, 0.75, 0.5, 0.25, 0.0):
            turn = min(max(share * wish, low), high)
            corners = self.polygon(turn)
            if len(corners) < 3:
                continue
            px, py = nearest_in(corners, (x, y))
            far = (px - x) ** 2 + (py - y) ** 2 + (TURN_LENGTH * (turn - wish)) ** 2
            if far < least - 1e-12:
                best, least = (px, py, turn), far
        if best is None:
            raise BadInput(
                self.robot, "its safe area", "empty", "a set with at least one footprint"
            )
        return best

    def clip_landing(self, stance: Place, stance_is_left: bool, landing: Place) -> Place:
        """A landing in the world, moved into the set.

        Args:
            stance: where the other foot stands.
            stance_is_left: which foot that is.
            landing: what is wished.
        """
        seen = seen_from(stance, landing)
        return compose(stance, _sided(self.clip(_sided(seen, stance_is_left)), stance_is_left))

    def allows(self, stance: Place, stance_is_left: bool, landing: Place) -> bool:
        """Whether a landing in the world is in the set."""
        return self.contains(_sided(seen_from(stance, landing), stance_is_left), 1e-6)

    def shrunk(self, by: float) -> SafeArea:
        """The same set with every side moved inwards [m]."""
        return SafeArea(self.robot, self.turns, self.offsets - by, self.source)


def _sided(footprint: Place, stance_is_left: bool) -> Place:
    x, y, turn = footprint
    return footprint if stance_is_left else (x, -y, -turn)


def known_area(robot: Robot) -> SafeArea:
    """The set that was computed for a robot, if one is shipped; by its sizes otherwise."""
    path = Path(str(resources.files("poise.engines.interact") / "areas" / f"{robot.name}.toml"))
    return load_area(path) if path.is_file() else default_area(robot)


def default_area(robot: Robot) -> SafeArea:
    """A cautious set by the sizes of a robot, for one whose set was not computed."""
    stature = Stature.of(robot)
    size = stature.com_height / 0.814
    inner = max(0.84 * 2.0 * stature.half_spacing, 2.0 * stature.sole_inner + 0.012 * size)
    box = np.array([0.20 * size, 2.0 * stature.half_spacing + 0.10 * size, -inner])
    return box_area(robot.name, box[0], -box[1], box[2], 0.2)


def box_area(name: str, forward: float, low: float, high: float, turn: float) -> SafeArea:
    """A set that is a box: |x| <= forward, low <= y <= high, |turn| at most."""
    corners = np.array([(sx * forward, y) for sx in (-1, 1) for y in (low, high)])
    turns = np.array([-turn, 0.0, turn])
    h = (normals() @ corners.T).max(axis=1)
    tilted = h - forward * 2.0 * sin(0.5 * turn)  # what a turn takes away from the closure
    return SafeArea(name, turns, np.array([tilted, h, tilted]), "by the robot's sizes")


# -- polygons -------------------------------------------------------------------------------


def polygon_of(sides: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Corners of {p: sides p <= h}, counter-clockwise, (n, 2); none when it is empty."""
    big = 10.0 * float(np.abs(h).max()) + 1.0
    corners = [(-big, -big), (big, -big), (big, big), (-big, big)]
    for (nx, ny), limit in zip(sides.tolist(), h.tolist(), strict=True):
        kept = []
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            da, db = nx * a[0] + ny * a[1] - limit, nx * b[0] + ny * b[1] - limit
            if da <= 0.0:
                kept.append(a)
            if (da < 0.0 < db) or (db < 0.0 < da):
                s = da / (da - db)
                kept.append((a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])))
        corners = kept
        if len(corners) < 3:
            return np.zeros((0, 2))
    return np.array(corners)


def nearest_in(corners: np.ndarray, point: tuple[float, float]) -> tuple[float, float]:
    """The point of a convex polygon nearest to a point [m]."""
    x, y = point
    rows = corners.tolist()
    inside, best, least = True, (rows[0][0], rows[0][1]), np.inf
    for (ax, ay), (bx, by) in zip(rows, rows[1:] + rows[:1], strict=True):
        ex, ey = bx - ax, by - ay
        if ex * (y - ay) - ey * (x - ax) < 0.0:
            inside = False
        s = ((x - ax) * ex + (y - ay) * ey) / max(ex * ex + ey * ey, 1e-18)
        s = min(max(s, 0.0), 1.0)
        px, py = ax + s * ex, ay + s * ey
        far = (px - x) ** 2 + (py - y) ** 2
        if far < least:
            best, least = (px, py), far
    return (x, y) if inside else best


# -- files ----------------------------------------------------------------------------------


def save_area(area: SafeArea, path: str | Path, more: dict[str, Any] | None = None) -> None:
    """Write a set as TOML."""
    lines = [
        "# Where a foot may be put: the right foot seen from the left one [m, rad].",
        f'robot = "{area.robot}"',
        f'source = "{area.source}"',
        f"turns = {[round(float(t), 9) for t in area.turns]}",
        "offsets = [",
        *(f"  {[round(float(h), 6) for h in row]}," for row in area.offsets),
        "]",
    ]
    for key, value in (more or {}).items():
        lines.append(f"{key} = {value}" if not isinstance(value, str) else f'{key} = "{value}"')
    with write_whole(path) as file:
        file.write(("\n".join(lines) + "\n").encode())


def load_area(path: str | Path) -> SafeArea:
    """Read a set."""
    table, _ = read_toml(path)
    for key in ("robot", "turns", "offsets"):
        if key not in table:
            raise BadInput(path, key, "missing", "a safe area as `poise safe-area` writes it")
    turns, offsets = np.array(table["turns"], float), np.array(table["offsets"], float)
    if offsets.ndim != 2 or len(turns) != len(offsets) or offsets.shape[1] < 4:
        raise BadInput(path, "offsets", f"of shape {offsets.shape}", "one row for every turn")
    return SafeArea(table["robot"], turns, offsets, table.get("source", "file"))


def rotated(point: tuple[float, float], turn: float) -> tuple[float, float]:
    """A point turned about the origin."""
    c, s = cos(turn), sin(turn)
    return c * point[0] - s * point[1], s * point[0] + c * point[1]
