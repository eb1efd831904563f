"""Scene files: what stands around, who touches what when, and what is to be reached.

TOML with a schema; what cannot be understood is answered in one sentence that names the file, the
line where it stands, what was found and what is accepted.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.multicontact.stage import FLOATING
from poise.errors import BadInput, NotFound, listed, nearest

FOLDER = Path(__file__).parent / "scenes"
_SOLID_SIZES = {"box": 3, "sphere": 1, "cylinder": 2}
_FIELDS: dict[str, dict[str, str]] = {
    "": {
        "title": "text",
        "solid": "tables",
        "contact": "tables",
        "phase": "tables",
        "task": "tables",
        "limits": "table",
        "cost": "table",
        "start": "table",
        "end": "text",
    },
    "solid": {
        "name": "text",
        "kind": "text",
        "size": "numbers",
        "position": "vector",
        "rpy": "vector",
        "friction": "number",
        "colour": "vector",
    },
    "contact": {
        "name": "text",
        "part": "text",
        "position": "vector",
        "shift": "vector",
        "rpy": "vector",
        "tilt": "vector",
        "free": "texts",
        "reach": "table",
        "points": "points",
        "friction": "number",
        "turns": "flag",
        "least_force": "number",
        "most_weight": "number",
        "on": "text",
    },
    "phase": {
        "name": "text",
        "contacts": "texts",
        "duration": "number",
        "shortest": "number",
        "longest": "number",
        "spans": "whole",
    },
    "task": {
        "name": "text",
        "part": "text",
        "point": "point",
        "phase": "text",
        "share": "number",
        "position": "vector",
        "within": "vector",
        "above": "number",
        "direction": "vector",
        "speed": "number",
    },
    "limits": {"torque": "number", "vertical": "range", "joints": "table", "stiff": "table"},
    "start": {"joints": "table", "points": "table"},
    "cost": {"time": "number", "torque": "number", "jerk": "number"},
}
_NEEDED = {
    "solid": ("kind", "size", "position"),
    "contact": ("name", "part"),
    "phase": ("name", "contacts"),
    "task": ("part", "phase"),
}


@dataclass(frozen=True)
class SolidWish:
    """Something that stands around and does not move."""

    kind: str
    size: tuple[float, ...]  # [m], as the simulator takes it
    position: tuple[float, ...]  # [m], of its centre
    rpy: tuple[float, ...] = (0.0, 0.0, 0.0)  # [rad]
    name: str = ""
    friction: float = 0.8
    colour: tuple[float, ...] = (150, 160, 175)


@dataclass(frozen=True)
class ContactWish:
    """A part on a surface; some coordinates may be left to the optimiser."""

    name: str
    part: str
    position: tuple[float, ...] | None = None  # [m], of the contact, world
    shift: tuple[float, ...] | None = None  # [m], from where the part stands at the start
    rpy: tuple[float, ...] = (0.0, 0.0, 0.0)  # [rad], of the surface
    tilt: tuple[float, ...] = (0.0, 0.0, 0.0)  # [rad], of the part on the surface
    free: tuple[str, ...] = ()
    reach: Mapping[str, Any] = field(default_factory=dict)  # free coordinate -> [low, high]
    points: Any = "auto"  # "sole", "tip", or points of the part [m]
    friction: float = 0.5
    turns: bool = False
    least_force: float = 5.0  # [N], on each point
    most_weight: float | None = None  # [1], of the robot's weight, on the whole contact
    on: str = ""  # solid it rests on: no collision is asked between the two


@dataclass(frozen=True)
class PhaseWish:
    """A stretch of time with one set of contacts."""

    name: str
    contacts: tuple[str, ...]
    duration: float = 2.0  # [s], where the optimiser starts
    shortest: float = 0.3  # [s]
    longest: float = 6.0  # [s]
    spans: int = 6


@dataclass(frozen=True)
class TaskWish:
    """A point of a part somewhere, or fast, at one instant."""

    part: str
    phase: str
    name: str = ""
    point: Any = "tip"  # or (x, y, z) [m] in the part's frame
    share: float = 1.0  # of the phase
    position: tuple[float, ...] | None = None  # [m], world
    within: tuple[float, ...] = (0.005, 0.005, 0.005)  # [m], either way; "inf" where free
    above: float | None = None  # [m], lowest height of the point
    direction: tuple[float, ...] | None = None
    speed: float = 0.0  # [m/s], at least, along the direction


@dataclass(frozen=True)
class SceneFile:
    """A scene as it was written."""

    source: str
    title: str
    solids: tuple[SolidWish, ...]
    contacts: tuple[ContactWish, ...]
    phases: tuple[PhaseWish, ...]
    tasks: tuple[TaskWish, ...]
    torque: float = 0.9  # [1], of the motors' limits
    vertical: tuple[float, float] | None = None  # [weights], of the vertical force
    joints: Mapping[str, Any] = field(default_factory=dict)  # joint -> [low, high] [rad]
    start_joints: Mapping[str, float] = field(default_factory=dict)  # joint -> angle [rad]
    start_points: Mapping[str, Any] = field(default_factory=dict)  # part -> place [m], world
    end: str = "free"  # or "start": come back to the first posture
    stiff: Mapping[str, float] = field(
        default_factory=dict
    )  # joint -> [rad] either way of the start
    cost: Mapping[str, float] = field(default_factory=dict)  # weights, where not the paper's


def scene_names() -> list[str]:
    """Scenes that are shipped."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_scene(scene: str | Path) -> SceneFile:
    """A shipped scene by its name, or a scene file by its path."""
    path = Path(scene)
    if path.suffix != ".toml":
        if str(scene) not in scene_names():
            raise NotFound("scene", str(scene), scene_names())
        path = FOLDER / f"{scene}.toml"
    try:
        text = path.read_text("utf-8")
    except OSError:
        raise NotFound("scene file", str(scene), scene_names()) from None
    except UnicodeDecodeError:
        raise BadInput(path.name, "the text", "not UTF-8", "a TOML file in UTF-8") from None
    return parse_scene(text, path.name)


