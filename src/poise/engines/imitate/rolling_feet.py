"""References of the feet: heel contact, flat, over the toes, through the air.

One step, with the names of the paper: t1 the heel lands, t1-t2 the foot turns about its heel edge,
t2-t3 it is flat, t3-t4 it turns about its toe edge, t4 the toes leave, t5 the heel is highest, t6
the toes are, t7 the heel lands again. Heights of heel and toes are quintics between these instants;
the sole is rigid, so its pitch follows from both. Place and heading move by one quintic from t4 to
t7. Where an edge touches it does not move at all, by construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pinocchio as pin

from poise.contacts import Touch
from poise.engines.imitate.footsteps import Rolls, Step, Walk, rolls_of
from poise.engines.imitate.limbs import Foot
from poise.engines.imitate.marionette import foot_rotations
from poise.motion.marker_names import SIDES
from poise.robot import Robot
from poise.trajectories import BSpline, quintic, spline_through
from poise.walking.swing_foot import Place

SINKING = (0.8, 0.3)  # share of a swing, and of its greatest height, that a heel has left then
LEVEL = 1e-6  # [m], heights below this are no rocker
OVER = 1.25  # times its highest knot, that a height may reach
STEEPEST = 1.5  # times the slope of the flatter neighbour: keeps quintics from swinging over


@dataclass(frozen=True, eq=False)
class FootPath:
    """One foot over time."""

    R: np.ndarray  # (n, 3, 3), R_world_foot
    p: np.ndarray  # [m], (n, 3)
    place: np.ndarray  # (n, 3): x, y [m], heading [rad] of the foot as if it were flat
    heel: np.ndarray  # [m], (n,), height of the heel edge
    toe: np.ndarray  # [m], (n,)
    touches: tuple[Touch, ...]


def foot_paths(
    robot: Robot, feet: dict[str, Foot], walk: Walk, time: np.ndarray
) -> dict[str, FootPath]:
    """Both feet at the times of a walk [s], (n,)."""
    rolls = rolls_of(walk)
    return {
        side: _path(
            robot,
            feet[side],
            walk.places[side],
            [(s, r) for s, r in zip(walk.steps, rolls, strict=True) if s.side == side],
            walk,
            time,
        )
        for side in SIDES
    }


def _path(
    robot: Robot,
    foot: Foot,
    first: Place,
    steps: list[tuple[Step, Rolls]],
    walk: Walk,
    time: np.ndarray,
) -> FootPath:
    n = len(time)
    place = np.tile(np.array(first), (n, 1))
    heel, toe, pivot = np.zeros(n), np.zeros(n), np.full(n, foot.toe)
    for step, roll in steps:
        air = roll.t7 - roll.t4
        share = (time - roll.t4) / air
        s = smooth(share)
        after = time >= roll.t4
        start, end = np.array(step.start), np.array(step.end)
        place[after] = start + s[after, None] * (end - start)
        share = np.clip(share, 0.0, 1.0)
        around = step.bulge * 64.0 * (share * (1.0 - share)) ** 3
        place[:, :2] += around[:, None] * np.array(step.aside)
        swinging = (time >= roll.t4) & (time <= roll.t2)
        pivot[swinging] = foot.toe + s[swinging] * (foot.heel - foot.toe)
        heel += _heights(
            time,
            [roll.t3, roll.t4, step.heel_top_time, roll.t4 + SINKING[0] * air, roll.t7],
            [0.0, step.heel_lift, step.heel_top, SINKING[1] * step.heel_top, 0.0],
        )
        middle = roll.t4 + 0.4 * (roll.t7 - roll.t4)
        toe += _heights(
            time,
            [roll.t4, middle, step.toe_top_time, roll.t7, roll.t2],
            [0.0, step.toe_middle, step.toe_top, step.toe_land, 0.0],
        )
    sine = (toe - heel) / foot.length
    pitch = np.arcsin(np.clip(sine, -1.0, 1.0))
    ahead = np.column_stack([np.cos(place[:, 2]), np.sin(place[:, 2])])
    p = np.empty((n, 3))
    p[:, :2] = place[:, :2] + (pivot * (1.0 - np.cos(pitch)))[:, None] * ahead
    p[:, 2] = heel - foot.heel * np.sin(pitch)
    touches = _touches(robot, foot, first, steps, walk)
    return FootPath(foot_rotations(place[:, 2], pitch), p, place, heel, toe, touches)


def smooth(s: np.ndarray) -> np.ndarray:
    """The quintic step: 0 before 0, 1 after 1, at rest at both."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def _heights(time: np.ndarray, knots: list[float], values: list[float]) -> np.ndarray:
    """A height through knots, zero outside, at rest at both ends.

    The smoothest curve is the quintic spline; where it would leave the range of its knots,
    quintics without acceleration at the knots take its place, which cannot.
    """
    t, y = np.array(knots), np.array(values)
    kept = np.concatenate([[True], np.diff(t) > 1e-6])
    t, y = t[kept], y[kept]
    out = np.zeros(len(time))
    first, last = np.searchsorted(time, (t[0], t[-1]))
    curve = _smoothest(tuple(t.tolist()), tuple(y.tolist()))
    if curve is not None:
        out[first:last] = np.maximum(curve(time[first:last]), 0.0)
        return out
    slope = np.diff(y) / np.diff(t)
    rate = np.zeros(len(t))
    for k in range(1, len(t) - 1):
        a, b = slope[k - 1], slope[k]
        if a * b > 0.0:
            rate[k] = np.sign(a) * min(0.5 * (abs(a) + abs(b)), STEEPEST * min(abs(a), abs(b)))
    for k in range(len(t) - 1):
        inside = (time >= t[k]) & (time < t[k + 1])
        ends = (rate[k], rate[k + 1])
        out[inside] = quintic(t[k], t[k + 1], y[k], y[k + 1], ends)(time[inside])
    return out


@lru_cache(maxsize=1024)  # a search draws the same heights many times
def _smoothest(knots: tuple[float, ...], values: tuple[float, ...]) -> BSpline | None:
    """The quintic spline through knots, unless it leaves the range of its values."""
    curve = spline_through(np.array(knots), np.array(values), degree=5)
    fine = curve(np.linspace(knots[0], knots[-1], 200))
    return curve if fine.min() > -LEVEL and fine.max() < OVER * max(values) else None


def _touches(
    robot: Robot, foot: Foot, first: Place, steps: list[tuple[Step, Rolls]], walk: Walk
) -> tuple[Touch, ...]:
    """Flat soles and rolling edges, in turn."""
    flat = robot.soles[foot.part].points
    found: list[Touch] = []

    def touch(a: float, b: float, place: Place, points: np.ndarray) -> None:
        if b - a > 1e-9:
            R = foot_rotations(np.array([place[2]]), np.zeros(1))[0]
            at = pin.SE3(R, np.array([place[0], place[1], 0.0]))
            found.append(Touch(foot.part, a, b, at, points))

    since, place = walk.begin, first
    for step, roll in steps:
        rises = step.heel_lift > LEVEL
        touch(since, roll.t3 if rises else roll.t4, place, flat)
        if rises:
            touch(roll.t3, roll.t4, place, foot.toe_points)
        place, since = step.end, roll.t7
        if step.toe_land > LEVEL:
            touch(roll.t7, roll.t2, place, foot.heel_points)
            since = roll.t2
    touch(since, walk.end, place, flat)
    return tuple(found)
