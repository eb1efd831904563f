"""Grids of walks: robots, styles, steps and knobs as lists or ranges; every combination is a walk.

robots = ["nao", "hrp2"]
styles = ["normal", "proud", "my_style.toml"]   # files are looked up beside the grid
steps = 6                                       # or a list

[knobs]                                         # in SI units, as `poise walk --set` takes them
turn = [0.0, 0.1]
sway = { from = 0.9, to = 1.1, count = 3 }

[relative]                                      # in sizes of the robot, as a style's file has them
step_length = [0.3, 0.45]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.expressive import Style, find_style
from poise.engines.expressive.engine import MOST_STEPS
from poise.engines.expressive.options import KNOBS
from poise.errors import BadInput, NotFound, PoiseError
from poise.fleet.jobs import WalkJob, robots_of, safe_name
from poise.motion.knobs import at_line, checked, listed_names, read_toml
from poise.robot import Robot
from poise.robot.loading import name_to_load

KEYS = ("robots", "styles", "steps", "knobs", "relative")
RANGE = ("from", "to", "count")
MOST_JOBS = 10_000_000
MOST_COUNT = 100_000


@dataclass(frozen=True)
class _File:
    """A grid's file, for sentences that name the line."""

    path: Path
    text: str

    def spot(self, key: str, table: str = "") -> str:
        return f"{self.path}{at_line(self.text, key, table)}"


@dataclass(frozen=True)
class _Axis:
    """One thing that varies: a knob, in SI units or relative to the robot."""

    name: str
    values: tuple[Any, ...]
    relative: bool

    @property
    def column(self) -> str:
        """Its name in tables and files."""
        return f"{self.name}_rel" if self.relative else self.name


def walk_jobs(
    path: str | Path, robots: Sequence[str] | None = None, physics: bool = True
) -> list[WalkJob]:
    """A job for every combination in a grid's file.

    Args:
        path: of the TOML file.
        robots: instead of those in the file.
        physics: judge each with a replay in the simulator.

    Raises:
        BadInput: naming file, line, key, value and what is accepted.
        NotFound: for a robot, a style or a knob that nobody knows.
    """
    table, text = read_toml(path)
    file = _File(Path(path), text)
    for key in table:
        if key not in KEYS:
            raise BadInput(file.spot(key), "a key", f"'{key}'", listed_names(key, KEYS))
    names = list(robots) if robots else _words(file, table, "robots", ["nao"])
    styles = _words(file, table, "styles", ["normal"])
    steps = _steps(file, table)
    axes = [*_axes(file, table, "knobs"), *_axes(file, table, "relative")]
    _each_once(file, axes)
    count = len(names) * len(styles) * len(steps) * math.prod(len(axis.values) for axis in axes)
    if count > MOST_JOBS:
        raise BadInput(path, "the number of walks", f"{count}", f"at most {MOST_JOBS}")
    who = robots_of(names)
    return [
        _job(robot, style, step_count, axes, point, file, physics, len(steps) > 1)
        for robot in who
        for style in [_style(file, name, robot) for name in styles]
        for step_count in steps
        for point in itertools.product(*(axis.values for axis in axes))
    ]


def _job(
    robot: Robot,
    style: Style,
    steps: int,
    axes: Sequence[_Axis],
    point: Sequence[Any],
    file: _File,
    physics: bool,
    many_steps: bool,
) -> WalkJob:
    """The walk at one point of the grid."""
    knobs = {axis.column: value for axis, value in zip(axes, point, strict=True)}
    wanted = style
    for axis, value in zip(axes, point, strict=True):
        spot = file.spot(axis.name, "relative" if axis.relative else "knobs")
        if axis.relative:
            wanted = wanted.changed(**{axis.name: checked(spot, KNOBS[axis.name], value)})
        else:
            wanted = wanted.set_on(robot, {axis.name: value}, f"{spot}, {robot.name}")
    varied = [f"steps={steps}"] if many_steps else []
    varied += [
        f"{axis.column}={_short(value)}"
        for axis, value in zip(axes, point, strict=True)
        if len(axis.values) > 1
    ]
    return WalkJob(
        key="/".join((safe_name(robot.name), safe_name(",".join([style.name, *varied])))),
        robot=robot.name,
        model=name_to_load(robot),
        model_hash=robot.model_hash,
        physics=physics,
        style=wanted,
        steps=steps,
        knobs=knobs,
    )


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _style(file: _File, name: str, robot: Robot) -> Style:
    """A style by its name, or by its file beside the grid."""
    spec: str | Path = file.path.parent / name if name.endswith(".toml") else name
    try:
        return find_style(spec, robot)
    except NotFound as error:
        raise PoiseError(f"{file.spot('styles')}: {error}") from None


def _words(file: _File, table: Mapping[str, Any], key: str, usual: list[str]) -> list[str]:
    """A list of words, or one word."""
    value = table.get(key, usual)
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        example = f'a list of names, e.g. {key} = ["{usual[0]}"]'
        raise BadInput(file.spot(key), key, f"{value!r}", example)
    return list(dict.fromkeys(value))


def _steps(file: _File, table: Mapping[str, Any]) -> list[int]:
    value = table.get("steps", 20)
    value = value if isinstance(value, list) else [value]
    good = all(
        isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= MOST_STEPS for v in value
    )
    if not value or not good:
        accepted = f"a whole number from 1 to {MOST_STEPS}, or a list of such"
        raise BadInput(file.spot("steps"), "steps", f"{table['steps']!r}", accepted)
    return list(dict.fromkeys(value))


def _axes(file: _File, table: Mapping[str, Any], group: str) -> list[_Axis]:
    entries = table.get(group, {})
    if not isinstance(entries, Mapping):
        raise BadInput(file.spot(group), group, f"{entries!r}", f"a table [{group}] of knobs")
    for name in entries:
        if name not in KNOBS:
            accepted = listed_names(name, list(KNOBS))
            raise BadInput(file.spot(name, group), f"a key of [{group}]", f"'{name}'", accepted)
    relative = group == "relative"
    return [_Axis(n, _values(file, n, v, group), relative) for n, v in entries.items()]


def _values(file: _File, name: str, value: Any, group: str) -> tuple[Any, ...]:
    """The values of a knob: a list, one value, or a range with both of its ends."""
    spot = file.spot(name, group)
    accepted = "a value, a list, or { from = 0.9, to = 1.1, count = 3 }"
    if isinstance(value, Mapping):
        if set(value) != set(RANGE):
            raise BadInput(spot, name, f"{dict(value)!r}", accepted)
        low, high, count = (value[key] for key in RANGE)
        ends = all(isinstance(v, int | float) and math.isfinite(v) for v in (low, high))
        whole = isinstance(count, int) and not isinstance(count, bool)
        if not ends or not whole or not 2 <= count <= MOST_COUNT:
            raise BadInput(spot, name, f"{dict(value)!r}", f"{accepted}, count from 2 on")
        return tuple(float(v) for v in np.linspace(low, high, count))
    values = value if isinstance(value, list) else [value]
    good = all(isinstance(v, int | float | str) and not isinstance(v, bool) for v in values)
    if not values or not good:
        raise BadInput(spot, name, f"{value!r}", accepted)
    return tuple(dict.fromkeys(values))


def _each_once(file: _File, axes: Sequence[_Axis]) -> None:
    seen: set[str] = set()
    for axis in axes:
        if axis.name in seen:
            spot = file.spot(axis.name, "relative")
            raise BadInput(spot, axis.name, "set twice", "[knobs] or [relative], not both")
        seen.add(axis.name)
