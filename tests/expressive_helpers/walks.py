"""Walks that several tests look at, made once."""

from __future__ import annotations

from functools import lru_cache

from poise.engines.expressive import ExpressiveController, Tick, find_style
from poise.robot import Robot


@lru_cache(maxsize=32)
def walked(robot: Robot, style: str, steps: int, **knobs: float) -> tuple[Tick, ...]:
    """The ticks of a walk from the first step to the last, style taken on before."""
    chosen = find_style(style, robot)
    controller = ExpressiveController(robot, chosen.set_on(robot, knobs) if knobs else chosen)
    while not controller.settled:
        controller.tick()
    controller.start(steps)
    ticks = []
    while controller.machine.walking:
        ticks.append(controller.tick())
        if controller.fallen:
            break
    return tuple(ticks)
