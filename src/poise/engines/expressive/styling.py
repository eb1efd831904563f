"""Styles by name and in files: presets, loading, saving, blending.

A style file is TOML: a table for each group of knobs, with only the knobs that differ from the
normal style, and the joints of a rest pose by name.

    name = "proud"
    about = "Chest out, head up."
    units = "robot"          # numbers in sizes of the robot: the file fits any; or "SI"

    [style]
    chest_pitch = -0.17

    [rest_pose]              # joint = angle [rad]; only for the robot that has these joints
    HeadPitch = -0.1
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from poise.engines.expressive.easing import LOGARITHMIC
from poise.engines.expressive.options import (
    GROUPS,
    KNOBS,
    NUMBERS,
    WORDS,
    Style,
    checked_pose,
    knobs_for,
    sizes_of,
)
from poise.engines.expressive.resting import rest_joints
from poise.errors import BadInput, NotFound
from poise.files import write_whole
from poise.motion.knobs import at_line, checked, listed_names, read_toml
from poise.robot import Robot

FOLDER = Path(__file__).parent / "styles"
KEYS = ("name", "about", "units", *GROUPS, "rest_pose")


def preset_names() -> tuple[str, ...]:
    """The styles that come with poise, the normal one first."""
    names = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return tuple(sorted(names, key=lambda name: name != "normal"))


@lru_cache(maxsize=32)
def preset(name: str) -> Style:
    """A style that comes with poise, by name."""
    if name not in preset_names():
        raise NotFound("style", name, preset_names())
    return load_style(FOLDER / f"{name}.toml")


def find_style(spec: str | Path | Style | Mapping[str, Any], robot: Robot | None = None) -> Style:
    """A style from a preset's name, a file, a Style, or knobs of the normal style in SI units."""
    if isinstance(spec, Style):
        return spec
    if isinstance(spec, Mapping):
        if robot is None:
            raise BadInput("style", "the robot", "missing", "a robot, to count in its sizes")
        return Style().set_on(robot, spec)
    if isinstance(spec, str) and not spec.endswith(".toml") and os.sep not in spec:
        return preset(spec)
    return load_style(spec, robot)


def load_style(path: str | Path, robot: Robot | None = None) -> Style:
    """Read a style file.

    Args:
        path: of the file.
        robot: needed for files in SI units, whose numbers fit robots of one size.

    Raises:
        BadInput: naming file, line, key, value and what is accepted.
    """
    table, text = read_toml(path)
    for key in table:
        if key not in KEYS:
            spot = f"{path}{at_line(text, key)}"
            raise BadInput(spot, "a key", f"'{key}'", listed_names(key, KEYS))
    units = table.get("units", "robot")
    if units not in ("robot", "SI"):
        spot = f"{path}{at_line(text, 'units')}"
        raise BadInput(spot, "units", f"{units!r}", '"robot" or "SI"')
    if units == "SI" and robot is None:
        raise BadInput(path, "units", '"SI" without a robot', "a robot, to count in its sizes")
    name = table.get("name", Path(path).stem)
    if not isinstance(name, str):
        raise BadInput(f"{path}{at_line(text, 'name')}", "name", f"{name!r}", "a text")
    changes: dict[str, Any] = {}
    for group in GROUPS:
        changes |= _group(path, text, table.get(group, {}), group, robot if units == "SI" else None)
    pose = table.get("rest_pose", {})
    if not isinstance(pose, Mapping):
        spot = f"{path}{at_line(text, 'rest_pose')}"
        raise BadInput(spot, "rest_pose", f"{pose!r}", "a table of joint = angle [rad]")
    if robot is not None:
        for joint, angle in pose.items():
            spot = f"{path}{at_line(text, joint, 'rest_pose')}"
            if joint not in robot.joint_names:
                accepted = listed_names(joint, robot.joint_names)
                raise BadInput(spot, "a joint of [rest_pose]", f"'{joint}'", accepted)
            checked_pose(robot, {joint: angle}, spot)
    return Style(**changes, rest_pose=dict(pose), name=name)


