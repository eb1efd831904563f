"""The expressive engine: a robot, a style and a number of steps give a walk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.expressive.controller import ControllerOptions, ExpressiveController, Tick
from poise.engines.expressive.options import Style
from poise.engines.expressive.recorder import motion_of_ticks
from poise.motion import Motion
from poise.robot import Robot


def walk(robot: Robot, style: Style | None = None, steps: int = 20, **kw) -> Motion:
    controller = ExpressiveController(robot, Style())
    controller.set_style(style or Style())
    ticks = []
    quiet = 0
    for _ in range(1000):
        ticks.append(controller.tick())
        if controller._eased.settled and np.abs(controller.v).max() < 0.02 :
            break
    controller.start(steps)
    while controller.machine.walking:
        ticks.append(controller.tick())
        if ticks[-1].com[2] < 0.6 * controller.stature.com_height:
            print('FELL', ticks[-1].time, controller.machine.steps_done); break
    controller.set_style(Style(rest_pull=5.0, torque=0.01))
    for _ in range(1000):
        ticks.append(controller.tick())
        if controller._eased.settled and np.abs(controller.v).max() < 0.005 :
            break
    return motion_of_ticks(robot, ticks, {})
