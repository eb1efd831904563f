"""Facts of a robot as the text of a robot.toml."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

PLAIN = ("name", "title", "aliases", "licence", "height")
TABLES = ("model", "parts", "soles", "sensors", "postures", "couplings", "mirror", "groups")
MORE = ("inertias", "limits", "servos", "shapes", "sources")


def robot_toml(facts: Mapping[str, Any], heading: Sequence[str] = ()) -> str:
    """The text of a robot.toml that reads back as these facts.

    Args:
        facts: in the layout of a robot.toml.
        heading: lines of comment at the top.
    """
    lines = [f"# {line}" for line in heading]
    lines += _lines({key: facts[key] for key in PLAIN if key in facts})
    for name in TABLES + MORE:
        if facts.get(name):
            lines += _block(name, facts[name])
    return "\n".join(lines) + "\n"


def _block(name: str, value: Any) -> list[str]:
    if isinstance(value, list | tuple):  # an array of tables
        return [line for row in value for line in ("", f"[[{name}]]", *_lines(row))]
    if name in ("soles", "postures"):
        return [line for key, row in value.items() for line in _block(f"{name}.{key}", row)]
    return ["", f"[{name}]", *_lines(value)]


def _lines(row: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in row.items()]


def _key(key: str) -> str:
    plain = key.replace("_", "").replace("-", "")
    return key if plain.isascii() and plain.isalnum() else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(str(k))} = {_value(v)}" for k, v in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, np.ndarray):
        return _value(value.tolist())
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(v) for v in value)}]"
    return _number(value)


def _text(text: str) -> str:
    """A basic string: everything that could end it or hide in it is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def _number(value: float) -> str:
    if isinstance(value, int | np.integer):
        return str(int(value))
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} has no place in a robot.toml")
    text = f"{value:.12g}"
    return text if any(mark in text for mark in ".en") else text + ".0"
