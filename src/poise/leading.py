"""Lead a robot by the hand in simulation: the interact engine and the simulator put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch
from poise.engines.interact import (
    Leader,
    Led,
    SafeArea,
    Size,
    figures,
    find_leader,
    lead,
    load_area,
    options_for,
    recipe_of,
)
from poise.motion import Motion, Observation
from poise.robot import Robot, load_robot

if TYPE_CHECKING:
    from poise.simulation import SimulationOptions


@dataclass(frozen=True, eq=False)
class Interaction:
    """What became of a robot that was led."""

    motion: Motion  # what really happened, with the references as signals
    figures: dict[str, Any]
    led: Led


def interact(
    robot: Robot | str | Path,
    leader: Leader | str | Path = "straight",
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> Motion:
    """Lead a robot by the hand in simulation; what really happened, as a motion.

    Args:
        robot: who is led.
        leader: a shipped leader's name, a TOML file, or a Leader.
        settings: knobs to set, in SI units, as `poise interact --knobs` lists them.
        **more: see `interacted`.
    """
    return interacted(robot, leader, settings, **more).motion


def interacted(
    robot: Robot | str | Path,
    leader: Leader | str | Path = "straight",
    settings: Mapping[str, Any] | None = None,
    *,
    area: SafeArea | str | Path | None = None,
    simulation: SimulationOptions | None = None,
    seed: int | None = None,
    duration: float | None = None,
    spoil: Callable[[Observation], Observation] | None = None,
) -> Interaction:
    """As `interact`, with the numbers and all that was decided on the way.

    Args:
        robot: who is led.
        leader: who leads.
        settings: knobs to set, in SI units.
        area: where feet may be put, or the file of it; by the robot's sizes when absent.
        simulation: what the simulated world is like.
        seed: of a leader who wanders.
        duration: how long [s], when not as long as the leader says.
        spoil: what becomes of the sensors on their way to the robot, for tests of faults.
    """
    from poise.simulation import SimulatedWorld, run

    robot = robot if isinstance(robot, Robot) else load_robot(robot)
    options = options_for(robot, settings)
    leader = find_leader(leader, seed)
    area = load_area(area) if isinstance(area, str | Path) else area
    world = SimulatedWorld(robot, 0.005, simulation or led_world(robot))
    led = lead(robot, leader, options, world.pull, area, world.period)
    led.spoil = spoil
    controller = led.controller
    length = leader.on(Size.of(robot)).duration if duration is None else duration
    motion, verdict = run(led, robot, length, start=controller.start, world=world)
    numbers = figures(led, motion, verdict.upright, verdict.fell_at)
    numbers |= {"leader": leader.name, "robot": robot.name, "duration": motion.duration}
    recipe = recipe_of(robot, leader, options, controller.area)
    recipe |= {"figures": numbers, "simulation": asdict(world.options)}
    signals = controller.diary.signals()
    n = min(len(motion), len(signals["zmp_ref"]))
    columns = {name: _padded(rows, n, len(motion)) for name, rows in signals.items()}
    partner = _padded(np.array(led.rows), n, len(motion))
    contacts = ContactPlan.of(_touches(led, motion.duration))
    motion = replace(
        motion,
        recipe=recipe,
        contacts=contacts,
        signals={**motion.signals, **columns, "partner": partner},
    )
    return Interaction(motion, numbers, led)


def led_world(robot: Robot) -> SimulationOptions:
    """The world in which a robot is led: looked at more often where things happen faster.

    A small robot falls, touches and shakes faster than the paper's, and its light legs are past
    their targets sooner. With the physics step of a large one its servos would hammer.
    """
    from poise.simulation import SimulationOptions

    usual = SimulationOptions()
    return replace(usual, physics_step=usual.physics_step * min(Size.of(robot).time, 1.0))


def _padded(rows: np.ndarray, n: int, length: int) -> np.ndarray:
    """As many rows as the motion has; the last one stays."""
    rows = rows[:n].reshape(n, -1)
    return np.vstack([rows, np.repeat(rows[-1:], length - n, axis=0)])


def _touches(led: Led, duration: float) -> list[Touch]:
    """Who stood where, as it was meant."""
    robot, gait = led.controller.robot, led.controller.gait
    found = []
    for left in (True, False):
        part = robot.feet[0 if left else 1]
        place, since = led.controller.places[left], 0.0
        for begin, end, landing in gait.swings[left]:
            if begin > since:
                found.append(_touch(robot, part, since, begin, place))
            place, since = landing, end
        if duration > since:
            found.append(_touch(robot, part, since, duration, place))
    return found


def _touch(
    robot: Robot, part: str, start: float, end: float, place: tuple[float, float, float]
) -> Touch:
    x, y, heading = place
    T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, 0.0]))
    return Touch(part, start, end, T, robot.soles[part].points)
