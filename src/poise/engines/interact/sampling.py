"""The safe set, computed: try footprints, keep a convex set of which every grid point is good.

A step is cut at the posture over the standing foot into a way down to a footprint and a way up
from it; each depends on one footprint only. So a footprint is tried by going to it from feet side
by side and closing again, and footprints that pass may follow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from poise.engines.interact.footprint import inverse
from poise.engines.interact.safe_area import SafeArea, normals
from poise.engines.interact.size import Size
from poise.engines.interact.trial import trial
from poise.errors import BadInput
from poise.robot import Robot
from poise.robot.loading import name_to_load
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

Map = Callable[[Callable[[tuple[str, Place]], str], Sequence[tuple[str, Place]]], Iterable[str]]
INSIDE = 0.5  # of a grid cell: how far a side stays from a footprint that failed


@dataclass(frozen=True)
class Grid:
    """Footprints to try, in sizes of the paper's robot."""

    forward: float = 0.30  # [m]
    step: float = 0.06  # [m]
    outer: float = 0.18  # [m], further apart than at rest
    inner: float = 0.06  # [m], closer together than at rest
    across: float = 0.03  # [m]
    turns: tuple[float, ...] = (-0.3, -0.15, 0.0, 0.15, 0.3)  # [rad]


@dataclass(frozen=True, eq=False)
class Sampled:
    """What was tried and what came of it."""

    xs: np.ndarray  # [m]
    ys: np.ndarray  # [m]
    turns: np.ndarray  # [rad]
    good: np.ndarray  # (turns, xs, ys) of bool
    reasons: dict[str, int] = field(default_factory=dict)  # what went wrong, how often


def footprints(robot: Robot, grid: Grid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The grid in metres for a robot: x, y, turn."""
    size, apart = Size.of(robot).length, 2.0 * Stature.of(robot).half_spacing
    n = max(int(np.ceil(grid.forward / grid.step)), 1)
    xs = size * grid.step * np.arange(-n, n + 1)
    m = max(round((grid.outer + grid.inner) / grid.across), 1)
    ys = -apart - size * grid.outer + size * grid.across * np.arange(m + 1)
    return xs, ys, np.array(grid.turns)


def sample(robot: Robot, grid: Grid | None = None, run: Map | None = None) -> Sampled:
    """Try every footprint of a grid, one after the other unless told otherwise.

    Args:
        robot: who.
        grid: what to try.
        run: how to map a function over many footprints, e.g. on all cores or on a cluster.
    """
    grid = grid or Grid()
    xs, ys, turns = footprints(robot, grid)
    name = name_to_load(robot)
    jobs = [(name, (float(x), float(y), float(t))) for t in turns for x in xs for y in ys]
    answers = list((run or map)(try_footprint, jobs))
    reasons: dict[str, int] = {}
    for answer in answers:
        if answer:
            reasons[answer] = reasons.get(answer, 0) + 1
    good = np.array([not answer for answer in answers]).reshape(len(turns), len(xs), len(ys))
    return Sampled(xs, ys, turns, good, dict(sorted(reasons.items(), key=lambda kv: -kv[1])))


def try_footprint(job: tuple[str, Place]) -> str:
    """Go to a footprint and close again; what went wrong, or nothing."""
    return trial(job[0], [job[1]])


def area_of(robot: Robot, sampled: Sampled) -> SafeArea:
    """The largest set found by moving sides inwards until no failed footprint is inside.

    At every turn the set is symmetric under x -> -x, and a footprint counts as good only if what
    the other foot sees after it is good too.
    """
    xs, ys = sampled.xs, sampled.ys
    sides = normals()
    rows, turns = [], []
    for k, turn in enumerate(sampled.turns):
        mirrored = int(np.abs(sampled.turns - turn).argmin())
        good = sampled.good[k] & sampled.good[mirrored][::-1]
        h = _largest(sides, xs, ys, good)
        if h is not None:
            rows.append(h)
            turns.append(float(turn))
    if not rows or 0.0 not in turns:
        raise BadInput(robot.name, "its safe area", "empty", "a robot that can step on the spot")
    return SafeArea(robot.name, np.array(turns), np.array(rows), "computed")


def _largest(
    sides: np.ndarray, xs: np.ndarray, ys: np.ndarray, good: np.ndarray
) -> np.ndarray | None:
    """Offsets of the sides around the good points of a grid, none of the bad ones inside."""
    points = np.array([(x, y) for x in xs for y in ys])
    fine = good.ravel()
    if fine.sum() < 3:
        return None
    reach = points @ sides.T  # (points, sides)
    h = reach[fine].max(axis=0)
    cell = INSIDE * min(abs(xs[1] - xs[0]), abs(ys[1] - ys[0]))
    mirror = _mirrored(sides)
    h = np.minimum(h, h[mirror])
    while True:
        inside = (reach <= h + 1e-9).all(axis=1)
        bad = np.flatnonzero(inside & ~fine)
        if not len(bad):
            return h if (inside & fine).sum() >= 3 else None
        point = bad[0]
        losses = []
        for s in range(len(sides)):
            trial_h = h.copy()
            trial_h[s] = trial_h[mirror[s]] = reach[point, s] - cell
            losses.append(int(((reach <= trial_h + 1e-9).all(axis=1) & fine).sum()))
        best = int(np.argmax(losses))
        h = h.copy()
        h[best] = min(h[best], reach[point, best] - cell)
        h[mirror[best]] = min(h[mirror[best]], h[best])


def _mirrored(sides: np.ndarray) -> np.ndarray:
    """For each side the one that is its image under x -> -x."""
    images = sides * [-1.0, 1.0]
    return np.array([int(np.abs(sides - image).sum(axis=1).argmin()) for image in images])


def closure(area: SafeArea, count: int = 2000, seed: int = 0, turn: bool = False) -> float:
    """Share of random footprints of the set after which the other foot is in the set too."""
    random = np.random.default_rng(seed)
    hits = 0
    for _ in range(count):
        x, y, t = inverse(random_footprint(area, random, turn))
        hits += area.contains((x, -y, -t), 1e-6)
    return hits / count


def random_footprint(area: SafeArea, random: np.random.Generator, turn: bool = True) -> Place:
    """A footprint of the set, anywhere in it."""
    t = float(random.uniform(area.turns[0], area.turns[-1])) if turn else 0.0
    corners = area.polygon(t)
    if len(corners) < 3:
        return random_footprint(area, random, turn)
    low, high = corners.min(axis=0), corners.max(axis=0)
    while True:
        x, y = random.uniform(low, high)
        if area.contains((float(x), float(y), t)):
            return float(x), float(y), t


def try_sequence(job: tuple[str, int, int, SafeArea]) -> str:
    """Walk through random clipped footprints; what went wrong, or nothing."""
    name, seed, steps, area = job
    random = np.random.default_rng(seed)
    wishes = []
    for _ in range(steps):
        x, y, t = random_footprint(area, random)
        wild = (1.5 * x, y + 0.05 * float(random.standard_normal()), 1.5 * t)
        wishes.append(area.clip(wild))
    return trial(name, wishes)
