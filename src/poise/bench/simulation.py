"""The simulator against real time, and against MuJoCo's own step.

Ratios are of the time a simulated second takes; "real time" is one second.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from poise.bench.measure import Result
from poise.motion import Command
from poise.robot import load_robot
from poise.robot.robot import BASE_Q
from poise.simulation import SimulatedWorld

SECONDS = 0.5  # of simulated time in one measurement
REPEATS = 12
LIMIT = 1.0 / 20.0  # twenty times faster than real time


def run(names: tuple[str, ...] = ("nao", "hrp2", "talos")) -> list[Result]:
    """Measure a robot that stands on its servos, observed every 5 ms."""
    results = []
    for name in names:
        robot = load_robot(name)
        world = SimulatedWorld(robot)
        hold = Command(robot.half_sitting[BASE_Q:])
        world.reset(robot.half_sitting)
        ours, bare = [], []
        for _ in range(REPEATS):
            start = perf_counter()
            for _ in range(round(SECONDS / world.period)):
                world.step(hold)
            ours.append((perf_counter() - start) / SECONDS)
            start = perf_counter()
            world.step_bare(SECONDS)
            bare.append((perf_counter() - start) / SECONDS)
        p50, p99 = np.percentile(ours, [50, 99]) * 1e3
        real = Result(f"simulated second, {name}", p50, p99, "ms", "real time", p50 / 1e3, LIMIT)
        ratio = float(np.median(ours) / np.median(bare))
        results += [real, Result(real.name, p50, p99, "ms", "bare mj_step", ratio)]
    return results
