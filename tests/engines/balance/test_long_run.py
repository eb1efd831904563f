"""Hours in closed loop keep nothing: not in Python, nor in the libraries below it."""

from __future__ import annotations

import gc
import sys

from heap import heap
from poise.balancing import JITTER
from poise.engines.balance.engine import prepare
from poise.engines.balance.stale import StaleSoles
from poise.robot import load_robot
from poise.simulation import SimulatedWorld
from poise.simulation.lifelike import lifelike

TICKS = 1500


def test_a_robot_in_a_lifelike_world_needs_no_more_memory_tick_after_tick() -> None:
    robot = load_robot("hoap3")
    trial = prepare(robot)
    controller = trial.controller
    controller._journal = None  # it grows by design: one row a tick
    driver = StaleSoles(controller, round(JITTER / controller.period))
    world = SimulatedWorld(robot, controller.period, lifelike(robot))
    seen = world.reset(trial.start)
    for tick in range(2 * TICKS):
        if tick == TICKS:
            gc.collect()
            blocks, below = sys.getallocatedblocks(), heap()
        world.pull("chest", (0.05 * robot.weight if tick % 500 < 100 else 0.0, 0.0, 0.0))
        seen = world.step(driver.command(seen))
    gc.collect()
    assert sys.getallocatedblocks() - blocks < TICKS // 10
    assert heap() - below < 20 * TICKS  # [bytes]
