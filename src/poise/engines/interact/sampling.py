"""The safe set, computed: try footprints, keep a convex set of which every grid point is good.

A footprint is first tried alone, going to it from feet side by side and closing again. That gives a
set, and samples to learn from; `proving` then makes sure that its footprints may follow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.engines.interact.footprint import inverse
from poise.engines.interact.safe_area import (
    SafeArea,
    mirrored_sides,
    normals,
    rotated,
)
from poise.engines.interact.size import Size
from poise.engines.interact.trial import Walked, walk_through
from poise.errors import BadInput
from poise.robot import Robot
from poise.robot.loading import name_to_load
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

Map = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
STEPS = 4  # of a random walk
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

    xs: np.ndarray  # [m], in axes turned by half the turn
    ys: np.ndarray  # [m]
    turns: np.ndarray  # [rad]
    good: np.ndarray  # (turns, xs, ys) of bool
    reasons: dict[str, int] = field(default_factory=dict)  # what went wrong, how often
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 6)))  # as `labels` gives them

    def tried(self, turn: float) -> tuple[np.ndarray, np.ndarray]:
        """Footprints tried alone at a turn [rad] that went well and that did not [m], (n, 2)."""
        k = int(np.abs(self.turns - turn).argmin())
        points = [rotated((x, y), 0.5 * turn) for x in self.xs for y in self.ys]
        good = self.good[k].ravel()
        return np.array(points)[good], np.array(points)[~good]


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
    jobs = [
        (name, [(*rotated((float(x), float(y)), 0.5 * float(t)), float(t))])
        for t in turns
        for x in xs
        for y in ys
    ]
    answers: list[Walked] = list((run or map)(try_footprints, jobs))
    reasons: dict[str, int] = {}
    for answer in answers:
        if answer.wrong:
            reasons[answer.wrong] = reasons.get(answer.wrong, 0) + 1
    good = np.array([not answer.wrong for answer in answers])
    rows = [
        row for job, answer in zip(jobs, answers, strict=True) for row in labels(job[1], answer)
    ]
    return Sampled(
        xs,
        ys,
        turns,
        good.reshape(len(turns), len(xs), len(ys)),
        dict(sorted(reasons.items(), key=lambda kv: -kv[1])),
        np.array(rows).reshape(-1, 6),
    )


def explore(
    robot: Robot, walks: int = 600, grid: Grid | None = None, run: Map | None = None
) -> np.ndarray:
    """Random walks over the whole grid, good or not, to learn from; rows as `labels` gives them.

    Args:
        robot: who.
        walks: how many, of STEPS steps at most.
        grid: where.
        run: how to map a function over many walks.
    """
    xs, ys, turns = footprints(robot, grid or Grid())
    low = np.array([xs[0], ys[0], turns[0]])
    high = np.array([xs[-1], ys[-1], turns[-1]])
    jobs = []
    for seed in range(walks):
        places = np.random.default_rng([seed, 1]).uniform(low, high, (STEPS, 3)).tolist()
        walk = [(*rotated((x, y), 0.5 * turn), turn) for x, y, turn in places]
        jobs.append((name_to_load(robot), walk))
    answers = list((run or map)(try_footprints, jobs))
    rows = [
        row for job, answer in zip(jobs, answers, strict=True) for row in labels(job[1], answer)
    ]
    return np.array(rows).reshape(-1, 6)


def try_footprints(job: tuple[str, Sequence[Place]]) -> Walked:
    """Walk through some footprints and close again."""
    return walk_through(*job)


def labels(footprints: Sequence[Place], walked: Walked) -> list[tuple[float, ...]]:
    """What can be learnt from a walk: one row for each step up to the one that went wrong.

    Returns:
        Rows of x, y [m] in axes turned by half the turn, turn [rad], speed of the mass at
        lift-off along x and y [m/s], and 1 or 0 for good or not.
    """
    found: list[tuple[float, ...]] = []
    for k, (x, y, turn) in enumerate(footprints[: walked.step + 1]):
        if k < len(walked.speeds):
            good = 0.0 if walked.wrong and k == walked.step else 1.0
            found.append((*rotated((x, y), -0.5 * turn), turn, *walked.speeds[k], good))
    return found


def area_of(robot: Robot, sampled: Sampled) -> SafeArea:
    """The largest set found by moving sides inwards until no failed footprint is inside.

    At every turn the set is symmetric under x -> -x in axes turned by half the turn, and a
    footprint counts as good only if what the other foot sees after it is good too.
    """
    xs, ys = sampled.xs, sampled.ys
    sides = normals()
    rows, turns = [], []
    for k, turn in enumerate(sampled.turns):
        good = sampled.good[k] & sampled.good[k][::-1]
        h = _largest(sides, xs, ys, good)
        if h is not None:
            rows.append(h)
            turns.append(float(turn))
    if not rows or 0.0 not in turns:
        raise BadInput(robot.name, "its safe area", "empty", "a robot that can step on the spot")
    return SafeArea(robot.name, np.array(turns), np.array(rows), "computed", model=robot.model_hash)


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
    mirror = mirrored_sides(len(sides))
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


def closure(area: SafeArea, count: int = 2000, seed: int = 0, turn: bool = True) -> float:
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
    # one of the triangles around the first corner, by their sizes; then anywhere in it
    first, sides = corners[0], corners[1:] - corners[0]
    sizes = np.abs(sides[:-1, 0] * sides[1:, 1] - sides[:-1, 1] * sides[1:, 0]) + 1e-15
    k = int(random.choice(len(sizes), p=sizes / sizes.sum()))
    a, b = np.sort(random.random(2))
    x, y = first + a * sides[k] + (b - a) * sides[k + 1]
    return float(x), float(y), t
