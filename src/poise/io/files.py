"""The front door of files: read a motion whatever its dialect, write one in any."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from poise.errors import NotFound
from poise.io import npz
from poise.io.contents import content_of
from poise.io.detective import Verdict, investigate
from poise.io.dialects.dialect import Dialect
from poise.io.infer import likeliest_robot
from poise.io.registry import DIALECTS, dialect_for_writing, dialect_named
from poise.io.rows import motion_of_rows
from poise.io.source import Source, bad, read_source
from poise.motion import Motion
from poise.motion.editing import resampled
from poise.robot import Robot, load_robot

SomeRobot = Robot | str | Path


def load(
    path: str | Path,
    robot: SomeRobot | None = None,
    dialect: str | None = None,
    rate: float | None = None,
) -> Motion:
    """The motion of a file, whatever its dialect; see `read_motion` for how it was understood.

    Args:
        path: the file.
        robot: whose motion it is; poise's own files tell it themselves.
        dialect: e.g. "unitree-csv"; found out when absent.
        rate: rows per second [Hz], for files that do not tell.
    """
    return read_motion(path, robot, dialect, rate)[0]


def save(
    motion: Motion,
    path: str | Path,
    dialect: str | None = None,
    robot: SomeRobot | None = None,
    rate: float | None = None,
) -> tuple[str, ...]:
    """Write a motion, whole or not at all; the answer says in which dialect and what is lost.

    Args:
        motion: what to write.
        path: the file; its suffix decides the dialect unless one is named.
        dialect: e.g. "kimodo-csv".
        robot: whose motion it is, where it cannot be found by the motion's own name.
        rate: resample to this many instants per second [Hz]; as it is when absent.
    """
    return write_motion(motion, robot, path, dialect, rate)


def write_motion(
    motion: Motion,
    robot: SomeRobot | None,
    path: str | Path,
    dialect: str | None = None,
    rate: float | None = None,
) -> tuple[str, ...]:
    """Write a motion in the dialect that is named or that the suffix means.

    Args:
        motion: to write.
        robot: who moves; found by the motion's name when absent.
        path: of the file.
        dialect: its name; by the suffix when absent.
        rate: frames a second in the file [Hz]; that of the motion, or of the dialect, when absent.
    """
    found = dialect_for_writing(path, dialect)
    assert found.write is not None
    if found.name == npz.NAME and rate is None and robot is None:
        return found.write(motion, None, path)
    return found.write(motion, robot_of(motion.robot if robot is None else robot), path, rate)


def read_motion(
    path: str | Path,
    robot: SomeRobot | None = None,
    dialect: str | None = None,
    rate: float | None = None,
) -> tuple[Motion, Verdict]:
    """The motion of a file, and how the file was understood.

    Args:
        path: the file.
        robot: whose motion it is; when absent the file's own word counts, then what fits.
        dialect: taken at its word when given; found out when absent.
        rate: rows per second [Hz], for files that do not tell; poise's own are resampled.
    """
    source = read_source(path)
    said = None if dialect is None else dialect_named(dialect)
    if said is not None and said.read is None:
        read = ", ".join(d.name for d in DIALECTS.values() if d.read is not None)
        raise bad(path, "the dialect", f"{said.name}, which is only written", read)
    content = content_of(source) if said is None else None
    name = said.name if content is None else content.dialects[0]  # type: ignore[union-attr]
    if name == npz.NAME:
        return _own(source, robot, rate)
    doubts: tuple[str, ...] = ()
    chance = 1.0
    if robot is None:
        guess = said or (DIALECTS[name] if content and len(content.dialects) == 1 else None)
        found_robot, chance, why = likeliest_robot(source, guess)
        doubts = (why,)
    else:
        found_robot = robot_of(robot)
    motion, verdict = _foreign(source, found_robot, said, rate)
    verdict = replace(
        verdict, certainty=verdict.certainty * chance, reasons=doubts + verdict.reasons
    )
    return motion, verdict


def _own(source: Source, robot: SomeRobot | None, rate: float | None) -> tuple[Motion, Verdict]:
    """A poise file, which says everything itself."""
    motion = npz.motion_of_archive(source)
    reasons = [f"an archive of poise, of the robot {motion.robot}"]
    found: Robot | None = None
    if robot is not None:
        found = robot_of(robot)
    else:
        try:
            found = load_robot(motion.robot)
        except NotFound:
            reasons.append(f"no robot called {motion.robot} is known here")
    if found is not None:
        motion = npz.for_robot(motion, found, source.path)
        if motion.model_hash != found.model_hash:
            reasons.append(f"made with another version of the model of {found.name}")
    if rate is not None:
        if found is None:
            raise bad(source.path, "rate", f"{rate:g} Hz without a robot", "a known robot")
        motion = resampled(motion, found, rate)
    return motion, Verdict(npz.NAME, 1.0, tuple(reasons))


def _foreign(
    source: Source, robot: Robot, said: Dialect | None, rate: float | None
) -> tuple[Motion, Verdict]:
    """A file of another tool: looked at, then read as it was understood."""
    finding = investigate(source, robot, said)
    verdict = finding.verdict
    found = DIALECTS[verdict.dialect]
    if finding.rows is not None and verdict.layout is not None:
        layout = verdict.layout
        motion = motion_of_rows(finding.rows, robot, layout, found.name, rate, found.usual_rate)
    else:
        assert found.read is not None
        motion = found.read(source.path, robot, rate)
    recipe = {**motion.recipe, "certainty": round(verdict.certainty, 6)}
    return replace(motion, recipe=recipe), verdict


def robot_of(robot: SomeRobot) -> Robot:
    """A robot itself, or by its name or path."""
    return robot if isinstance(robot, Robot) else load_robot(robot)
