"""Tasks between balance and comfort: hands that reach, a gaze, an upright chest.

Each is a plain `Task` of a residual that every other controller knows too. What moves about a
task is its target, in place, before each period.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Protocol

import numpy as np

from poise.engines.balance.scenario import Look, Reach, Upright
from poise.robot import Snapshot
from poise.tasks import AxisParallel, FrameOrientation, FramePosition, Task
from poise.walking.swing_foot import ease


class Guide(Protocol):
    """Moves the target of a task."""

    task: Task
    start: float  # [s], before it the task is not there

    def move(self, time: float, root_height: float) -> None:
        """Put the target where it should be at a time [s], the root lifted by a height [m]."""
        ...


class ReachGuide:
    """Takes a part along a straight way, to stay at its end or to come back, again and again."""

    def __init__(self, wish: Reach, at: Snapshot, gain: float) -> None:
        """Take the wish, the rooted robot at the start and how fast errors die [1/s]."""
        self.start, self._wish = wish.start, wish
        self._from, self._by = at.position(wish.part).copy(), np.array(wish.by)
        self._target, self._velocity = self._from.copy(), np.zeros(3)
        residual = FramePosition(wish.part, self._target, self._velocity)
        self.task = Task(f"{wish.part} reaches", residual, 1.0, gain)

    def move(self, time: float, root_height: float) -> None:
        """Along the way."""
        wish, since = self._wish, max(time - self._wish.start, 0.0)
        if wish.swing > 0.0:
            turn = 2.0 * pi / wish.swing
            share, rate = 0.5 - 0.5 * cos(turn * since), 0.5 * turn * sin(turn * since)
        else:
            share, slope, _ = ease(min(since / wish.duration, 1.0))
            rate = slope / wish.duration
        np.multiply(self._by, share, out=self._target)
        self._target += self._from
        self._target[2] -= root_height
        np.multiply(self._by, rate, out=self._velocity)


class StillGuide:
    """A task whose target rests."""

    def __init__(self, start: float, task: Task) -> None:
        self.start, self.task = start, task

    def move(self, time: float, root_height: float) -> None:
        """Nothing moves."""


def guides(
    wishes: Sequence[Reach | Look | Upright], at: Snapshot, gain: float
) -> tuple[Guide, ...]:
    """The tasks of a scenario, each a level of its own, in the order they are listed.

    Args:
        wishes: the most important first.
        at: the rooted robot at the start.
        gain: how fast errors die [1/s].
    """
    found: list[Guide] = []
    for wish in wishes:
        if isinstance(wish, Reach):
            at.robot.frame_id(wish.part)
            found.append(ReachGuide(wish, at, gain))
        elif isinstance(wish, Look):
            ahead = np.array(wish.direction) / np.linalg.norm(wish.direction)
            straight = at.rotation("head").T @ np.array([1.0, 0.0, 0.0])
            gaze = AxisParallel("head", straight, ahead)
            found.append(StillGuide(wish.start, Task("gaze", gaze, 1.0, gain)))
        else:
            R = at.rotation(wish.part).copy()
            upright = FrameOrientation(wish.part, R)
            found.append(StillGuide(wish.start, Task(f"{wish.part} upright", upright, 1.0, gain)))
    return tuple(found)
