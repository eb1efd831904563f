"""Contacts of a motion that says nothing about them: where a sole is low, near the ground, slow.

Low means not above where the same foot was a moment ago or will be in a moment, so that a
motion that floats or sinks as a whole is still seen to stand, and told to float or sink.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin
from scipy.ndimage import minimum_filter1d

from poise.contacts import Touch
from poise.robot import Robot

if TYPE_CHECKING:
    from poise.checks.evidence import Track

NEAR = 0.03  # [m], a corner of the sole higher than this touches nothing
RISE = 3e-3  # [m], one this far above the foot's own low has left the ground
MOMENT = 0.4  # [s], over which that low is taken, to either side
SLOW = 0.15  # [m/s], and one faster than this swings
SHORTEST = 0.05  # [s], shorter touches are noise


def detected_touches(
    robot: Robot, time: np.ndarray, tracks: Mapping[str, Track]
) -> tuple[Touch, ...]:
    """Touches of the soles with the ground z = 0, found from their height and speed.

    Args:
        robot: whose soles.
        time: instants [s], (n,).
        tracks: poses of the feet over time.
    """
    found: list[Touch] = []
    if len(time) < 2:
        return ()
    for part, sole in robot.soles.items():
        corners = tracks[part].of(sole.points)
        speed = np.linalg.norm(np.gradient(corners, time, axis=0), axis=2)
        height = corners[:, :, 2]
        low = _low(height.min(axis=1), time)
        near = (height < np.minimum(low + RISE, NEAR)[:, None]) & (speed < SLOW)
        for start, stop, which in _runs(_states(near, sole.points), time):
            found.append(_touch(part, start, stop, sole.points[list(which)], time, tracks[part]))
    return tuple(sorted(found, key=lambda t: (t.start, t.part)))


def _low(height: np.ndarray, time: np.ndarray) -> np.ndarray:
    """The lowest height around each instant [m], (n,)."""
    period = float(np.median(np.diff(time)))
    span = 2 * max(round(MOMENT / period), 1) + 1
    return minimum_filter1d(height, min(span, 2 * len(height) - 1), mode="nearest")


def _states(near: np.ndarray, points: np.ndarray) -> list[tuple[int, ...]]:
    """The corners that touch at each instant: the whole sole, its heel, its toe, or none."""
    everything = tuple(range(len(points)))
    front = tuple(np.flatnonzero(points[:, 0] > points[:, 0].mean()).tolist())
    back = tuple(k for k in everything if k not in front)

    def state(row: np.ndarray) -> tuple[int, ...]:
        if row.sum() >= len(row) - 1:
            return everything
        if row[list(front)].all():
            return front
        return back if row[list(back)].all() else ()

    return [state(row) for row in near]


def _runs(
    states: list[tuple[int, ...]], time: np.ndarray
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Spans of rows [start, stop) of one state, those without contact and flickers left out."""
    edges = [0] + [k for k in range(1, len(states)) if states[k] != states[k - 1]] + [len(states)]
    runs = [(a, b, states[a]) for a, b in pairwise(edges)]
    last = len(time) - 1
    return [(a, b, s) for a, b, s in runs if s and time[min(b, last)] - time[a] >= SHORTEST - 1e-9]


def _touch(
    part: str, start: int, stop: int, points: np.ndarray, time: np.ndarray, track: Track
) -> Touch:
    """A touch where the part rests in the middle of its span, on the ground."""
    middle = (start + stop) // 2
    x, y, _ = track.position[middle]
    forward = track.rotation[middle][:, 0]
    yaw = float(np.arctan2(forward[1], forward[0]))
    surface = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, yaw), np.array([x, y, 0.0]))
    end = time[stop] if stop < len(time) else time[-1]
    return Touch(part, float(time[start]), float(end), surface, points)
