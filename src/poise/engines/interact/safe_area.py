"""Where a foot may be put: a convex set of footprints, seen from the foot that stands.

The set is told for the right foot seen from the left one; the left foot's is its mirror image. For
every turn there is a polygon with the same normals, so that between two turns the distances of its
sides are interpolated.

For the set to be closed, every landing must be a good place to swing the other foot from. A foot at
(x, y) with a turn t sees the other one, mirrored, at (-x cos t - y sin t, -x sin t + y cos t), with
the same turn: that is a reflection in the y axis turned by t/2. So the polygons are told in axes
turned by half the turn, and one that is symmetric under x -> -x there is closed whatever the turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from math import cos, isfinite, pi, sin, tan
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.interact.feasibility import Feasibility
from poise.engines.interact.footprint import compose, seen_from
from poise.errors import BadInput
from poise.files import write_whole
from poise.motion.knobs import read_toml
from poise.robot import Robot
from poise.robot.collision import SelfCollision
from poise.robot.loading import user_zoo
from poise.robot.robot import BASE_V
from poise.walking.analytic import Pair
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

FORMAT = 2  # of the file; the first one told polygons in the axes of the standing foot
SIDES = 16
BY_SIZE = "by the robot's sizes"
USUAL, WIDE = 0.10, 0.15  # [m], of the paper's robot: further apart than at rest, by sizes
LEG_ROOM = 0.015  # [m], between the legs of the paper's robot
ROLLS = 0.9  # of an axis along x
RANGE_USED = 0.95  # of a joint's range
STEEPEST = 0.5  # [rad], of a leg
TURN_LENGTH = 0.15  # [m/rad], what a turn counts for when the nearest footprint is sought


@lru_cache(maxsize=8)
def normals(sides: int = SIDES) -> np.ndarray:
    """Unit normals of the sides, evenly spread and symmetric under x -> -x, (sides, 2)."""
    angles = 2.0 * pi * np.arange(sides) / sides
    found = np.column_stack([np.cos(angles), np.sin(angles)])
    found.flags.writeable = False
    return found


@lru_cache(maxsize=8)
def mirrored_sides(sides: int = SIDES) -> np.ndarray:
    """For each side the one that is its image under x -> -x, (sides,)."""
    here = normals(sides)
    return np.array([int(np.abs(here - n * (-1.0, 1.0)).sum(axis=1).argmin()) for n in here])


@dataclass(frozen=True, eq=False)
class SafeArea:
    """Footprints of the right foot seen from the left one."""

    robot: str
    turns: np.ndarray  # [rad], (k,), increasing
    offsets: np.ndarray  # [m], (k, sides), how far the sides are from the origin
    source: str = "computed"
    chance: Feasibility | None = None  # how likely a step is to be feasible, where it was learnt
    model: str = ""  # hash of the robot's model that it was computed for

    def offsets_at(self, turn: float) -> np.ndarray:
        """Distances of the sides at a turn [m], (sides,); beyond the last turn those of the last.

        Args:
            turn: [rad].
        """
        turns = self.turns
        if len(turns) == 1 or turn <= turns[0]:
            return self.offsets[0]
        if turn >= turns[-1]:
            return self.offsets[-1]
        k = int(turns.searchsorted(turn, "right"))
        share = (turn - turns[k - 1]) / (turns[k] - turns[k - 1])
        return (1.0 - share) * self.offsets[k - 1] + share * self.offsets[k]

    def polygon(self, turn: float) -> np.ndarray:
        """The polygon at a turn [m], (n, 2), counter-clockwise; empty when nothing is allowed."""
        turn = float(np.clip(turn, self.turns[0], self.turns[-1]))
        corners = self._corners(turn)
        return np.array([rotated((x, y), 0.5 * turn) for x, y in corners]).reshape(-1, 2)

    def _corners(self, turn: float) -> np.ndarray:
        """The polygon at a turn, in axes turned by half of it."""
        return polygon_of(normals(self.offsets.shape[1]), self.offsets_at(turn))

    def contains(self, footprint: Place, tolerance: float = 1e-9) -> bool:
        """Whether a footprint of the right foot is in the set."""
        x, y, turn = footprint
        if not self.turns[0] - tolerance <= turn <= self.turns[-1] + tolerance:
            return False
        side = normals(self.offsets.shape[1]) @ rotated((x, y), -0.5 * turn)
        return bool((side <= self.offsets_at(turn) + tolerance).all())

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
            corners = self._corners(turn)
            if len(corners) < 3:
                continue
            near = nearest_in(corners, rotated((x, y), -0.5 * turn))
            px, py = rotated(near, 0.5 * turn)
            far = (px - x) ** 2 + (py - y) ** 2 + (TURN_LENGTH * (turn - wish)) ** 2
            if far < least - 1e-12:
                best, least = (px, py, turn), far
        if best is None:
            raise BadInput(
                self.robot, "its safe area", "empty", "a set with at least one footprint"
            )
        return best

    def feasibility(self, footprint: Place, speed: Pair | None = None) -> float | None:
        """How likely a step of the right foot is to be feasible, 0 to 1; None if never learnt.

        Args:
            footprint: where it lands, seen from the left foot.
            speed: of the mass at lift-off, seen from the left foot [m/s]; as usual when absent.
        """
        if self.chance is None:
            return None
        x, y, turn = footprint
        return self.chance.of((*rotated((x, y), -0.5 * turn), turn), speed)

    def clip_landing(self, stance: Place, stance_is_left: bool, landing: Place) -> Place:
        """A landing in the world, moved into the set.

        Args:
            stance: where the other foot stands.
            stance_is_left: which foot that is.
            landing: what is wished.
        """
        seen = seen_from(stance, landing)
        return compose(stance, sided(self.clip(sided(seen, stance_is_left)), stance_is_left))

    def allows(self, stance: Place, stance_is_left: bool, landing: Place) -> bool:
        """Whether a landing in the world is in the set."""
        return self.contains(sided(seen_from(stance, landing), stance_is_left), 1e-6)

    def shrunk(self, by: float) -> SafeArea:
        """The same set with every side moved inwards [m]."""
        return replace(self, offsets=self.offsets - by)


def sided(footprint: Place, stance_is_left: bool) -> Place:
    """A footprint seen from the standing foot, as if that were the left one; and back again."""
    x, y, turn = footprint
    return footprint if stance_is_left else (x, -y, -turn)


def kept_area_file(robot: Robot) -> Path:
    """Where `poise safe-area --keep` keeps the set of a robot: beside the robots a user added."""
    return user_zoo().parent / "areas" / f"{robot.name}-{robot.model_hash[:12]}.toml"


def known_area(robot: Robot) -> SafeArea:
    """The set that was computed for a robot: kept by its user, or shipped; by sizes otherwise."""
    kept = kept_area_file(robot)
    if kept.is_file():
        return load_area(kept)
    shipped = Path(str(resources.files("poise.engines.interact") / "areas" / f"{robot.name}.toml"))
    if shipped.is_file():
        area = load_area(shipped)
        if area.model in ("", robot.model_hash):
            return area
    return default_area(robot)


def default_area(robot: Robot) -> SafeArea:
    """A cautious set by the sizes of a robot, for one whose set was not computed."""
    stature = Stature.of(robot)
    size = stature.com_height / 0.814
    apart = 2.0 * stature.half_spacing
    inner = max(0.84 * apart, 2.0 * stature.sole_inner + 0.012 * size)
    inner = min(max(inner, apart + LEG_ROOM * size - _between(robot)), apart)
    outer = max(apart + USUAL * size, min(apart + WIDE * size, _spread(robot)))
    return box_area(robot.name, 0.20 * size, -outer, -inner, 0.2)


def _between(robot: Robot) -> float:
    """How much room there is between the legs below the knees in half-sitting [m]."""
    body, model = SelfCollision(robot), robot.model
    low = [
        {model.getJointId(name) for name in robot.groups[leg][-3:]}
        for leg in ("left_leg", "right_leg")
    ]
    pairs = [
        {model.frames[robot.frame_id(link)].parentJoint for link in links} for links in body.pairs
    ]
    legs = np.array([all(joints & side for side in low) for joints in pairs], dtype=bool)
    return float(body.distances(robot.half_sitting)[legs].min(initial=np.inf))


def _spread(robot: Robot) -> float:
    """How far apart the feet may be for the rolls of a leg, with the body over the other foot [m].

    From half-sitting; nothing where a leg does not roll both at its hip and at its ankle.
    """
    at, foot = robot.at(robot.half_sitting), robot.feet[0]
    joints = [robot.index(name) for name in robot.groups["left_leg"]]
    axes = at.jacobian(foot)[3, BASE_V + np.array(joints)]  # how far each turns about x
    rolls = [(k, axis) for k, axis in zip(joints, axes.tolist(), strict=True) if abs(axis) > ROLLS]
    if len(rolls) < 2:
        return 0.0
    (hip, one), (ankle, other) = rolls[0], rolls[-1]
    out = robot.upper[hip] if one > 0.0 else -robot.lower[hip]
    back = -robot.lower[ankle] if other > 0.0 else robot.upper[ankle]
    most = min(max(RANGE_USED * min(float(out), float(back)), 0.0), STEEPEST)
    places = [
        at.data.oMi[robot.model.getJointId(robot.joint_names[k])].translation for k in (hip, ankle)
    ]
    high = float(places[0][2] - places[1][2])
    return abs(float(places[0][1])) + high * tan(most)


def box_area(name: str, forward: float, low: float, high: float, turn: float) -> SafeArea:
    """A set that is a box: |x| <= forward, low <= y <= high, |turn| at most."""
    corners = np.array([(sx * forward, y) for sx in (-1, 1) for y in (low, high)])
    turns = np.array([-turn, 0.0, turn])
    h = (normals() @ corners.T).max(axis=1)
    return SafeArea(name, turns, np.array([h, h, h]), BY_SIZE)


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
    """Write a set as TOML.

    Args:
        area: what is written.
        path: where to.
        more: key -> number or word, told beside it.
    """
    lines = [
        "# Where a foot may be put: the right foot seen from the left one [m, rad]. For each turn,",
        "# how far the sides of a polygon are from the origin; side k of n looks along 2 pi k / n",
        "# in axes turned by half the turn.",
        f"format = {FORMAT}",
        f"robot = {_quoted(area.robot)}",
        f"model = {_quoted(area.model)}",
        f"source = {_quoted(area.source)}",
        f"turns = {[round(float(t), 9) for t in area.turns]}",
        "offsets = [",
        *(f"  {[round(float(h), 6) for h in row]}," for row in area.offsets),
        "]",
    ]
    for key, value in (more or {}).items():
        lines.append(f"{key} = {_quoted(value) if isinstance(value, str) else value}")
    if area.chance is not None:
        lines += ["", *area.chance.lines()]
    with write_whole(path) as file:
        file.write(("\n".join(lines) + "\n").encode())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def load_area(path: str | Path) -> SafeArea:
    """Read a set."""
    table, _ = read_toml(path)
    for key in ("robot", "turns", "offsets"):
        if key not in table:
            raise BadInput(path, key, "missing", "a safe area as `poise safe-area` writes it")
    if table.get("format", 1) != FORMAT:
        again = f"{FORMAT}; compute it again with `poise safe-area --robot {table['robot']}`"
        raise BadInput(path, "format", f"{table.get('format', 1)}", again)
    for key in ("robot", "model", "source"):
        if not isinstance(table.get(key, ""), str):
            raise BadInput(path, key, f"{table[key]!r}", "a text in quotes")
    turns = _numbers(path, "turns", table["turns"])
    if not len(turns) or (np.diff(turns) <= 0.0).any() or not turns[0] <= 0.0 <= turns[-1]:
        raise BadInput(path, "turns", f"{turns.tolist()}", "increasing numbers around 0 [rad]")
    rows = table["offsets"]
    if not isinstance(rows, list) or len(rows) != len(turns):
        wrong = f"{len(rows)} rows" if isinstance(rows, list) else f"{rows!r}"
        raise BadInput(path, "offsets", wrong, f"one row for each of the {len(turns)} turns")
    found = [_numbers(path, "offsets", row) for row in rows]
    sides = {len(row) for row in found}
    if len(sides) != 1 or sides.pop() < 4:
        each = ", ".join(str(len(row)) for row in found)
        raise BadInput(path, "offsets", f"rows of {each} numbers", "4 or more, in each row alike")
    chance = table.get("feasibility")
    learnt = None if chance is None else Feasibility.read(path, chance)
    area = SafeArea(
        table["robot"], turns, np.array(found), table.get("source", "file"), learnt,
        table.get("model", ""),
    )  # fmt: skip
    if len(area.polygon(0.0)) < 3:
        raise BadInput(path, "offsets", "a set without any footprint", "one with some at turn 0")
    return area


def _numbers(path: str | Path, field: str, row: Any) -> np.ndarray:
    """A list of finite numbers from a file."""
    good = isinstance(row, list) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and isfinite(one) for one in row
    )
    if not good:
        raise BadInput(path, field, f"{row!r}"[:60], "a list of numbers")
    return np.array(row, float)


def rotated(point: Pair, turn: float) -> Pair:
    """A point turned about the origin."""
    c, s = cos(turn), sin(turn)
    return c * point[0] - s * point[1], s * point[0] + c * point[1]