def parse_scene(text: str, source: str = "scene") -> SceneFile:
    """A scene from its text."""
    try:
        raw = tomllib.loads(text)
    except RecursionError:
        raise BadInput(source, "the text", "nested too deeply", "TOML") from None
    except ValueError as problem:  # not TOML, or a number that no machine holds
        raise BadInput(source, "the text", f"not TOML ({problem})", "TOML") from None
    checked = _Checker(source, text)
    raw = checked.table(raw, "")
    limits, start = raw.get("limits", {}), raw.get("start", {})
    found = SceneFile(
        source,
        raw.get("title", Path(source).stem),
        tuple(SolidWish(**_tuples(t)) for t in raw.get("solid", ())),
        tuple(ContactWish(**_tuples(t)) for t in raw.get("contact", ())),
        tuple(PhaseWish(**_tuples(t)) for t in raw.get("phase", ())),
        tuple(TaskWish(**_tuples(t)) for t in raw.get("task", ())),
        limits.get("torque", 0.9),
        tuple(limits["vertical"]) if "vertical" in limits else None,
        limits.get("joints", {}),
        start.get("joints", {}),
        start.get("points", {}),
        raw.get("end", "free"),
        limits.get("stiff", {}),
        {f"{name}_weight": float(value) for name, value in raw.get("cost", {}).items()},
    )
    checked.sense(found)
    return found


def _tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) and k != "points" else v for k, v in table.items()}


