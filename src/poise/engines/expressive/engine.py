"""The expressive engine: a robot, a style and a number of steps give a walk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.expressive.controller import ControllerOptions, ExpressiveController, Tick
from poise.engines.expressive.options import Style
from poise.engines.expressive.recorder import motion_of_ticks
from poise.engines.expressive.styling import find_style
from poise.errors import BadInput
from poise.motion import Motion
from poise.motion.rollout import tilt
from poise.robot import Robot

MOST_STEPS = 1000
SETTLE = 5.0  # [s], at most, to take a style on before the first step and off after the last
STILL = 0.02  # [rad/s], below this every joint counts as resting
LOW = 0.6  # of its height: a centre of mass below this has fallen
TILTED = 0.8  # [rad]


def walk(
    robot: Robot,
    style: Style | str | Path = "normal",
    steps: int = 20,
    settings: Mapping[str, Any] | None = None,
    options: ControllerOptions | None = None,
) -> Motion:
    """A walk in a style, from standing to standing.

    The motion ends where the robot falls, if it does; its recipe then says when, and which
    requirement gave way first.

    Args:
        robot: who walks.
        style: a preset's name, a Style, or the path of a style's TOML.
        steps: how many.
        settings: knobs to set on top, in SI units as `poise walk --help` shows them.
        options: what holds whatever the style.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise BadInput("walk", "steps", f"{steps}", f"1 to {MOST_STEPS}")
    chosen = find_style(style, robot)
    if settings:
        chosen = chosen.set_on(robot, settings, "walk")
    controller = ExpressiveController(robot, Style(), options)
    ticks: list[Tick] = []
    fell = False
    controller.set_style(chosen)
    _settle(controller, ticks)
    controller.start(steps)
    while controller.machine.walking and not fell:
        ticks.append(controller.tick())
        fell = has_fallen(controller, ticks[-1])
    if not fell:
        controller.set_style(Style())
        _settle(controller, ticks)
    recipe = {
        "engine": "expressive",
        "options": {
            "style": asdict(chosen) | {"rest_pose": dict(chosen.rest_pose)},
            "steps": steps,
            "controller": asdict(controller.options),
        },
        "inputs": {},
        "seed": None,
        "steps_done": controller.machine.steps_done,
        "fell_at": ticks[-1].time if fell else None,
        "gave_way_first": next((t.gave_way[0] for t in ticks if t.gave_way), None),
    }
    return motion_of_ticks(robot, ticks, recipe)


def has_fallen(controller: ExpressiveController, tick: Tick) -> bool:
    """Whether the robot is on its way down for good."""
    upright = controller.robot.half_sitting[3:7]
    low = tick.com[2] < LOW * controller.stature.com_height
    return bool(low or tilt(tick.q[3:7], upright) > TILTED)


def _settle(controller: ExpressiveController, ticks: list[Tick]) -> None:
    """Stand until the style is taken on and every joint rests."""
    end = controller.time + SETTLE
    while controller.time < end:
        ticks.append(controller.tick())
        if controller.settled and np.abs(controller.v).max() < STILL:
            break