def _group(
    path: str | Path, text: str, entries: Any, group: str, robot: Robot | None
) -> dict[str, Any]:
    """The knobs of one table of a file, in units of the robot."""
    if not isinstance(entries, Mapping):
        raise BadInput(f"{path}{at_line(text, group)}", group, f"{entries!r}", "a table")
    names = [name for name, one in KNOBS.items() if one.group == group]
    shown = KNOBS if robot is None else knobs_for(robot)
    sizes = {} if robot is None else sizes_of(robot)
    changes: dict[str, Any] = {}
    for name, value in entries.items():
        spot = f"{path}{at_line(text, name, group)}"
        if name not in names:
            raise BadInput(spot, f"a key of [{group}]", f"'{name}'", listed_names(name, names))
        good = checked(spot, shown[name], value)
        size = sizes.get(KNOBS[name].scale)
        changes[name] = good if size is None else good / size
    return changes


def save_style(
    style: Style,
    path: str | Path,
    robot: Robot | None = None,
    about: str = "",
    units: str = "robot",
) -> None:
    """Write a style as a file, whole or not at all.

    Args:
        style: what to write; knobs at their normal value are left out.
        path: of the file.
        robot: whose SI values are told beside the numbers.
        about: one line for people.
        units: "robot", which fits any robot, or "SI", which needs a robot.
    """
    if units not in ("robot", "SI") or (units == "SI" and robot is None):
        raise BadInput("save_style", "units", f"{units!r}", '"robot", or "SI" with a robot')
    with write_whole(path) as file:
        file.write(style_text(style, robot, about, units).encode())


def style_text(
    style: Style, robot: Robot | None = None, about: str = "", units: str = "robot"
) -> str:
    """A style as the text of its file."""
    lines = [f"name = {_quoted(style.name)}"]
    if about:
        lines.append(f"about = {_quoted(about)}")
    lines.append(f'units = "{units}"')
    normal = Style()
    for group in GROUPS:
        rows = []
        for name, one in KNOBS.items():
            value = getattr(style, name)
            if one.group != group or value == getattr(normal, name):
                continue
            if one.choices:
                rows.append(f"{name} = {_quoted(value)}")
                continue
            shown = value if robot is None else style.value_on(robot, name)
            written = shown if units == "SI" else value
            scaled = one.scale and robot is not None and units == "robot"
            note = f"  # {shown:.4g} {one.unit} on {robot.name}" if scaled and robot else ""
            rows.append(f"{name} = {float(written)!r}{note}")
        if rows:
            lines += ["", f"[{group}]", *rows]
    if style.rest_pose:
        lines += ["", "[rest_pose]"]
        lines += [
            f"{_quoted(joint)} = {float(angle)!r}" for joint, angle in style.rest_pose.items()
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def blend(a: Style, b: Style, s: float, robot: Robot | None = None) -> Style:
    """A style between two: a at s = 0, b at s = 1; weights by their logarithm.

    Args:
        a: one style.
        b: another.
        s: share of b, 0 to 1.
        robot: needed when the styles name different joints in their rest poses.
    """
    if not 0.0 <= s <= 1.0:
        raise BadInput("blend", "s", f"{s}", "0 to 1")
    if s == 0.0 or s == 1.0:
        return b if s else a
    changes: dict[str, Any] = {}
    for name in NUMBERS:
        x, y = getattr(a, name), getattr(b, name)
        changes[name] = x ** (1.0 - s) * y**s if name in LOGARITHMIC else (1.0 - s) * x + s * y
    for name in WORDS:
        changes[name] = getattr(a if s < 0.5 else b, name)
    changes["rest_pose"] = _between_poses(a, b, s, robot)
    return replace(a, **changes, name=f"{a.name} + {b.name}")


def _between_poses(a: Style, b: Style, s: float, robot: Robot | None) -> dict[str, float]:
    joints = {**a.rest_pose, **b.rest_pose}
    if not joints:
        return {}
    if set(a.rest_pose) == set(b.rest_pose):
        return {j: (1.0 - s) * a.rest_pose[j] + s * b.rest_pose[j] for j in joints}
    if robot is None:
        raise BadInput(
            "blend", "the robot", "missing", "a robot, to know joints a style leaves out"
        )
    x, y = rest_joints(robot, a), rest_joints(robot, b)
    return {j: float((1.0 - s) * x[k] + s * y[k]) for j in joints for k in [robot.index(j)]}
