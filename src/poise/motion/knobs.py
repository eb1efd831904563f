"""Knobs: the settings of an engine, declared once and used by page, command, files and docs.

A knob is a field of a frozen dataclass with its range, unit, meaning and group attached. Numbers
that depend on how big a robot is are declared in a unit of the robot (its `scale`), and shown in
SI units once the robot is known.
"""

from __future__ import annotations

import dataclasses
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from poise.errors import BadInput, nearest

_KEY = "knob"
T = TypeVar("T")


@dataclass(frozen=True)
class Knob:
    """One setting: what it does, what it may be, and in which unit."""

    name: str
    default: Any
    low: float
    high: float
    unit: str
    doc: str
    group: str
    scale: str = ""  # the size of the robot that the numbers are counted in; "" for none
    choices: tuple[str, ...] = ()  # of a knob that is a word, not a number
    rate: float = 1.0  # [1/s], how fast it may move while the robot does, in ranges

    def times(self, size: float) -> Knob:
        """The same knob with its numbers in SI units, for a robot of some size."""
        return dataclasses.replace(
            self,
            default=self.default * size,
            low=self.low * size,
            high=self.high * size,
            scale="",
        )

    @property
    def accepted(self) -> str:
        """What is accepted, as a sentence part."""
        if self.choices:
            return " or ".join(f'"{word}"' for word in self.choices)
        unit = f" {self.unit}" if self.unit else ""
        if self.scale:
            unit = f" (times the {self.scale} of the robot)"
        return f"{self.low:g} to {self.high:g}{unit}"


def knob(
    default: float,
    low: float,
    high: float,
    unit: str,
    doc: str,
    group: str,
    *,
    scale: str = "",
    rate: float = 1.0,
) -> Any:
    """A dataclass field that is a number with a range.

    Args:
        default: its value unless told otherwise.
        low: least value accepted.
        high: greatest value accepted.
        unit: of the value in SI; "" for a pure number.
        doc: one line that says what it does.
        group: the group of sliders it belongs to.
        scale: name of the robot's size that default, low and high are multiples of.
        rate: how much of its range it may cross in a second while the robot moves.
    """
    one = Knob("", default, low, high, unit, doc, group, scale, rate=rate)
    return field(default=default, metadata={_KEY: one})


def choice(default: str, choices: Sequence[str], doc: str, group: str) -> Any:
    """A dataclass field that is one of a few words."""
    one = Knob("", default, math.nan, math.nan, "", doc, group, choices=tuple(choices))
    return field(default=default, metadata={_KEY: one})


def knobs_of(options: Any) -> dict[str, Knob]:
    """The knobs of a dataclass or of an instance of it, by name, in order."""
    return {
        item.name: dataclasses.replace(item.metadata[_KEY], name=item.name)
        for item in dataclasses.fields(options)
        if _KEY in item.metadata
    }


def checked(where: str | Path, one: Knob, value: Any) -> Any:
    """A value that the knob accepts, or BadInput with a sentence that teaches.

    Args:
        where: file and line, or the call, that the value comes from.
        one: the knob.
        value: what was given.
    """
    if one.choices:
        if value not in one.choices:
            hint = nearest(value, one.choices) if isinstance(value, str) else ""
            raise BadInput(where, one.name, f"{value!r}", one.accepted + hint.rstrip("?"))
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(where, one.name, f"{value!r}", one.accepted)
    span = max(one.high - one.low, 1e-12)
    if not one.low - 1e-9 * span <= value <= one.high + 1e-9 * span:
        raise BadInput(where, one.name, f"{value:g}", one.accepted)
    return float(min(max(value, one.low), one.high))


def check_all(where: str | Path, options: Any) -> None:
    """Check every knob of an instance."""
    for name, one in knobs_of(options).items():
        checked(where, one, getattr(options, name))


def to_table(options: Any) -> dict[str, dict[str, Any]]:
    """The knobs of an instance as group -> name -> value, as a TOML file has them."""
    table: dict[str, dict[str, Any]] = {}
    for name, one in knobs_of(options).items():
        table.setdefault(one.group, {})[name] = getattr(options, name)
    return table


def from_table(start: T, table: Mapping[str, Any], where: str | Path, text: str = "") -> T:
    """An instance with the knobs changed that a table of groups names.

    Args:
        start: what is not named stays as it is here; a dataclass instance.
        table: group -> name -> value.
        where: the file, for messages.
        text: what the table was read from; its lines are then named in messages.

    Raises:
        BadInput: for a group or a knob that nobody knows, or a value out of range.
    """
    known = knobs_of(start)
    groups = list(dict.fromkeys(one.group for one in known.values()))
    changes: dict[str, Any] = {}
    for group, entries in table.items():
        if group not in groups:
            spot = f"{where}{at_line(text, group)}"
            raise BadInput(spot, "a table", f"'{group}'", listed_names(group, groups))
        if not isinstance(entries, Mapping):
            raise BadInput(f"{where}{at_line(text, group)}", group, f"{entries!r}", "a table")
        names = [name for name, one in known.items() if one.group == group]
        for name, value in entries.items():
            spot = f"{where}{at_line(text, name, group)}"
            if name not in names:
                raise BadInput(spot, f"a key of [{group}]", f"'{name}'", listed_names(name, names))
            changes[name] = checked(spot, known[name], value)
    return dataclasses.replace(start, **changes)  # type: ignore[type-var]


def listed_names(name: str, known: Sequence[str]) -> str:
    """What is accepted instead of a name that nobody knows."""
    hint = nearest(name, known)
    return ", ".join(known) + (";" + hint.rstrip("?") if hint else "")


def at_line(text: str, key: str, table: str = "") -> str:
    """Where a key stands in a TOML text, as ", line 3"; nothing when it is not found."""
    inside = table == ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        if header:
            if not table and header[1].strip() == key:
                return f", line {number}"
            inside = header[1].strip() == table if table else False
        elif inside and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*(=|\.)", line):
            return f", line {number}"
    return ""


def read_toml(path: str | Path) -> tuple[dict[str, Any], str]:
    """A TOML file as a table, and its text; BadInput where it cannot be read."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput(path, "the file", "missing", "a TOML file") from None
    except OSError as problem:
        found = f"not readable ({problem.strerror or problem})"
        raise BadInput(path, "the file", found, "a TOML file") from None
    except UnicodeDecodeError:
        raise BadInput(path, "the file", "not text", "a TOML file in UTF-8") from None
    try:
        return tomllib.loads(text), text
    except RecursionError:
        raise BadInput(path, "the text", "nested too deeply", "a TOML file") from None
    except ValueError as problem:  # not TOML, or a number that no machine holds
        raise BadInput(path, "the text", f"not TOML: {problem}", "a TOML file") from None
