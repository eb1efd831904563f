"""A safe set, proved: every corner after every corner, then random walks, until nothing fails.

That a footprint is good alone does not say that two of them may follow each other. So the set is
walked through with the whole body, and where steps fail, the set is made smaller: sides are moved
inwards, together with their mirror images, until every step that ever failed lacks one of its
two footprints. The set is proved when so many random walks in a row, all after its last change,
went well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from poise.engines.interact.safe_area import (
    SafeArea,
    mirrored_sides,
    normals,
    polygon_of,
    rotated,
)
from poise.engines.interact.sampling import STEPS, Map, random_footprint, try_footprints
from poise.engines.interact.size import Size
from poise.engines.interact.trial import Walked
from poise.errors import BadInput
from poise.robot import Robot
from poise.robot.loading import name_to_load
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

FIRST_BATCH = 512  # random walks before the set is changed for the first time
BATCH = 128  # and then; twice as many after each good batch
MOST_BATCH = 2048
CUT = 0.008  # [m], of the paper's robot: sides are moved by multiples of this
WILD = 1.5  # wishes are this much beyond the set, so that many are clipped to its border
MOST_ROUNDS = 200
MARGIN = 2.5  # of CUT: how far outside a footprint that failed has to be, at least
MOVES = (1, 2, 3, 4, 6, 8, 12, 16, 24)  # of CUT: how far a side is moved at once
TOUR = 12  # footprints in one walk over corners

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Proved:
    """A set that was walked through."""

    area: SafeArea
    pairs: int  # of corners, one after the other, that all went well
    walks: int  # random ones in a row that went well
    steps: int  # of all walks, tried
    changes: int  # how often the set was made smaller
    wrong: str  # what the last change was for


def proved(
    robot: Robot, area: SafeArea, walks: int, run: Map | None = None, say: Say | None = None
) -> Proved:
    """Walk through a set and make it smaller until nothing fails.

    Args:
        robot: who.
        area: to begin with.
        walks: random walks in a row that have to go well.
        run: how to map a function over many walks, e.g. on all cores or on a cluster.
        say: told now and then how far it is.
    """
    run, say = run or map, say or (lambda _: None)
    name, rest = name_to_load(robot), (0.0, -2.0 * Stature.of(robot).half_spacing, 0.0)
    least = CUT * Size.of(robot).length
    seed = row = steps = changes = pairs = 0
    first, known = area, []
    batch, toured, wrong = FIRST_BATCH, False, ""
    places: list[Place] = []
    for _ in range(MOST_ROUNDS):
        touring = not toured and row >= min(BATCH, walks)
        if touring:
            places = corners(area, least)
            jobs = [(name, tour) for tour in tours(places)]
        elif row < walks:
            count = min(batch, walks - row)
            jobs = [(name, random_walk(area, seed + k)) for k in range(count)]
            seed += count
        else:
            return Proved(area, pairs, row, steps, changes, wrong)
        failed = []
        for (_, footprints), walked in zip(jobs, run(try_all, jobs), strict=True):
            steps += len(footprints)
            for part, one in walked:
                if one.wrong:
                    wrong = one.wrong
                    before = part[one.step - 1] if one.step else rest
                    failed.append((before, part[one.step]))
        if failed:
            known += failed
            area, changes = without(first, known, rest, least), changes + 1
            batch, row, toured = BATCH, 0, False
        elif touring:
            toured, pairs = True, len(places) ** 2
        else:
            row, batch = row + len(jobs), min(2 * batch, MOST_BATCH)
        say(f"{row} walks in a row went well, the set was made smaller {changes} times")
    raise BadInput(
        robot.name, "its safe area", f"still failing ({wrong})", "a robot that walks alike again"
    )


def corners(area: SafeArea, apart: float = 0.0) -> list[Place]:
    """The corners of all polygons, as footprints.

    Args:
        area: of which.
        apart: of corners that are closer to each other than this [m], one is left.
    """
    found: list[Place] = []
    for turn in area.turns.tolist():
        here: list[Place] = []
        for x, y in area.polygon(turn).tolist():
            if all(hypot(x - a, y - b) >= apart for a, b, _ in here):
                here.append((x, y, turn))
        found += here
    return found


def tours(places: Sequence[Place]) -> list[list[Place]]:
    """Walks in which every place follows every place, itself too, exactly once."""
    order = []
    for i in range(len(places)):
        order.append(i)
        for j in range(i + 1, len(places)):
            order += [i, j]
    order.append(0)
    return [
        [places[k] for k in order[begin : begin + TOUR + 1]]
        for begin in range(0, len(order) - 1, TOUR)
    ]


def random_walk(area: SafeArea, seed: int) -> list[Place]:
    """Random wishes, some of them far outside, clipped to the set."""
    random = np.random.default_rng(seed)
    middle = float(area.polygon(0.0)[:, 1].mean())
    found = []
    for _ in range(STEPS):
        x, y, t = random_footprint(area, random)
        aside = WILD * (y - middle) + middle
        found.append(area.clip((WILD * x, aside, WILD * t)))
    return found


def try_all(job: tuple[str, Sequence[Place]]) -> list[tuple[Sequence[Place], Walked]]:
    """Walk through some footprints; after one that went wrong, begin anew with the next pair."""
    name, footprints = job
    found: list[tuple[Sequence[Place], Walked]] = []
    left = list(footprints)
    while True:
        walked = try_footprints((name, left))
        found.append((left, walked))
        if not walked.wrong or walked.step >= len(left) - 1:
            return found
        left = left[walked.step if walked.step else 1 :]


def without(
    area: SafeArea, steps: Sequence[tuple[Place, Place]], keep: Place, by: float
) -> SafeArea:
    """The largest set found that lacks one of both footprints of every step that failed.

    Greedy: of all ways to move one side, with its image, at one turn or at all of them, the one
    that loses least for every step that goes; then sides move back as far as they may.

    Args:
        area: to be made smaller.
        steps: which failed: a footprint and the one after it.
        keep: a footprint that has to stay.
        by: sides are moved by multiples of this [m].
    """
    sheets = _Sheets(area, steps, keep, by)
    levels = np.zeros((len(area.turns), len(sheets.images)), dtype=int)
    left = sheets.left(levels)
    while left.any():
        full, best, least = sheets.volume(levels), None, np.inf
        for move in sheets.moves(levels):
            if not sheets.allowed(move):
                continue
            gone = int(left.sum() - sheets.left(move).sum())
            if gone and (price := (full - sheets.volume(move)) / gone) < least:
                best, least = move, price
        if best is None:
            raise BadInput(
                area.robot, "its safe area", "empty", "a robot that can step on the spot twice"
            )
        levels = best
        left = sheets.left(levels)
    for row, side in np.argwhere(levels > 0):
        while levels[row, side]:
            back = levels.copy()
            back[row, side] -= 1
            if sheets.left(back).any():
                break
            levels = back
    rows = sheets.some(levels)
    return replace(area, turns=area.turns[rows], offsets=sheets.offsets(levels)[rows])


class _Sheets:
    """The polygons of a set with sides moved inwards, and steps that must not be inside."""

    def __init__(
        self, area: SafeArea, steps: Sequence[tuple[Place, Place]], keep: Place, by: float
    ) -> None:
        count = area.offsets.shape[1]
        self.area, self.by, self.sides, self.rest = area, by, normals(count), keep
        mirror = mirrored_sides(count)
        self.images = [sorted({k, int(mirror[k])}) for k in range(count) if k <= mirror[k]]
        self.pair_of = np.array(
            [next(i for i, pair in enumerate(self.images) if k in pair) for k in range(count)]
        )
        places = [place for step in steps for place in step]
        self.turns = np.array([turn for _, _, turn in places])
        flat = [rotated((x, y), -0.5 * turn) for x, y, turn in places]
        self.reach = np.array(flat).reshape(-1, 2) @ self.sides.T
        rows = np.eye(len(area.turns))
        self.shares = np.array([np.interp(self.turns, area.turns, row) for row in rows]).T
        self.zero = np.array([np.interp(0.0, area.turns, row) for row in rows])
        self._surfaces: dict[tuple[int, bytes], float] = {}

    def offsets(self, levels: np.ndarray) -> np.ndarray:
        """Distances of the sides [m], (turns, sides)."""
        return self.area.offsets - self.by * levels[:, self.pair_of]

    def moves(self, levels: np.ndarray) -> Iterator[np.ndarray]:
        """Levels with one side moved, at one turn or at all of them."""
        turns = range(len(levels))
        for rows in [[k] for k in turns] + [list(turns)]:
            for side in range(len(self.images)):
                for more in MOVES:
                    found = levels.copy()
                    found[rows, side] += more
                    yield found

    def surface(self, levels: np.ndarray, row: int) -> float:
        """Area of the polygon at one turn [m^2]."""
        key = (row, levels[row].tobytes())
        if key not in self._surfaces:
            h = self.area.offsets[row] - self.by * levels[row, self.pair_of]
            self._surfaces[key] = surface(polygon_of(self.sides, h))
        return self._surfaces[key]

    def volume(self, levels: np.ndarray) -> float:
        """Sum of the areas of all polygons [m^2]."""
        return sum(self.surface(levels, row) for row in range(len(levels)))

    def some(self, levels: np.ndarray) -> np.ndarray:
        """Which turns allow anything, (turns,)."""
        return np.array([self.surface(levels, row) > 0.0 for row in range(len(levels))])

    def allowed(self, levels: np.ndarray) -> bool:
        """Whether what has to stay does, and no turn between others allows nothing."""
        rows = np.flatnonzero(self.some(levels))
        if not len(rows) or len(rows) != rows[-1] - rows[0] + 1:
            return False
        if not self.area.turns[rows[0]] <= 0.0 <= self.area.turns[rows[-1]]:
            return False
        x, y, _ = self.rest
        return bool((self.sides @ (x, y) <= self.zero @ self.offsets(levels)).all())

    def left(self, levels: np.ndarray) -> np.ndarray:
        """Which of the steps have both footprints in the set or nearly so, (steps,)."""
        near = self.shares @ self.offsets(levels) + MARGIN * self.by
        each = (self.reach <= near).all(axis=1)
        rows = np.flatnonzero(self.some(levels))
        low, high = self.area.turns[rows[0]], self.area.turns[rows[-1]]
        each &= (self.turns >= low - 1e-9) & (self.turns <= high + 1e-9)
        return each.reshape(-1, 2).all(axis=1)


def volume(area: SafeArea) -> float:
    """Sum of the areas of all polygons [m^2]."""
    return sum(surface(polygon_of(normals(len(h)), h)) for h in area.offsets)


def surface(polygon: np.ndarray) -> float:
    """Area of a polygon [m^2]."""
    if len(polygon) < 3:
        return 0.0
    x, y = polygon.T
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))