class _Checker:
    """Says in one sentence what is wrong with a scene."""

    def __init__(self, source: str, text: str) -> None:
        self.source, self.lines = source, text.splitlines()

    def fail(self, key: str, where: str, found: str, accepted: str) -> BadInput:
        pattern = re.compile(rf"^\s*\[*\s*{re.escape(key)}\b")
        rows = [k for k, row in enumerate(self.lines, 1) if pattern.match(row)]
        told = found.split(" s")[0].strip("'")  # a key may stand often: its value tells where
        line = next((k for k in rows if told in self.lines[k - 1]), rows[0] if rows else None)
        at = f", line {line}" if line else ""
        return BadInput(f"{self.source}{at}", where, found, accepted)

    def table(self, raw: Mapping[str, Any], kind: str, label: str = "") -> dict[str, Any]:
        """A table whose keys and values make sense."""
        known = _FIELDS[kind]
        for key in raw:
            if key not in known:
                where = f"'{key}'" + (f" in {label or kind}" if kind else "")
                raise self.fail(key, where, "unknown", one_of(key, known))
        for key in _NEEDED.get(kind, ()):
            if key not in raw:
                raise self.fail(kind, f"{label or kind}", f"without '{key}'", f"a '{key}'")
        made = {}
        for key, value in raw.items():
            made[key] = self.value(key, value, known[key], label or kind)
        return made

    def value(self, key: str, value: Any, kind: str, label: str) -> Any:
        where = f"'{key}'" + (f" of {label}" if label else "")
        if kind == "tables":
            if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
                raise self.fail(key, where, "not a list of tables", f"[[{key}]] tables")
            return [
                self.table(v, key, f"{key} '{v.get('name', number)}'")
                for number, v in enumerate(value, 1)
            ]
        if kind == "table":
            if not isinstance(value, dict):
                raise self.fail(key, where, "not a table", f"a table [{key}]")
            return self.table(value, key) if key in _FIELDS else value
        accepted = _ACCEPTED[kind]
        if not _FITS[kind](value):
            raise self.fail(key, where, _said(value), accepted)
        return value

    def sense(self, scene: SceneFile) -> None:
        """Whether the parts of a scene fit together."""
        if not scene.phases:
            raise self.fail("phase", "the list of phases", "empty", "at least one [[phase]]")
        names = [contact.name for contact in scene.contacts]
        for name in names:
            if names.count(name) > 1:
                raise self.fail("contact", f"contact '{name}'", "named twice", "names that differ")
        solids = [solid.name for solid in scene.solids]
        for solid in scene.solids:
            where = f"solid '{solid.name or solid.kind}'"
            if solid.kind not in _SOLID_SIZES:
                raise self.fail(
                    "kind",
                    f"the kind of {where}",
                    f"'{solid.kind}'",
                    one_of(solid.kind, _SOLID_SIZES),
                )
            if len(solid.size) != _SOLID_SIZES[solid.kind] or min(solid.size) <= 0.0:
                accepted = f"{_SOLID_SIZES[solid.kind]} positive lengths [m]"
                raise self.fail("size", f"the size of {where}", f"{list(solid.size)}", accepted)
        for contact in scene.contacts:
            self._contact(contact, solids)
        for phase in scene.phases:
            self._phase(phase, names, scene)
        phases = [phase.name for phase in scene.phases]
        for task in scene.tasks:
            where = f"task '{task.name or task.part}'"
            if task.phase not in phases:
                raise self.fail(
                    "phase", f"the phase of {where}", f"'{task.phase}'", one_of(task.phase, phases)
                )
            if not 0.0 <= task.share <= 1.0:
                raise self.fail("share", f"the share of {where}", f"{task.share}", "0 to 1")
            if task.position is None and task.above is None and task.direction is None:
                accepted = "a 'position', a height 'above' or a 'direction' with a 'speed'"
                raise self.fail("task", where, "without anything to reach", accepted)
            if task.direction is not None and np.linalg.norm(task.direction) < 1e-9:
                raise self.fail("direction", f"the direction of {where}", "zero", "a direction")
        if not 0.0 < scene.torque <= 1.0:
            raise self.fail("torque", "'torque' of limits", f"{scene.torque}", "0 to 1")
        if scene.vertical is not None and not scene.vertical[0] < 1.0 < scene.vertical[1]:
            found, accepted = f"{list(scene.vertical)}", "[low, high] around 1, in weights"
            raise self.fail("vertical", "'vertical' of limits", found, accepted)
        for part, place in scene.start_points.items():
            if not _numbers(place, 3):
                raise self.fail(part, f"the start of '{part}'", _said(place), "three numbers [m]")
        if scene.end not in ("free", "start"):
            raise self.fail("end", "'end'", f"'{scene.end}'", '"free" or "start"')

    def _contact(self, contact: ContactWish, solids: list[str]) -> None:
        where = f"contact '{contact.name}'"
        for name in contact.free:
            if name not in FLOATING:
                raise self.fail("free", f"the free of {where}", f"'{name}'", listed(FLOATING))
        for name, reach in contact.reach.items():
            ok = isinstance(reach, list) and len(reach) == 2 and all(map(_is_number, reach))
            if name not in contact.free or not ok or not reach[0] < reach[1]:
                accepted = "[low, high] of a free coordinate, about the contact's position"
                raise self.fail("reach", f"the reach of '{name}' of {where}", f"{reach}", accepted)
        if not contact.friction > 0.0:
            raise self.fail(
                "friction", f"the friction of {where}", f"{contact.friction}", "a positive number"
            )
        if contact.position is not None and contact.shift is not None:
            found = "given twice, by position and by shift"
            raise self.fail("shift", f"the place of {where}", found, "one of the two")
        if contact.on and contact.on not in solids:
            raise self.fail(
                "on", f"the solid of {where}", f"'{contact.on}'", one_of(contact.on, solids)
            )

    def _phase(self, phase: PhaseWish, names: list[str], scene: SceneFile) -> None:
        where = f"phase '{phase.name}'"
        if not phase.contacts:
            raise self.fail("contacts", f"the contacts of {where}", "empty", listed(names))
        for name in phase.contacts:
            if name not in names:
                raise self.fail(
                    "contacts", f"the contact of {where}", f"'{name}'", one_of(name, names)
                )
        parts = [c.part for c in scene.contacts if c.name in phase.contacts]
        for part in parts:
            if parts.count(part) > 1:
                found = f"'{part}' in two contacts at once"
                raise self.fail("contacts", f"the contacts of {where}", found, "one a part")
        if not 0.0 < phase.shortest <= phase.duration <= phase.longest:
            bounds = f"with shortest {phase.shortest:g} s and longest {phase.longest:g} s"
            found, accepted = f"{phase.duration:g} s", "0 < shortest <= duration <= longest"
            raise self.fail("duration", f"the duration of {where}", found, f"{accepted}, {bounds}")
        if not 4 <= phase.spans <= 60:
            raise self.fail("spans", f"the spans of {where}", f"{phase.spans}", "4 to 60")


