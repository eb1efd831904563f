"""poise: the project's own motion file, with names, contacts and the recipe.

Quaternion xyzw, metres, radians, seconds; joints in the order of the file's `joint_names`;
every instant has its own time stamp. See docs on files for the table of keys. Arrays of
float64 come back bit for bit; numbers that are not finite are read, for the judge to find.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poise.files import write_whole
from poise.io.archive import Archive, archive_bytes
from poise.io.contact_text import contact_plan, contact_text, parsed_json
from poise.io.source import Source, bad, read_source
from poise.motion import Motion
from poise.motion.editing import resampled
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V

NAME = "poise"
SUFFIX = ".npz"
QUATERNION = "xyzw"
UNITS = "m, rad, s"
ORDER = "the file's joint_names"
RATE = "time stamps in the file"
SCHEMA = 1
KEYS = ("schema", "robot", "model_hash", "time", "q", "v", "joint_names", "contacts", "recipe")


def read(path: str | Path, robot: Robot | None = None, rate: float | None = None) -> Motion:
    """The motion of a poise file.

    Args:
        path: the .npz file.
        robot: whose motion it must be; any when absent.
        rate: resample to this many instants per second [Hz]; needs the robot.
    """
    motion = motion_of_archive(read_source(path))
    if robot is not None:
        motion = for_robot(motion, robot, path)
        if rate is not None:
            motion = resampled(motion, robot, rate)
    elif rate is not None:
        raise bad(path, "rate", f"{rate:g} Hz without a robot", "a robot, to turn its base by")
    return motion


def motion_of_archive(source: Source) -> Motion:
    """The motion that the bytes of a poise file hold."""
    archive = Archive(source)
    path = source.path
    schema = archive.number("schema")
    if schema > SCHEMA:
        found = f"{schema:g}, made by a newer poise"
        raise bad(path, "schema", found, f"{SCHEMA} (or upgrade poise)")
    if schema != SCHEMA:
        raise bad(path, "schema", f"{schema:g}", f"{SCHEMA}")
    for key in KEYS:
        if key not in archive:
            raise bad(path, key, "missing", f"a motion with {', '.join(KEYS)}")
    names = archive.names("joint_names")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise bad(path, "joint_names", f"listing '{twice}' twice", "each joint once")
    time = archive.numbers("time", ("n",))
    n, na = len(time), len(names)
    recipe = parsed_json(archive.text("recipe"), path, "recipe")
    if not isinstance(recipe, dict):
        raise bad(path, "recipe", f"a {type(recipe).__name__}", "a JSON object")
    return Motion(
        robot=archive.text("robot"),
        model_hash=archive.text("model_hash"),
        time=time,
        q=archive.numbers("q", (n, BASE_Q + na)),
        v=archive.numbers("v", (n, BASE_V + na)),
        joint_names=names,
        tau=archive.numbers("tau", (n, na)) if "tau" in archive else None,
        contacts=contact_plan(archive.text("contacts"), path),
        forces=_group(archive, "forces/", (n, 6)),
        signals=_group(archive, "signals/", (n, "k")),
        recipe=recipe,
    )


def _group(archive: Archive, prefix: str, shape: tuple[int | str, ...]) -> dict[str, np.ndarray]:
    return {
        key.removeprefix(prefix): archive.numbers(key, shape)
        for key in archive.keys
        if key.startswith(prefix)
    }


def for_robot(motion: Motion, robot: Robot, where: str | Path) -> Motion:
    """The motion with its joints in the robot's order, checked to be this robot's."""
    if motion.robot != robot.name and motion.robot not in robot.aliases:
        raise bad(where, "robot", f"'{motion.robot}'", f"a motion of {robot.name}, as was asked")
    if motion.joint_names == robot.joint_names:
        return motion
    if set(motion.joint_names) != set(robot.joint_names):
        odd = sorted(set(motion.joint_names) ^ set(robot.joint_names))
        found = f"for a model with other joints ({', '.join(odd[:4])})"
        raise bad(where, "joint_names", found, f"the {robot.na} joints of {robot.name}")
    return motion.ordered_as(robot.joint_names)


def write(
    motion: Motion, robot: Robot | None, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write a poise file, whole or not at all; the notes say what a reader should know.

    Args:
        motion: what to write.
        robot: whose motion it is; only needed with a rate.
        path: the .npz file.
        rate: resample to this many instants per second [Hz]; as it is when absent.
    """
    if rate is not None:
        if robot is None:
            raise bad(path, "rate", f"{rate:g} Hz without a robot", "a robot, to turn its base by")
        motion = resampled(motion, robot, rate)
    content = archive_bytes(_arrays(motion, path))
    with write_whole(path) as file:
        file.write(content)
    return (f"{NAME}: xyzw, m, rad, {len(motion)} instants with their time stamps",)


def _arrays(motion: Motion, path: str | Path) -> dict[str, np.ndarray]:
    optional = {} if motion.tau is None else {"tau": motion.tau}
    optional |= {f"forces/{part}": f for part, f in motion.forces.items()}
    optional |= {f"signals/{name}": x for name, x in motion.signals.items()}
    numbers = {"time": motion.time, "q": motion.q, "v": motion.v} | optional
    texts = {
        "robot": motion.robot,
        "model_hash": motion.model_hash,
        "contacts": contact_text(motion.contacts, path),
        "recipe": recipe_text(motion.recipe, path),
    }
    return (
        {"schema": np.array(SCHEMA)}
        | {key: np.array(text, dtype=np.str_) for key, text in texts.items()}
        | {"joint_names": np.array(motion.joint_names, dtype=np.str_)}
        | {key: np.asarray(array, dtype=np.float64) for key, array in numbers.items()}
    )


def recipe_text(recipe: Mapping[str, Any], where: str | Path) -> str:
    """A recipe as JSON; arrays become lists, paths become texts."""
    try:
        return json.dumps(dict(recipe), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        found = f"not writable as JSON ({error})"
        raise bad(where, "recipe", found, "numbers, texts, lists and tables") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"a {type(value).__name__}")
