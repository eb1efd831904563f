"""The balance engine: a robot and a scenario give a controller, ready for a world."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch
from poise.engines.balance.controller import BalanceController
from poise.engines.balance.journal import Journal
from poise.engines.balance.options import BalanceOptions
from poise.engines.balance.scenario import Scenario, Shove, find_scenario, scenario_of
from poise.engines.balance.start import standing_posture
from poise.errors import BadInput
from poise.motion import Motion
from poise.motion.knobs import checked, knobs_of
from poise.robot import Robot

PERIOD = 0.001  # [s]
CARRYING = 0.02  # of the weight: with less a foot does not count as standing
SHORTEST = 0.03  # [s], of a contact worth telling
SINE_PIECES = 25  # a half sine is told to the world as so many constant pieces


@dataclass(frozen=True)
class Hit:
    """A constant force on the chest for a while, as a world takes it."""

    force: tuple[float, float, float]  # [N], world axes
    start: float  # [s]
    duration: float  # [s]
    point: tuple[float, float, float]  # [m], in the chest's frame


@dataclass(frozen=True, eq=False)
class Trial:
    """Everything a world needs to let a robot balance."""

    robot: Robot
    scenario: Scenario
    start: np.ndarray  # (nq,)
    controller: BalanceController
    journal: Journal
    hits: tuple[Hit, ...]
    contacts: ContactPlan
    recipe: Mapping[str, Any]

    def recorded(self, played: Motion) -> Motion:
        """A recording of the world with what the controller knew and did."""
        signals = {**played.signals, **self.journal.signals(len(played))}
        contacts = contacts_felt(self.robot, played, signals["loads"])
        return replace(played, signals=signals, contacts=contacts)


def prepare(
    robot: Robot,
    scenario: Scenario | str | Path = "stand",
    settings: Mapping[str, Any] | None = None,
    pushes: tuple[Shove, ...] = (),
    period: float = PERIOD,
) -> Trial:
    """A robot at the start of a scenario, its controller ready.

    Args:
        robot: who balances.
        scenario: a shipped name, a Scenario, or the path of its TOML.
        settings: knobs of the controller (`BalanceOptions`) and of the scenario to set on top.
        pushes: further pushes.
        period: of the loop [s].

    Raises:
        BadInput: for gains with which this robot would rock itself over, and the nearest good ones.
    """
    if len(robot.feet) != 2:
        raise BadInput("balance", robot.name, f"a robot with {len(robot.feet)} feet", "two feet")
    chosen = _with_settings(find_scenario(scenario), settings or {})
    chosen = replace(chosen, pushes=chosen.pushes + tuple(pushes))
    start = standing_posture(robot, radians(chosen.knee_bend))
    journal = Journal()
    controller = BalanceController(robot, chosen.options, chosen, start, period, journal)
    recipe = {
        "engine": "balance",
        "options": {"scenario": to_table(chosen), "period": period},
        "inputs": {},
    }
    return Trial(
        robot,
        chosen,
        start,
        controller,
        journal,
        tuple(hit for push in chosen.pushes for hit in hits_of(robot, start, push)),
        _contacts(robot, start, controller),
        recipe,
    )


def hits_of(robot: Robot, start: np.ndarray, push: Shove) -> list[Hit]:
    """A push as constant forces on the chest, in the heading of the robot at its start."""
    at = robot.at(start)
    chest, left = at.pose("chest"), at.rotation(robot.feet[0])
    heading = np.arctan2(left[1, 0], left[0, 0])
    angle = heading + radians(push.direction)
    point = chest.translation.copy()
    if push.at == "com":
        point[2] = at.com[2]
    inside = tuple(float(x) for x in chest.actInv(point))
    peak = push.newtons(robot.weight)
    if push.shape == "square":
        pieces = [(push.start, push.duration, peak)]
    else:
        width = push.duration / SINE_PIECES
        rise = pi / SINE_PIECES
        # each piece has the mean of its part of the sine, so that the impulse is exact
        pieces = [
            (push.start + i * width, width, peak * (cos(i * rise) - cos((i + 1) * rise)) / rise)
            for i in range(SINE_PIECES)
        ]
    return [Hit((f * cos(angle), f * sin(angle), 0.0), t, d, inside) for t, d, f in pieces]  # type: ignore[arg-type]


def to_table(scenario: Scenario) -> dict[str, Any]:
    """A scenario as plain values, enough to make it again."""
    told = dataclasses.asdict(scenario)
    told["levels"] = [
        {"kind": type(one).__name__.lower(), **dataclasses.asdict(one)} for one in scenario.levels
    ]
    told["lifts"] = [
        {"kind": type(one).__name__.lower(), **dataclasses.asdict(one)} for one in scenario.lifts
    ]
    return told


def from_told(told: Mapping[str, Any]) -> Scenario:
    """A scenario from the plain values of a recipe."""
    table: dict[str, Any] = {k: told[k] for k in ("name", "duration", "knee_bend")}
    table["controller"] = dict(told["options"])
    for home, key in (("squats", "squat"), ("pushes", "push")):
        if told[home]:
            table[key] = [dict(one) for one in told[home]]
    for one in (*told["lifts"], *told["levels"]):
        entry = {
            k: list(v) if isinstance(v, tuple | list) else v for k, v in one.items() if k != "kind"
        }
        table.setdefault(one["kind"], []).append(entry)
    return scenario_of(table, "recipe")


def _with_settings(scenario: Scenario, settings: Mapping[str, Any]) -> Scenario:
    options: BalanceOptions = scenario.options
    ours, own = knobs_of(scenario), knobs_of(options)
    changes = {}
    for name, value in settings.items():
        if name in own:
            options = replace(options, **{name: checked("balance", own[name], value)})
        elif name in ours:
            changes[name] = checked("balance", ours[name], value)
        else:
            raise BadInput("balance", "a knob", f"'{name}'", ", ".join([*own, *ours]))
    return replace(scenario, options=options, **changes)


def contacts_felt(robot: Robot, played: Motion, loads: np.ndarray) -> ContactPlan:
    """Who really touched the floor when, and where, from the loads of the feet [N], (n, 2)."""
    touches, time = [], played.time
    for foot, part in enumerate(robot.feet):
        down = np.r_[False, loads[:, foot] > CARRYING * robot.weight, False]
        edges = np.flatnonzero(np.diff(down.astype(int)))
        points = robot.soles[part].points
        for a, b in zip(edges[::2], edges[1::2] - 1, strict=True):
            if time[b] - time[a] < SHORTEST:
                continue
            a = 0 if time[a] < SHORTEST else a  # a world that starts weightless has loaded by then
            T = robot.at(played.q[(a + b) // 2]).pose(part)
            touches.append(Touch(part, float(time[a]), float(time[b]), _level(T), points))
    return ContactPlan.of(touches)


def _level(T: pin.SE3) -> pin.SE3:
    """A foot that rests on the floor where it stands: flat, at the height of the floor."""
    yaw = np.arctan2(T.rotation[1, 0], T.rotation[0, 0])
    x, y, _ = T.translation
    return pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, yaw), np.array([x, y, 0.0]))


def _contacts(robot: Robot, start: np.ndarray, controller: BalanceController) -> ContactPlan:
    """Who is meant to touch the floor when, from the lifts of the reference."""
    at, reference = robot.at(start), controller.reference
    touches = []
    for foot, part in enumerate(robot.feet):
        down = np.r_[False, reference.lift[:, foot] <= 0.0, False]
        edges = np.flatnonzero(np.diff(down.astype(int)))
        T, points = at.pose(part), robot.soles[part].points
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            touches.append(Touch(part, a * reference.dt, (b - 1) * reference.dt, T, points))
    return ContactPlan.of(touches)