def one_of(name: str, known: Iterable[str], most: int = 20) -> str:
    """What is accepted where a name is not: all of them, and the nearest."""
    names = [one for one in known if one]
    close = nearest(name, names).strip().replace("Did you mean", "did you mean")
    return (listed(names, most) or "none") + (f" ({close})" if close else "")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def _numbers(value: Any, count: int | None = None) -> bool:
    ok = isinstance(value, list) and all(map(_is_number, value))
    return ok and (count is None or len(value) == count)


def _said(value: Any) -> str:
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) < 60 else text[:57] + "..."


_FITS = {
    "text": lambda v: isinstance(v, str),
    "texts": lambda v: isinstance(v, list) and all(isinstance(t, str) for t in v),
    "number": lambda v: _is_number(v) and abs(v) < np.inf,
    "whole": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "flag": lambda v: isinstance(v, bool),
    "numbers": _numbers,
    "vector": lambda v: _numbers(v, 3),
    "range": lambda v: _numbers(v, 2) and v[0] < v[1],
    "point": lambda v: v in ("tip", "sole", "heel", "toe") or _numbers(v, 3),
    "points": lambda v: (
        v in ("auto", "sole", "tip")
        or (isinstance(v, list) and len(v) > 0 and all(_numbers(p, 3) for p in v))
    ),
}
_ACCEPTED = {
    "text": "a text",
    "texts": "a list of texts",
    "number": "a number",
    "whole": "a whole number",
    "flag": "true or false",
    "numbers": "a list of numbers",
    "vector": "three numbers",
    "range": "[low, high] with low < high",
    "point": '"tip", "sole", "heel", "toe" or three numbers [m] in the part\'s frame',
    "points": '"sole", "tip", or points [[x, y, z], ...] [m] in the part\'s frame',
}
