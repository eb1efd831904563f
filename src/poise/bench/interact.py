"""Speed of being led by the hand: the generator against linear systems and placo, the tick."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter

import numpy as np

from poise.bench.measure import Result, compare, side_by_side
from poise.engines.interact import find_leader, lead, options_for
from poise.robot import load_robot
from poise.walking.analytic_systems import compact
from poise.walking.pendulum import pendulum_rate
from poise.walking.replanning import ReplanOptions, adapt_both, adapt_time
from poise.walking.stepping import Stance, Timing, stance, start_walking, stop_point
from poise.walking.swing_foot import Place

PERIOD = 0.005  # [s], of the paper's control loop
TICKS, WARM = 900, 300


def run() -> list[Result]:
    """A replan, a cycle of the generator, the whole tick."""
    return [*_generator(), _tick("hrp2"), _tick("talos")]


def _generator() -> list[Result]:
    timing = Timing(0.7, 0.2, 1.4, 1.6)

    def feet(change: float = 0.0) -> tuple[Stance, ...]:
        return tuple(
            stance(k % 2 == 1, (0.2 * k + (change if k else 0.0), 0.095 * (-1) ** (k + 1), 0.0))
            for k in range(4)
        )

    def follow(place: Place) -> tuple[Stance, ...]:
        return feet(place[0] - 0.2)

    walk = start_walking(pendulum_rate(0.814), timing, (0.0, 0.0), feet())
    now, wish = timing.start + timing.double, (0.25, 0.095, 0.0)
    options = ReplanOptions()
    changed = adapt_time(walk, now, wish, follow, options).walk
    end = stop_point(changed.stances)

    def by_systems() -> None:
        state = walk.at(now)
        for axis in (0, 1):
            compact(
                walk.omega,
                changed.pattern.pieces,
                axis,
                state.com[axis],
                state.velocity[axis],
                end[axis],
            )

    instants = iter(np.tile(np.arange(0.0, changed.pattern.duration, PERIOD), 100).tolist())
    calls: dict[str, Callable[[], object]] = {
        "replan": lambda: adapt_time(walk, now, wish, follow, options),
        "both": lambda: adapt_both(walk, now, wish, follow, options),
        "cycle": lambda: changed.at(next(instants)),
        "systems": by_systems,
    }
    times = side_by_side(calls, each=20)
    systems = "linear systems of the same plan"
    results = [
        compare("interact: replan, time adapted", times["replan"], systems, times["systems"]),
        compare("interact: replan, both adapted", times["both"], systems, times["systems"]),
        compare("interact: cycle of the generator", times["cycle"], systems, times["systems"]),
    ]
    if find_spec("placo") is None:
        return results
    peer = _placo()
    return [
        *results,
        compare("interact: replan, time adapted", times["replan"], "placo", peer, 0.05),
    ]


def _placo() -> np.ndarray:
    """Times of placo's pattern generator on a supported robot, when it is installed [s]."""
    import placo

    robot = placo.HumanoidRobot(str(load_robot("talos").urdf))
    parameters = placo.HumanoidParameters()
    parameters.single_support_duration, parameters.double_support_ratio = 0.7, 0.2
    planner = placo.FootstepsPlannerRepetitive(parameters)
    planner.configure(0.2, 0.0, 0.0, 4)
    steps = planner.plan(placo.HumanoidRobot_Side.left, np.eye(4), np.eye(4))
    supports = placo.FootstepsPlanner.make_supports(steps, 0.0, True, True, True)
    generator = placo.WalkPatternGenerator(robot, parameters)
    times = []
    for _ in range(100):
        start = perf_counter()
        generator.plan(supports, robot.com_world(), 0.0)
        times.append(perf_counter() - start)
    return np.array(times)


def _tick(name: str) -> Result:
    """The whole tick of the controller in a running simulation, against the paper's period."""
    from poise.simulation import SimulatedWorld

    robot = load_robot(name)
    world = SimulatedWorld(robot, PERIOD)
    led = lead(robot, find_leader("straight"), options_for(robot), world.pull)
    controller = led.controller
    answer, taken = controller.command, []

    def timed(seen):
        start = perf_counter()
        command = answer(seen)
        taken.append(perf_counter() - start)
        return command

    controller.command = timed  # type: ignore[method-assign]
    seen = world.reset(controller.start)
    for _ in range(TICKS):
        seen = world.step(led.command(seen))
    mine = np.array(taken[WARM:])
    theirs = np.full(len(mine), PERIOD)
    return compare(f"interact: whole tick, {name}", mine, "the paper's 5 ms period", theirs, 0.2)
