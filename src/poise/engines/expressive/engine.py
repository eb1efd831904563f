"""The expressive engine: a robot, a style and a number of steps give a walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.expressive.controller import (
    ExpressiveController,
    WalkOptions,
    standing_style,
)
from poise.engines.expressive.options import Style
from poise.engines.expressive.recorder import motion_of_ticks
from poise.engines.expressive.styling import find_style
from poise.engines.expressive.tick import Tick
from poise.errors import BadInput
from poise.motion import Motion
from poise.robot import Robot
from poise.robot.robot import BASE_Q

MOST_STEPS = 1000
SETTLE = 6.0  # [s], at most, to take a style on before the first step and off after the last
CALM = 0.1  # [rad/s], below this in every joint a walk may begin
STILL = 0.005  # [rad/s], below this every joint counts as resting
HOME = 0.003  # [rad], nearer than this to half-sitting in every joint the robot is back
Changes = Mapping[int, Mapping[str, Any]]


def walk(
    robot: Robot,
    style: Style | str | Path = "normal",
    steps: int = 20,
    settings: Mapping[str, Any] | None = None,
    changes: Changes | None = None,
    options: WalkOptions | None = None,
) -> Motion:
    """A walk in a style, from standing in half-sitting to standing in half-sitting.

    The robot takes on the style while it stands, makes its steps, and takes the style off again.
    The motion ends where the robot falls, if it does; its recipe then says when and why.

    Args:
        robot: who walks.
        style: a preset's name, a Style, or the path of a style's TOML.
        steps: how many.
        settings: knobs to set on top, in SI units as `knobs_for(robot)` shows them.
        changes: knobs that move on the way: number of steps made -> knob -> value in SI units.
        options: what holds whatever the style.
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise BadInput("walk", "steps", f"{steps}", f"a whole number from 1 to {MOST_STEPS}")
    chosen = find_style(style, robot)
    if settings:
        chosen = chosen.set_on(robot, settings, "walk")
    coming = _schedule(robot, chosen, changes or {})
    controller = ExpressiveController(robot, chosen, options)
    ticks: list[Tick] = []
    _settle(controller, ticks, lambda: controller.nearly_settled and _calm(controller, CALM))
    controller.start(steps)
    while controller.machine.walking and not controller.fallen:
        for step in [s for s in coming if s <= controller.machine.steps_done]:
            controller.set_style(coming.pop(step))
        ticks.append(controller.tick())
    if not controller.fallen:
        controller.set_style(standing_style(robot))
        _settle(controller, ticks, lambda: _calm(controller, STILL) and _home(controller))
    fell = controller.fallen
    recipe = {
        "engine": "expressive",
        "options": {
            "style": asdict(chosen) | {"rest_pose": dict(chosen.rest_pose)},
            "steps": steps,
            "changes": {str(step): dict(knobs) for step, knobs in (changes or {}).items()},
            "controller": asdict(controller.options),
        },
        "inputs": {},
        "seed": None,
        "steps_done": controller.machine.steps_done,
        "fell_at": ticks[-1].time if fell else None,
        "fell_because": controller.reason or None,
        "gave_way_first": next((t.gave_way[0] for t in ticks if t.gave_way), None),
    }
    return motion_of_ticks(robot, ticks[:-1] if fell and len(ticks) > 2 else ticks, recipe)


def walk_again(robot: Robot, recipe: Mapping[str, Any]) -> Motion:
    """Make a walk again from its recipe."""
    if recipe.get("engine") != "expressive":
        raise BadInput("recipe", "engine", f"{recipe.get('engine')!r}", '"expressive"')
    told = recipe["options"]
    changes = {int(step): knobs for step, knobs in told.get("changes", {}).items()}
    return walk(
        robot,
        Style(**told["style"]),
        int(told["steps"]),
        changes=changes,
        options=WalkOptions(**told["controller"]),
    )


def _schedule(robot: Robot, style: Style, changes: Changes) -> dict[int, Style]:
    """The style from each step on."""
    coming: dict[int, Style] = {}
    for step in sorted(changes):
        if isinstance(step, bool) or not isinstance(step, int) or step < 0:
            raise BadInput("walk", "changes", f"from step {step!r} on", "whole numbers from 0")
        style = style.set_on(robot, changes[step], f"walk, changes from step {step} on")
        coming[step] = style
    return coming


def _settle(controller: ExpressiveController, ticks: list[Tick], there: Callable[[], bool]) -> None:
    """Stand until the robot is there, or long enough."""
    end = controller.time + SETTLE
    while controller.time < end and not controller.fallen:
        ticks.append(controller.tick())
        if there():
            break


def _calm(controller: ExpressiveController, speed: float) -> bool:
    """Whether no joint moves faster than a speed [rad/s]."""
    return bool(np.abs(controller.v).max() < speed)


def _home(controller: ExpressiveController) -> bool:
    """Whether every joint is back in half-sitting."""
    off = controller.q[BASE_Q:] - controller.robot.half_sitting[BASE_Q:]
    return bool(np.abs(off).max() < HOME)
