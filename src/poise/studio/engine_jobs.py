"""What the other engines do for the page, in the workshop."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.motion import Motion
from poise.motion.rollout import tilt
from poise.robot import load_robot
from poise.studio.jobs import Judged, Made, Written
from poise.studio.person import Contacts, Likeness, Person

if TYPE_CHECKING:
    from poise.engines.imitate.events import FootEvents
    from poise.engines.multicontact.engine import Progress
    from poise.engines.multicontact.scene import SceneFile

# seconds of work for each second of a recorded walk; 0.2 to 0.65 where a core does nothing else
USUAL = 1.0


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
    return Made(done.handed_out, Judged.by(done.report()), words)


def judge_live(robot: str, motion: Motion, fell: str) -> Judged:
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
    return Judged.by(judged(motion, who, None, verdict))


def plan(robot: str, scene: SceneFile | str, seconds: float, progress: str = "") -> Made:
    """Plan a motion through the contacts of a scene, and judge it.

    Args:
        robot: its folder.
        scene: a shipped name, or a scene.
        seconds: the solver may take [s].
        progress: file to tell the progress in; a file beside it that ends in `.stop` ends it.
    """
    from poise import door
    from poise.engines.multicontact import PlanOptions

    who = load_robot(robot)
    watch = _teller(Path(progress)) if progress else None
    motion = door.plan(who, scene, PlanOptions(seconds=seconds), watch=watch)
    report = door.examine(motion, who).report
    return Made(motion, Judged.by(report), certificate_words(motion))


def certificate_words(motion: Motion) -> str:
    """What a planned motion is certified to hold, in a sentence."""
    told = motion.recipe["certificate"]
    worst = max(told["bounds"], key=lambda bound: bound["excess"], default=None)
    if worst is None:
        return "Certified." if told["holds"] else "Not certified."
    nearest = f"{worst['family']} of {worst['where']} in phase '{worst['phase']}'"
    if told["holds"]:
        return f"Certified between the instants too; closest to its limit is the {nearest}."
    return f"Not certified: the {nearest} is over its limit."


def _teller(path: Path) -> Callable[[Progress], bool]:
    """Writes the progress down, whole or not at all; true when somebody asks to stop."""

    def tell(now: Progress) -> bool:
        told = {k: getattr(now, k) for k in ("round", "iteration", "cost", "violation", "seconds")}
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps({k: float(v) for k, v in told.items()} | {"round": now.round}))
        fresh.replace(path)
        return path.with_suffix(".stop").exists()

    return tell


def lead(robot: str, leader: str) -> Made:
    """Lead a walking robot by the hand, in physics."""
    from poise import door
    from poise.leading import interacted

    who = load_robot(robot)
    done = interacted(who, leader)
    report = door.examine(done.motion, who, physics=False).report
    words = "It stayed up." if done.figures["ok"] else "It did not go well: see the figures."
    return Made(done.motion, Judged.by(report), words)


def person(trial: str, static: str | None) -> Person:
    """The person of a recording, as the page shows one."""
    from poise.engines.imitate import human
    from poise.io import read_recording

    standing = None if static is None else read_recording(Path(static))
    return Person.of(human(read_recording(Path(trial)), standing))


def imitate(
    robot: str, trial: str, static: str | None, balance_by: str, contacts: Contacts | None = None
) -> tuple[Made, Likeness]:
    """Let a robot walk as a recorded person did; also how like the person it walks.

    Args:
        robot: its folder.
        trial: file of the walk.
        static: file of the same person standing, if any.
        balance_by: "dynamic" or "quasistatic".
        contacts: of the feet, where they are known better than what is found [s].
    """
    from poise import door
    from poise.engines.imitate.options import ImitateOptions

    events = None if contacts is None else _events(trial, contacts)
    options = ImitateOptions(balance=balance_by)
    found = door.imitated(load_robot(robot), trial, static, (), options, events=events)
    words = f"{found.plan.slower:.2f} times slower than the person."
    start, end = (float(found.plan.stretch * t) for t in found.plan.draft.walk.clip)
    made = Made(found.motion, Judged.by(found.judged.report), words)
    panels, sentences = door.compared(found)
    return made, Likeness((start, end), tuple(panels), tuple(sentences))


def likeness_page(likeness: Likeness, title: str, judged: str, stem: str) -> Written:
    """Person and robot side by side, as a page that needs no other file."""
    from poise.viewer.panels import panels_html

    page = panels_html(likeness.panels, title, likeness.sentences, judged)
    return Written(f"{stem}-figures.html", page.encode(), ("person and robot side by side",))


def _events(trial: str, contacts: Contacts) -> FootEvents:
    """The events that are found in a recording, at other times."""
    from poise.engines.imitate.events import Events, foot_events
    from poise.io import read_recording

    found = foot_events(read_recording(Path(trial)))
    left, right = (
        Events(*(np.sort(np.array(contacts[side][kind], dtype=float)) for kind in ("ic", "to")))
        for side in ("left", "right")
    )
    return replace(found, left=left, right=right)
