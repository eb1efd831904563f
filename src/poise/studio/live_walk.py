"""A walk that goes on: orders come in at any time, ticks go out, a recording is kept."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.engines.expressive import ExpressiveController, Style, Tick, WalkOptions
from poise.motion import Motion
from poise.robot import Robot
from poise.studio.costs import Costs, costs_of
from poise.studio.script import Script, give, recorded, told
from poise.walking.swing_foot import Swing

BEHIND = 2.0  # [s], more lag than this is dropped instead of made up for
AT_ONCE = 0.2  # [s], walked at most between two pictures, so that lag is made up for by and by
# [s], walked at once when something is asked for: a robot with mass needs as long until an answer
# is to be seen. Then it walks a little slower than time until it is back in step
HEAD_START = 0.03
GIVEN_BACK = 0.2  # of the time that passes, until a head start is used up
MEMORY = 6.0  # [s], of the live plots
SAMPLE = 4  # ticks between two rows of the plots
LONGEST = 120.0  # [s], of a recording


@dataclass(frozen=True)
class Row:
    """One instant of the live plots."""

    time: float  # [s]
    com: tuple[float, float]  # [m], on the floor
    zmp: tuple[float, float]  # [m]
    feet: tuple[float, float]  # [m], heights
    costs: Costs


class LiveWalk:
    """A robot that walks as long as somebody looks.

    Args:
        robot: who walks.
        style: to begin with.
        options: of the whole walk.
    """

    def __init__(self, robot: Robot, style: Style, options: WalkOptions | None = None) -> None:
        self.robot = robot
        self.lock = threading.RLock()
        self.controller = ExpressiveController(robot, style, options)
        self.script = Script(self.controller.options, style)
        self.ticks = 0
        self.last: Tick | None = None
        self.rows: deque[Row] = deque(maxlen=round(MEMORY / (self.dt * SAMPLE)))
        self.dropped = 0.0  # [s] that could not be kept up with
        self._due = 0.0
        self._ahead = 0.0  # [s] of a head start that are left
        self._recording: list[Tick] | None = None
        self._from = 0

    @property
    def dt(self) -> float:
        """Period of the walk [s]."""
        return self.controller.options.dt

    # -- orders ------------------------------------------------------------------------

    def order(self, what: str, value: Any = None) -> None:
        """Give an order ("style", "start", "stop" or "stand_up"), and note it."""
        with self.lock:
            give(self.controller, what, value)
            self.script.add(self.ticks, what, value)
            if what == "stand_up":
                self.rows.clear()

    def set_style(self, style: Style) -> None:
        """Move towards a style from now on."""
        self.order("style", told(style))

    @property
    def walking(self) -> bool:
        """Whether it makes steps, or is about to."""
        return not self.controller.fallen and self.controller.machine.state != "standing"

    def coming(self, count: int) -> list[tuple[str, Swing]]:
        """The next steps in the style that was asked for: which foot, and its way."""
        with self.lock:
            return self.controller.coming(count)

    # -- time --------------------------------------------------------------------------

    def advance(self, passed: float, most: float = np.inf) -> int:
        """Let some time pass [s], at most so much at once; how many ticks that was."""
        with self.lock:
            back = min(self._ahead, GIVEN_BACK * passed)
            self._ahead -= back
            self._due += passed - back
            if self._due > BEHIND:
                self.dropped += self._due - BEHIND
                self._due = BEHIND
            count = int(min(self._due, most) / self.dt)
            self._due -= count * self.dt
            for _ in range(count):
                self._tick()
            return count

    def hurry(self) -> None:
        """Walk a little ahead of time, so that the answer to an order is seen sooner."""
        with self.lock:
            count = int((HEAD_START - self._ahead) / self.dt + 1e-6)
            self._ahead += count * self.dt
            for _ in range(count):
                self._tick()

    def _tick(self) -> None:
        tick = self.controller.tick()
        self.last = tick
        if self._recording is not None and self.recorded_for < LONGEST:
            self._recording.append(tick)
        if self.ticks % SAMPLE == 0 and not tick.reason:
            self._sample(tick)
        self.ticks += 1

    def _sample(self, tick: Tick) -> None:
        heights = [float(tick.feet[part][2]) for part in self.robot.feet if part in tick.feet]
        left, right = (heights + [0.0, 0.0])[:2]
        x, y = tick.zmp
        costs = costs_of(self.robot, tick, self.controller.options.friction)
        com = (float(tick.com[0]), float(tick.com[1]))
        self.rows.append(Row(tick.time, com, (float(x), float(y)), (left, right), costs))

    # -- recording ---------------------------------------------------------------------

    @property
    def recording(self) -> bool:
        """Whether a recording is under way."""
        return self._recording is not None

    @property
    def recorded_for(self) -> float:
        """Length of the recording so far [s]."""
        return 0.0 if self._recording is None else len(self._recording) * self.dt

    def record(self) -> None:
        """Keep every tick from now on."""
        with self.lock:
            self._recording, self._from = [], self.ticks

    def stop_recording(self) -> Motion:
        """The motion since `record`; its recipe holds every order that led to it."""
        with self.lock:
            ticks, self._recording = self._recording or [], None
            end = self._from + len(ticks)
            recipe = self.script.recipe(self.robot, self._from, end)
        return recorded(self.robot, ticks, recipe)

    def recent(self) -> list[Row]:
        """The rows of the plots, oldest first."""
        with self.lock:
            return list(self.rows)


def warm(robot: Robot) -> None:
    """Walk a little for nobody: the compiled loops are loaded by it, which takes a moment."""
    walk = LiveWalk(robot, Style())
    walk.order("start")
    walk.advance(10 * walk.dt)
