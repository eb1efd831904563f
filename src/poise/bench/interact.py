"""Speed of being led by the hand: the generator against linear systems and placo, the tick."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pinocchio as pin

from poise.bench.measure import Absent, Result, compare, side_by_side
from poise.bench.peers import bare_urdf, in_turns
from poise.engines.interact import find_leader, lead, options_for
from poise.robot import Robot, load_robot
from poise.walking.analytic_systems import compact
from poise.walking.pendulum import pendulum_rate
from poise.walking.replanning import ReplanOptions, Request, adapt_both, adapt_time
from poise.walking.stepping import Stance, Timing, stance, start_walking, stop_point
from poise.walking.swing_foot import Place

PERIOD = 0.005  # [s], of the paper's control loop
TICKS, WARM = 1500, 700  # two lift-offs are warm-up: the first of a kind is compiled


def run() -> list[Result | Absent]:
    """A replan, a cycle of the generator, the whole tick."""
    return [*_generator(), _tick("hrp2"), _tick("talos")]


def _generator() -> list[Result | Absent]:
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
    options, ask = ReplanOptions(), Request(walk, now, wish, follow)
    changed = adapt_time(ask, options).walk
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
        "replan": lambda: adapt_time(ask, options),
        "both": lambda: adapt_both(ask, options),
        "cycle": lambda: changed.at(next(instants)),
        "systems": by_systems,
    }
    times = side_by_side(calls, each=20)
    systems = "linear systems of the same plan"
    return [
        compare("interact: replan, time adapted", times["replan"], systems, times["systems"]),
        compare("interact: replan, both adapted", times["both"], systems, times["systems"]),
        compare("interact: cycle of the generator", times["cycle"], systems, times["systems"]),
        *_beside_placo(calls["replan"]),
    ]


def _beside_placo(replan: Callable[[], object], name: str = "talos") -> list[Result | Absent]:
    """A replan of the same four steps by placo's pattern generator, in turns with ours."""
    robot = load_robot(name)
    what, peers = "interact: replan, time adapted", {"placo": "replan_placo.py"}
    times, _, absent = in_turns(what, _problem(robot), peers, {"poise": replan}, 10, 10, 10)
    found = [compare(what, times["poise"], p, times[p], 0.05) for p in peers if p in times]
    return [*found, *absent]


def _problem(robot: Robot) -> dict[str, Any]:
    at = robot.at(robot.half_sitting)
    length, width = np.ptp(robot.soles[robot.feet[0]].corners, axis=0)
    spread = at.position(robot.feet[0]) - at.position(robot.feet[1])
    parts = {"left_foot": robot.feet[0], "right_foot": robot.feet[1], "trunk": "base"}
    return {
        "urdf": bare_urdf(robot),
        "joints": list(robot.joint_names),
        "q": robot.half_sitting.tolist(),
        "frames": {name: _fixed(robot, part) for name, part in parts.items()},
        "height": float(at.com[2]),
        "spacing": float(abs(spread[1])),
        "sole": [float(length), float(width)],
        **{"single": 0.7, "double": 0.2, "start": 1.4, "steps": 4, "step": 0.2, "wish": 0.25},
    }


def _fixed(robot: Robot, part: str) -> dict[str, Any]:
    """A part's frame as a fixed joint on its link."""
    model, link = robot.model, robot.parts[part]
    mine, theirs = (model.frames[model.getFrameId(name)].placement for name in (part, link))
    T = theirs.actInv(mine)
    turn = pin.rpy.matrixToRpy(T.rotation)
    return {"link": link, "xyz": T.translation.tolist(), "rpy": turn.tolist()}


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
