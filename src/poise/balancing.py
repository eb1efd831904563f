"""Balance, put together: the engine's controller in the simulator's world, judged.

Part of the front door: nobody below knows both engine and simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.checks import CheckOptions, PhysicsVerdict, Report, judge
from poise.engines.balance import FEEDBACKS, Scenario, Shove, StaleSoles, Trial, prepare
from poise.engines.balance.engine import from_told
from poise.engines.balance.figures import figures_of
from poise.engines.balance.survey import DIRECTIONS, Survived, survey
from poise.errors import BadInput
from poise.motion import Motion
from poise.robot import Robot, load_robot
from poise.simulation import Push, SimulationOptions, run
from poise.simulation.lifelike import lifelike

JITTER = 0.002  # [s], how old a reading of the soles may be
KEPT = 0.005  # [s], between the rows of the motion that is handed out


@dataclass(frozen=True, eq=False)
class Balanced:
    """A run: what was recorded, what it was worth, and what the judge says."""

    robot: Robot
    trial: Trial
    motion: Motion  # every period of the controller
    verdict: PhysicsVerdict
    figures: dict[str, Any]
    why: str = ""  # how it fell, if it did

    @property
    def upright(self) -> bool:
        """Whether the robot stayed up."""
        return self.verdict.upright

    @property
    def handed_out(self) -> Motion:
        """The motion at a rate for files and pages."""
        return _every(self.motion, max(round(KEPT / self.trial.controller.period), 1))

    def report(self, options: CheckOptions | None = None) -> Report:
        """The judge's answer; physics is the run itself."""
        return judge(self.handed_out, self.robot, options, self.verdict)


def balance_trial(
    robot: Robot | str | Path,
    scenario: Scenario | str | Path = "stand",
    settings: Mapping[str, Any] | None = None,
    pushes: tuple[Shove, ...] = (),
    seed: int = 0,
    world: SimulationOptions | None = None,
    jitter: float = JITTER,
) -> Balanced:
    """Let a robot balance in the simulator.

    Args:
        robot: who balances.
        scenario: a shipped name, a Scenario, or the path of its TOML.
        settings: knobs of controller and scenario to set on top.
        pushes: further pushes.
        seed: of the sensors' noise.
        world: what the world is like; lagging servos, rubber soles and noisy sensors when absent.
        jitter: how old the readings of the soles may be, at random [s].
    """
    robot = robot if isinstance(robot, Robot) else load_robot(robot)
    trial = prepare(robot, scenario, settings, pushes)
    hits = tuple(Push(h.force, h.start, h.duration, "chest", h.point) for h in trial.hits)
    options = replace(world or lifelike(robot, seed=seed), pushes=hits)
    period = trial.controller.period
    late = round(jitter / period)
    driver = StaleSoles(trial.controller, late, seed) if late else trial.controller
    recipe = {**trial.recipe, "seed": seed, "world": asdict(options), "jitter": jitter}
    played, outcome = run(
        driver,
        robot,
        trial.scenario.duration,
        options,
        period=period,
        start=trial.start,
        contacts=trial.contacts,
        recipe=recipe,
    )
    motion = trial.recorded(played)
    verdict = PhysicsVerdict(
        outcome.upright,
        outcome.fell_at,
        outcome.tilt_max_deg,
        outcome.drift_m,
        outcome.slip_m,
        outcome.saturation,
    )
    return Balanced(robot, trial, motion, verdict, figures_of(trial, motion), outcome.why)


def balance_again(robot: Robot, recipe: Mapping[str, Any]) -> Motion:
    """Make a run again from its recipe."""
    if recipe.get("engine") != "balance":
        raise BadInput("recipe", "engine", f"{recipe.get('engine')!r}", '"balance"')
    scenario = from_told(recipe["options"]["scenario"])
    return balance_trial(robot, scenario, seed=int(recipe["seed"])).handed_out


def survey_pushes(
    robot: Robot,
    duration: float,
    feedbacks: Sequence[str] = FEEDBACKS,
    directions: Sequence[float] = DIRECTIONS,
    shape: str = "sine",
    settings: Mapping[str, Any] | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> list[Survived]:
    """The greatest push that a robot survives, from every direction and with every feedback.

    Args:
        robot: who is pushed, at the height of its CoM.
        duration: of the push [s].
        feedbacks: to compare.
        directions: [deg], 0 forward.
        shape: "sine" (half a sine) or "square".
        settings: further knobs of the controller.
        tell: called with a line of progress.
    """
    start, watch = 0.4, 1.8  # [s], rest before the push, and what has to be survived after it
    scenario = Scenario("survey", duration=start + duration + watch)
    share = 2.0 / np.pi if shape == "sine" else 1.0

    def question(feedback: str) -> Callable[[float, float], bool]:
        knobs = {**(settings or {}), "feedback": feedback}

        def ask(force: float, direction: float) -> bool:
            push = Shove(force, direction=direction, start=start, duration=duration, shape=shape)
            return balance_trial(robot, scenario, knobs, (push,)).upright

        return ask

    stands = prepare(robot, scenario).start
    return survey(
        robot, feedbacks, question, lambda f: share * f * duration, stands, directions, tell
    )


def _every(motion: Motion, n: int) -> Motion:
    """Every n-th row of a motion."""
    return replace(
        motion,
        time=motion.time[::n],
        q=motion.q[::n],
        v=motion.v[::n],
        tau=None if motion.tau is None else motion.tau[::n],
        forces={part: rows[::n] for part, rows in motion.forces.items()},
        signals={name: rows[::n] for name, rows in motion.signals.items()},
    )
