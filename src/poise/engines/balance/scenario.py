"""Scenarios: what a robot does while it keeps its balance, as TOML.

Every entry has a start in seconds and stands beside the others: squats, lifted feet, steps in
place, hands that reach, a gaze, an upright chest, pushes. The knobs of the controller may be set
in a table of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from poise.engines.balance.options import CONTROLLER, BalanceOptions
from poise.errors import BadInput, NotFound
from poise.motion.knobs import (
    at_line,
    checked,
    choice,
    from_table,
    knob,
    knobs_of,
    listed_names,
    read_toml,
)

ENTRY = "entry"
LONGEST = 4000.0  # [s]


@dataclass(frozen=True)
class Squat:
    """The centre of mass goes down and up like a cosine."""

    start: float = knob(1.0, 0.0, LONGEST, "s", "when it begins", ENTRY)
    depth: float = knob(0.0, 0.0, 0.5, "m", "how deep; 0 takes the relative depth", ENTRY)
    relative_depth: float = knob(0.07, 0.0, 0.5, "", "of the height of the CoM", ENTRY)
    period: float = knob(4.0, 0.3, 60.0, "s", "of one squat", ENTRY)
    cycles: float = knob(10.0, 1.0, 1000.0, "", "how many", ENTRY)


@dataclass(frozen=True)
class Lift:
    """One foot is lifted and held, then put down."""

    foot: str = choice("right", ("left", "right"), "which foot", ENTRY)
    start: float = knob(1.0, 0.0, LONGEST, "s", "when the weight begins to shift", ENTRY)
    shift: float = knob(1.5, 0.1, 20.0, "s", "how long the weight takes to shift", ENTRY)
    duration: float = knob(3.0, 0.2, 600.0, "s", "how long the weight is on one foot", ENTRY)
    height: float = knob(0.0, 0.0, 0.3, "m", "how high; 0 takes the relative height", ENTRY)
    relative_height: float = knob(0.07, 0.005, 0.3, "", "of the height of the CoM", ENTRY)


@dataclass(frozen=True)
class Steps:
    """Steps in place, one foot after the other."""

    first: str = choice("right", ("left", "right"), "which foot is lifted first", ENTRY)
    start: float = knob(1.0, 0.0, LONGEST, "s", "when the weight begins to shift", ENTRY)
    count: float = knob(20.0, 1.0, 1000.0, "", "how many", ENTRY)
    single: float = knob(0.8, 0.2, 20.0, "s", "how long one foot is off the ground", ENTRY)
    double: float = knob(0.6, 0.05, 20.0, "s", "how long both feet stand", ENTRY)
    height: float = knob(0.0, 0.0, 0.3, "m", "how high; 0 takes the relative height", ENTRY)
    relative_height: float = knob(0.05, 0.005, 0.3, "", "of the height of the CoM", ENTRY)

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", round(self.count))


@dataclass(frozen=True)
class Reach:
    """A part of the body moves to a point and stays there; below balance, above comfort."""

    part: str = "left_hand"
    by: tuple[float, float, float] = (0.05, 0.0, 0.05)  # [m], from where it is at the start
    start: float = knob(1.0, 0.0, LONGEST, "s", "when it begins", ENTRY)
    duration: float = knob(1.0, 0.05, 600.0, "s", "how long it takes", ENTRY)
    swing: float = knob(0.0, 0.0, 60.0, "s", "period of going there and back; 0 stays", ENTRY)


@dataclass(frozen=True)
class Look:
    """The head looks at a direction; below balance, above comfort."""

    direction: tuple[float, float, float] = (1.0, 0.0, 0.0)  # in the axes of the floor
    start: float = knob(0.0, 0.0, LONGEST, "s", "when it begins", ENTRY)


@dataclass(frozen=True)
class Upright:
    """A part keeps the orientation it has at the start; below balance, above comfort."""

    part: str = "chest"
    start: float = knob(0.0, 0.0, LONGEST, "s", "when it begins", ENTRY)


@dataclass(frozen=True)
class Shove:
    """Someone pushes."""

    force: float = knob(0.0, 0.0, 5000.0, "N", "how hard; 0 takes the relative force", ENTRY)
    relative_force: float = knob(0.09, 0.0, 3.0, "", "of the robot's weight", ENTRY)
    direction: float = knob(0.0, -360.0, 360.0, "deg", "0 pushes it forward, 90 to its left", ENTRY)
    start: float = knob(1.0, 0.0, LONGEST, "s", "when it begins", ENTRY)
    duration: float = knob(0.5, 0.001, 600.0, "s", "how long", ENTRY)
    shape: str = choice("square", ("square", "sine"), "constant, or a half sine", ENTRY)
    at: str = choice("com", ("com", "chest"), "at the height of the CoM, or the chest", ENTRY)

    def newtons(self, weight: float) -> float:
        """How hard, for a robot of a weight [N]."""
        return self.force if self.force > 0.0 else self.relative_force * weight


@dataclass(frozen=True)
class Scenario:
    """What happens, in which order, to a robot that balances."""

    name: str = "stand"
    duration: float = knob(4.0, 0.1, LONGEST, "s", "how long it lasts", "scenario")
    knee_bend: float = knob(
        0.0, 0.0, 90.0, "deg", "knees at the start; 0 stands in half-sitting", "scenario"
    )
    squats: tuple[Squat, ...] = ()
    lifts: tuple[Lift | Steps, ...] = ()
    levels: tuple[Reach | Look | Upright, ...] = ()  # between balance and comfort, in order
    pushes: tuple[Shove, ...] = ()
    options: BalanceOptions = field(default_factory=BalanceOptions)

    def __post_init__(self) -> None:
        for name in ("duration", "knee_bend"):
            checked("balance", knobs_of(self)[name], getattr(self, name))


_ENTRIES: dict[str, tuple[type, str]] = {
    "squat": (Squat, "squats"),
    "lift": (Lift, "lifts"),
    "steps": (Steps, "lifts"),
    "reach": (Reach, "levels"),
    "look": (Look, "levels"),
    "upright": (Upright, "levels"),
    "push": (Shove, "pushes"),
}


def scenario_names() -> tuple[str, ...]:
    """The scenarios that come with poise."""
    folder = files("poise.engines.balance") / "scenarios"
    return tuple(sorted(p.name[:-5] for p in folder.iterdir() if p.name.endswith(".toml")))


def find_scenario(wish: Scenario | str | Path) -> Scenario:
    """A scenario by its name or by the path of its TOML."""
    if isinstance(wish, Scenario):
        return wish
    if str(wish) in scenario_names():
        folder = files("poise.engines.balance") / "scenarios"
        return read_scenario(Path(str(folder / f"{wish}.toml")))
    path = Path(wish)
    if path.suffix == ".toml" or path.exists():
        return read_scenario(path)
    raise NotFound("scenario", str(wish), scenario_names())


def read_scenario(path: Path) -> Scenario:
    """A scenario from a TOML file; an unknown key or a value out of range names its line."""
    table, text = read_toml(path)
    return scenario_of(table, path, text)


def scenario_of(table: Mapping[str, Any], where: str | Path, text: str = "") -> Scenario:
    """A scenario from a table."""
    start = Scenario()
    known = knobs_of(start)
    changes: dict[str, Any] = {"name": str(table.get("name", Path(where).stem))}
    found: dict[str, list[Any]] = {}
    for key, value in table.items():
        spot = f"{where}{at_line(text, key)}"
        if key == "name":
            continue
        if key in known:
            changes[key] = checked(spot, known[key], value)
        elif key == CONTROLLER:
            changes["options"] = from_table(start.options, {CONTROLLER: value}, where, text)
        elif key in _ENTRIES:
            kind, home = _ENTRIES[key]
            entries = value if isinstance(value, list) else [value]
            found.setdefault(home, []).extend(
                _entry(kind, key, one, where, text) for one in entries
            )
        else:
            names = ["name", *known, CONTROLLER, *_ENTRIES]
            raise BadInput(spot, "a key", f"'{key}'", listed_names(key, names))
    changes |= {home: tuple(entries) for home, entries in found.items()}
    return dataclasses.replace(start, **changes)


def _entry(kind: type, key: str, table: Any, where: str | Path, text: str) -> Any:
    if not isinstance(table, Mapping):
        raise BadInput(f"{where}{at_line(text, key)}", key, f"{table!r}", f"[[{key}]] tables")
    one = kind()
    known = knobs_of(one)
    names = [item.name for item in dataclasses.fields(one)]
    changes: dict[str, Any] = {}
    for name, value in table.items():
        spot = f"{where}{_line_of(text, key, name)}"
        if name not in names:
            raise BadInput(spot, f"a key of [[{key}]]", f"'{name}'", listed_names(name, names))
        if name in known:
            changes[name] = checked(spot, known[name], value)
        elif isinstance(getattr(one, name), str):
            changes[name] = str(value)
        else:
            changes[name] = _three(spot, name, value)
    return dataclasses.replace(one, **changes)


def _three(where: str, name: str, value: Any) -> tuple[float, ...]:
    good = (
        isinstance(value, list)
        and len(value) == 3
        and all(isinstance(x, int | float) and not isinstance(x, bool) for x in value)
    )
    if not good:
        raise BadInput(where, name, f"{value!r}", "three numbers [x, y, z]")
    return tuple(float(x) for x in value)


def _line_of(text: str, table: str, key: str) -> str:
    """Where a key of an array of tables stands, as ", line 3"; nothing when it is not found."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare.startswith("["):
            inside = bare.strip("[] ") == table
        elif inside and bare.split("=")[0].strip() == key:
            return f", line {number}"
    return ""
