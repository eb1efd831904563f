"""What the other engines do for the page, in the workshop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.motion import Motion
from poise.motion.rollout import tilt
from poise.robot import load_robot
from poise.studio.jobs import Made

if TYPE_CHECKING:
    from poise.checks import Report


def balance(
    robot: str, scenario: str, settings: Mapping[str, Any], push: Mapping[str, Any]
) -> Made:
    """Let a robot balance in physics, perhaps pushed.

    Args:
        robot: its folder.
        scenario: a shipped name.
        settings: knobs of the controller.
        push: of a `Shove`; empty for none.
    """
    from poise.balancing import balance_trial
    from poise.engines.balance import Shove

    pushes = (Shove(**push),) if push else ()
    done = balance_trial(load_robot(robot), scenario, settings, pushes)
    words = (
        "It stayed up." if done.upright else f"It fell at {done.verdict.fell_at:.2f} s: {done.why}."
    )
    return Made(done.handed_out, replace(done.report(), evidence=None), words)


def judge_live(robot: str, motion: Motion, fell: str) -> Report:
    """Judge what happened live in physics: the physics are those of the recording.

    Args:
        robot: its folder.
        motion: the recording.
        fell: how it fell; empty when it stands.
    """
    from poise.checks import PhysicsVerdict
    from poise.checks import judge as judged

    who = load_robot(robot)
    tilts = [tilt(q[3:7], who.half_sitting[3:7]) for q in motion.q]
    when = float(motion.time[int(np.argmax(tilts))]) if fell else None
    verdict = PhysicsVerdict(not fell, when, float(np.degrees(max(tilts))))
    return replace(judged(motion, who, None, verdict), evidence=None)


def plan(robot: str, scene: str, seconds: float) -> Made:
    """Plan a motion through the contacts of a scene, and judge it.

    Args:
        robot: its folder.
        scene: a shipped name.
        seconds: the solver may take [s].
    """
    from poise import door
    from poise.engines.multicontact import PlanOptions

    who = load_robot(robot)
    motion = door.plan(who, scene, PlanOptions(seconds=seconds))
    report = door.examine(motion, who, stabilised=True).report
    told = motion.recipe["certificate"]
    words = f"Certificate: {'; '.join(f'{name} {value}' for name, value in plain(told).items())}."
    return Made(motion, replace(report, evidence=None), words)


def lead(robot: str, leader: str) -> Made:
    """Lead a walking robot by the hand, in physics."""
    from poise import door
    from poise.leading import interacted

    who = load_robot(robot)
    done = interacted(who, leader)
    report = door.examine(done.motion, who, physics=False).report
    words = "It stayed up." if done.figures["ok"] else "It did not go well: see the figures."
    return Made(done.motion, replace(report, evidence=None), words)


def imitate(robot: str, trial: str, static: str | None, balance_by: str) -> Made:
    """Let a robot walk as a recorded person did.

    Args:
        robot: its folder.
        trial: file of the walk.
        static: file of the same person standing, if any.
        balance_by: "dynamic" or "quasistatic".
    """
    from poise import door
    from poise.engines.imitate.options import ImitateOptions

    found = door.imitated(load_robot(robot), trial, static, (), ImitateOptions(balance=balance_by))
    words = f"{found.plan.slower:.2f} times slower than the person."
    return Made(found.motion, replace(found.judged.report, evidence=None), words)


def plain(certificate: Mapping[str, Any]) -> dict[str, str]:
    """The numbers of a certificate for people, at most six."""
    flat = {
        name.replace("_", " "): f"{value:.3g}" if isinstance(value, float) else str(value)
        for name, value in certificate.items()
        if isinstance(value, bool | int | float | str)
    }
    return dict(list(flat.items())[:6])
