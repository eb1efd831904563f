"""A robot in physics that goes on: orders come in at any time, and all can be made again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poise.engines.balance.engine import contacts_felt
from poise.errors import BadInput
from poise.motion import Motion, Observation
from poise.robot import Robot
from poise.studio.live_walk import BEHIND, LONGEST, MEMORY
from poise.studio.plants import Felt, Plant, plant_of

ENGINE = "studio {}"  # of the recipe, with the kind of plant
LONGEST_REPLAY = 2_000_000  # periods
SAMPLE = 0.02  # [s], between two rows of the plots
FORGET = 500  # periods between two looks at what can be forgotten
Order = tuple[int, str, Any]  # period, what, with what


class LivePhysics:
    """A plant on the page.

    Args:
        kind: "balance" or "interact".
        robot: who it is.
        settings: knobs of the engine.
    """

    def __init__(self, kind: str, robot: Robot, settings: Mapping[str, Any]) -> None:
        self.kind, self.robot = kind, robot
        self.lock = threading.RLock()
        self.dropped = 0.0  # [s] that could not be kept up with
        self._recording: list[tuple[Observation, Felt]] | None = None
        self._due = 0.0
        self._begin(settings)

    def _begin(self, settings: Mapping[str, Any]) -> None:
        self.settings = self._now = dict(settings)
        self.orders: list[Order] = []
        self.ticks, self._from = 0, 0
        self._renew(self.settings)

    def _renew(self, settings: Mapping[str, Any]) -> None:
        self._now = dict(settings)
        self.plant: Plant = plant_of(self.kind, self.robot, settings)
        self.dt = self.plant.period
        self.rows: deque[Felt] = deque(maxlen=round(MEMORY / SAMPLE))

    # -- orders ------------------------------------------------------------------------

    def order(self, what: str, value: Any = None) -> None:
        """Tell the plant something, and note it; "renew" puts it on its feet, with settings."""
        with self.lock:
            self._give(what, value)
            if what == "renew" and self._recording is None:
                self.settings, self.orders, self.ticks = self._now, [], 0
            else:
                self._note(what, value)

    def _note(self, what: str, value: Any) -> None:
        """Of several holds before one period the last counts."""
        if self.orders and what == "hold" and self.orders[-1][:2] == (self.ticks, "hold"):
            self.orders.pop()
        self.orders.append((self.ticks, what, value))

    def _give(self, what: str, value: Any) -> None:
        if what == "renew":
            self._renew(self._now if value is None else value)
        else:
            self.plant.order(what, value)

    def stand_up(self, settings: Mapping[str, Any] | None = None) -> None:
        """Put the robot on its feet again, perhaps with other settings."""
        self.order("renew", dict(self._now if settings is None else settings))

    # -- time --------------------------------------------------------------------------

    def advance(self, passed: float, most: float = np.inf) -> int:
        """Let some time pass [s], at most so much at once; how many periods that was."""
        with self.lock:
            self._due += passed
            if self._due > BEHIND:
                self.dropped += self._due - BEHIND
                self._due = BEHIND
            count = int(min(self._due, most) / self.dt)
            self._due -= count * self.dt
            for _ in range(count):
                if self.plant.over:
                    break
                self._tick()
            return count

    def _tick(self) -> None:
        plant = self.plant
        plant.step()
        if self._recording is not None and self.recorded_for < LONGEST:
            self._recording.append((plant.seen, plant.felt))
        if self.ticks % max(round(SAMPLE / self.dt), 1) == 0:
            self.rows.append(plant.felt)
        if self.ticks % FORGET == 0:
            plant.forget()
        self.ticks += 1

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
        """Keep every period from now on."""
        with self.lock:
            self._recording, self._from = [], self.ticks

    def stop_recording(self) -> Motion:
        """The motion since `record`; its recipe holds everything that led to it."""
        with self.lock:
            rows, self._recording = self._recording or [], None
            recipe = self.recipe(self._from, self._from + len(rows))
        return motion_of(self.robot, rows, recipe)

    def recipe(self, start: int = 0, end: int | None = None) -> dict[str, Any]:
        """How to make the periods from `start` up to, without, `end` again."""
        with self.lock:
            end = self.ticks if end is None else end
            return {
                "engine": ENGINE.format(self.kind),
                "options": {
                    "settings": dict(self.settings),
                    "orders": [list(order) for order in self.orders if order[0] < end],
                    "ticks": [start, end],
                },
                "inputs": {"robot": self.robot.name, "model_hash": self.robot.model_hash},
                "seed": 0,
            }

    def recent(self) -> list[Felt]:
        """The rows of the plots, oldest first."""
        with self.lock:
            return list(self.rows)


def kind_of(recipe: Mapping[str, Any]) -> str | None:
    """The plant of a recipe; None when it is not of this kind."""
    engine = recipe.get("engine")
    return next((kind for kind in ("balance", "interact") if engine == ENGINE.format(kind)), None)


def replay_physics(robot: Robot, recipe: Mapping[str, Any]) -> Motion:
    """The motion of a recipe of a plant, made again without a page."""
    kind = kind_of(recipe)
    if kind is None:
        raise BadInput("recipe", "engine", f"{recipe.get('engine')!r}", '"studio balance"')
    try:
        options = recipe["options"]
        start, end = (int(k) for k in options["ticks"])
        settings = dict(options["settings"])
        coming = deque((int(k), str(what), value) for k, what, value in options["orders"])
    except (KeyError, TypeError, ValueError) as problem:
        raise BadInput("recipe", "its options", f"incomplete ({problem})", "as written") from None
    if not 0 <= start < end <= LONGEST_REPLAY:
        raise BadInput("recipe", "ticks", f"{start} to {end}", f"0 to {LONGEST_REPLAY}")
    live = LivePhysics(kind, robot, settings)
    for k in range(end):
        if k == start:
            live.record()
        while coming and coming[0][0] <= k:
            _, what, value = coming.popleft()
            live._give(what, value)
        live._tick()
    return motion_of(robot, live._recording or [], recipe)


def motion_of(
    robot: Robot, rows: Sequence[tuple[Observation, Felt]], recipe: Mapping[str, Any]
) -> Motion:
    """Recorded periods as a motion that begins at zero."""
    if len(rows) < 2:
        raise BadInput("record", "the recording", f"{len(rows)} instants", "two or more")
    seen, felt = [row for row, _ in rows], [row for _, row in rows]
    parts = sorted({part for row in seen for part in row.wrenches})
    nothing = np.zeros(6)
    loads = np.array([row.loads for row in felt])
    step = float(np.median(np.diff([row.time for row in seen])))
    motion = Motion(
        robot=robot.name,
        model_hash=robot.model_hash,
        time=step * np.arange(len(seen)),  # standing up again turns the clock of the world back
        q=np.array([row.q for row in seen]),
        v=np.array([row.v for row in seen]),
        joint_names=robot.joint_names,
        tau=np.array([row.torques for row in seen]),
        forces={p: np.array([row.wrenches.get(p, nothing) for row in seen]) for p in parts},
        signals={
            "zmp": np.array([row.zmp for row in felt]),
            "com": np.array([row.com for row in felt]),
            "loads": loads,
            "pull": np.array([[row.force] for row in felt]),
        },
        recipe=dict(recipe),
    )
    return replace(motion, contacts=contacts_felt(robot, motion, loads))
