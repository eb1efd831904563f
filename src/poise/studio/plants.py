"""Robots in physics that a hand can take hold of: one that keeps its balance, one that is led.

A plant is a world with a controller in it. It is told orders between two of its periods and does
the same again when it is told the same, so that what happened live can be made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from poise.contacts import zmp
from poise.engines.balance import BalanceOptions, Scenario, Shove, prepare
from poise.engines.balance.controller import BalanceController
from poise.engines.balance.engine import Hit, hits_of
from poise.engines.balance.reference import reference_of
from poise.engines.balance.scenario import Squat
from poise.engines.interact import InteractController, Size, options_for
from poise.engines.interact.gait import Step
from poise.engines.interact.leader import Leader
from poise.errors import BadInput
from poise.motion import Motion, Observation
from poise.robot import Robot, Snapshot
from poise.simulation import SimulatedWorld
from poise.simulation.falls import FallWatch, Plan
from poise.simulation.lifelike import lifelike

BALANCE_PERIOD = 0.004  # [s]; `poise balance` has 0.001, which a page cannot keep up with
LEAD_PERIOD = 0.005  # [s]
STIFFNESS = 0.8  # of the mouse, in weights per height of the robot
DAMPING = 0.04  # [s], of the mouse, times its stiffness
STRENGTH = 0.4  # of the mouse, in weights
GENTLE = 0.2  # of a partner's strength: a mouse is pulled far at once, and feels nothing
STEPS_KEPT = 12  # footprints behind the robot that are shown


@dataclass(frozen=True)
class Hold:
    """What the mouse holds, and where it pulls."""

    joint: str  # that carries what is held
    point: tuple[float, float, float]  # [m], in the joint's frame
    target: tuple[float, float, float]  # [m], world

    @staticmethod
    def told(value: Mapping[str, Any]) -> Hold:
        """From plain values."""
        point, target = (tuple(float(x) for x in value[key]) for key in ("point", "target"))
        if len(point) != 3 or len(target) != 3 or not np.isfinite([*point, *target]).all():
            raise BadInput("recipe", "a hold", f"{value!r}"[:80], "points of three numbers")
        return Hold(str(value["joint"]), point, target)


@dataclass(frozen=True, eq=False)
class Felt:
    """One instant of a robot in physics, for plots and marks."""

    time: float  # [s]
    com: np.ndarray  # [m], (3,)
    zmp: tuple[float, float]  # [m]
    loads: tuple[float, float]  # of the left and the right foot [N]
    held: np.ndarray | None = None  # [m], (3,), what the mouse holds
    target: np.ndarray | None = None  # [m], (3,), where it pulls
    force: float = 0.0  # [N], of the mouse


class Plant(Protocol):
    """A robot in physics."""

    robot: Robot
    period: float  # [s]
    seen: Observation
    felt: Felt
    fell: str  # how it fell, if it did
    over: bool  # it fell, and lies still

    def order(self, what: str, value: Any = None) -> None:
        """Tell it something before its next period."""
        ...

    def step(self) -> None:
        """Let one period pass."""
        ...

    def forget(self) -> None:
        """Keep no more of the past than is shown."""
        ...


class _Body:
    """What both plants share: a world, a watch for falls, the hand of the mouse."""

    def __init__(self, robot: Robot, world: SimulatedWorld, start: np.ndarray) -> None:
        self.robot, self.world, self.period = robot, world, world.period
        self.seen = world.reset(start)
        self.hold: Hold | None = None
        self.fell, self.over = "", False
        self._at: Snapshot = robot.at(start)
        self._zmp = (float(self._at.com[0]), float(self._at.com[1]))
        self._pulled: set[str] = set()
        stands = Motion(
            robot.name,
            robot.model_hash,
            np.zeros(1),
            start[None, :],
            np.zeros((1, robot.nv)),
            robot.joint_names,
        )
        self._watch = FallWatch(world, Plan(stands, world.period))
        self.felt = self._feel(None, 0.0)

    def _spring(
        self, hold: Hold, stiffness: float, damping: float, strength: float, level: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the held point is, the force on it, and its moment at the joint's frame."""
        at = self._at
        T, twist = at.pose(hold.joint), at.velocity(hold.joint)
        lever = T.rotation @ np.array(hold.point)
        p = T.translation + lever
        rate = twist[:3] + np.cross(twist[3:], lever)
        force = stiffness * (np.array(hold.target) - p) - damping * rate
        if level:
            force[2] = 0.0
        size = float(np.linalg.norm(force))
        if size > strength:
            force *= strength / size
        return p, force, np.cross(lever, force)

    def _pull(self, wrenches: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> None:
        for part in self._pulled - set(wrenches):
            self.world.pull(part, np.zeros(3))
        for part, (force, moment) in wrenches.items():
            self.world.pull(part, force, moment)
        self._pulled = set(wrenches)

    def _after(self, held: np.ndarray | None, force: float) -> None:
        self.over = self._watch(self.seen)
        self.fell = self._watch.why if self._watch.fell_at is not None else ""
        self.felt = self._feel(held, force)

    def _feel(self, held: np.ndarray | None, pulled: float) -> Felt:
        seen, at = self.seen, self._at
        at.refresh(seen.q, seen.v)
        force, moment, loads, height = np.zeros(3), np.zeros(3), [], np.inf
        for part in self.robot.feet:
            wrench, p = seen.wrenches.get(part, np.zeros(6)), at.position(part)
            force += wrench[:3]
            moment += wrench[3:] + np.cross(p, wrench[:3])
            loads.append(float(wrench[2]))
            height = min(height, float(p[2]))
        if force[2] > 0.05 * self.robot.weight:
            x, y = zmp(force, moment, height)
            self._zmp = (float(x), float(y))
        left, right = (loads + [0.0, 0.0])[:2]
        target = None if self.hold is None else np.array(self.hold.target)
        return Felt(seen.time, at.com.copy(), self._zmp, (left, right), held, target, pulled)

    def _take(self, value: Any) -> None:
        hold = Hold.told(value)
        self.robot.frame_id(hold.joint)  # refused here, not in the middle of a period
        self.hold = hold


def with_feedback(
    robot: Robot, feedback: str, options: BalanceOptions | None = None
) -> dict[str, Any]:
    """Settings with which a robot can use a feedback: with a longer ZMP filter where it needs one.

    Args:
        robot: who balances.
        feedback: by its name.
        options: of its controller otherwise.
    """
    asked = replace(options or BalanceOptions(), feedback=feedback)
    steady = asked.steadied(robot)
    longer = {} if steady is asked else {"zmp_filter": steady.zmp_filter}
    return {"feedback": feedback, **longer}


class Standing(_Body):
    """A robot that keeps its balance, as `poise balance` does.

    Args:
        robot: who stands.
        settings: knobs of the controller.
    """

    def __init__(self, robot: Robot, settings: Mapping[str, Any]) -> None:
        trial = prepare(robot, "stand", settings, (), BALANCE_PERIOD)
        options = trial.scenario.options
        self.controller = BalanceController(
            robot, options, trial.scenario, trial.start, BALANCE_PERIOD
        )
        self._start, self._zero, self._busy = trial.start, 0.0, 0.0
        self._hits: list[Hit] = []
        unit = robot.weight / robot.height
        self._grip = (STIFFNESS * unit, STIFFNESS * DAMPING * unit, STRENGTH * robot.weight)
        world = SimulatedWorld(robot, BALANCE_PERIOD, lifelike(robot, seed=0))
        super().__init__(robot, world, trial.start)

    def order(self, what: str, value: Any = None) -> None:
        """Orders: "hold" it, "let_go", "push" it (a `Shove` from now on), let it "squat"."""
        now = self.seen.time
        if what == "hold":
            self._take(value)
        elif what == "let_go":
            self.hold = None
        elif what == "push":
            push = Shove(**{**value, "start": now})
            self._hits += hits_of(self.robot, self._start, push)
        elif what == "squat":
            self._squat(Squat(**{**value, "start": 0.0}), now)
        else:
            raise BadInput("balance", "an order", f"'{what}'", "hold, let_go, push, squat")

    def _squat(self, squat: Squat, now: float) -> None:
        if now < self._busy:
            raise BadInput("balance", "squat", "in the middle of another", "once it is over")
        lasts = squat.period * squat.cycles
        scenario = Scenario("squat", duration=lasts, squats=(squat,))
        stance = self.controller.stance
        self.controller.reference = reference_of(scenario, stance, BALANCE_PERIOD)
        self._zero, self._busy = now, now + lasts

    def step(self) -> None:
        """One period: the mouse and the pushes pull, the controller answers."""
        now = self.seen.time
        self._hits = [hit for hit in self._hits if now < hit.start + hit.duration]
        wrenches: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        held, size = None, 0.0
        for hit in self._hits:
            if hit.start <= now:
                lever = self._at.rotation("chest") @ np.array(hit.point)
                force, moment = wrenches.get("chest", (np.zeros(3), np.zeros(3)))
                push = np.array(hit.force)
                wrenches["chest"] = force + push, moment + np.cross(lever, push)
                held, size = self._at.position("chest") + lever, float(np.linalg.norm(push))
        if self.hold is not None:
            held, force, moment = self._spring(self.hold, *self._grip, level=False)
            wrenches[self.hold.joint] = force, moment
            size = float(np.linalg.norm(force))
        self._pull(wrenches)
        seen = replace(self.seen, time=now - self._zero)  # the reference begins with its order
        self.seen = self.world.step(self.controller.command(seen))
        self._after(held, size)

    def forget(self) -> None:
        """Nothing is kept."""


class Led(_Body):
    """A robot that is led by the hand, as `poise interact` does.

    Args:
        robot: who is led.
        settings: knobs of interact, in SI units.
    """

    def __init__(self, robot: Robot, settings: Mapping[str, Any]) -> None:
        size = Size.of(robot)
        options = options_for(robot, settings)
        self.controller = InteractController(
            robot, options, None, LEAD_PERIOD, begin=0.5 * size.time
        )
        arm = Leader("mouse").on(size)
        self._grip = (arm.stiffness, arm.damping, GENTLE * arm.strength)
        super().__init__(robot, SimulatedWorld(robot, LEAD_PERIOD), self.controller.start)

    @property
    def steps(self) -> list[Step]:
        """The last footprints that were asked for."""
        return self.controller.gait.steps

    def order(self, what: str, value: Any = None) -> None:
        """Orders: "hold" a hand, "let_go", "stop" or "start" walking."""
        if what == "hold":
            self._take(value)
        elif what == "let_go":
            self.hold = None
        elif what == "stop":
            self.controller.stop()
        elif what == "start":
            self.controller.gait.stopping = False
        else:
            raise BadInput("interact", "an order", f"'{what}'", "hold, let_go, stop, start")

    def step(self) -> None:
        """One period: the mouse pulls at the hand, the robot steps after it.

        Where the robot gives up, out of reach or pulled too hard, the hand slips away.
        """
        wrenches, held, size = {}, None, 0.0
        if self.controller.watch.reason:
            self.hold = None
        if self.hold is not None:
            held, force, moment = self._spring(self.hold, *self._grip, level=True)
            wrenches[self.hold.joint] = force, moment
            size = float(np.linalg.norm(force))
        self._pull(wrenches)
        self.seen = self.world.step(self.controller.command(self.seen))
        self._after(held, size)

    def forget(self) -> None:
        """Keep the last footprints only."""
        self.controller.diary.time.clear()
        self.controller.diary.rows.clear()
        gait = self.controller.gait
        del gait.steps[:-STEPS_KEPT]
        for swings in gait.swings.values():
            del swings[:-STEPS_KEPT]


KINDS: dict[str, Any] = {"balance": Standing, "interact": Led}


def plant_of(kind: str, robot: Robot, settings: Mapping[str, Any]) -> Plant:
    """A plant of a kind: "balance" or "interact"."""
    if kind not in KINDS:
        raise BadInput("studio", "a plant", f"'{kind}'", ", ".join(KINDS))
    plant: Plant = KINDS[kind](robot, settings)
    return plant
