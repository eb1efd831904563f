"""The text of robot.toml from a sheet and its URDF."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pinocchio as pin

from poise.robot.inscribed import convex_outline, inscribed_rectangle
from poise.robot.servo_rule import servo_gains
from poise.robot.sheet import Place, Sheet, vector

Row = dict[str, Any]


def card_text(sheet: Sheet, urdf: str) -> str:
    """The robot's card in TOML: what a URDF cannot say."""
    facts = sheet.facts
    head = {**facts["card"], "height": facts["published"]["height"]}
    postures = _postures(sheet)
    blocks = [
        "# Written by `python -m poise.robot.facts` from facts.json and looks.toml; edit those.",
        "# Units: m, kg, rad, N m, s.",
        *_lines(head),
        *_table("model", {"urdf": "model.urdf", "locked": {}}),
        *_table("parts", {part: _place(place) for part, place in sheet.parts.items()}),
    ]
    for side in ("left", "right"):
        blocks += _table(f"soles.{side}_foot", _sole(sheet, side))
    blocks += _tables("sensors", _sensors(sheet))
    for name in ("half_sitting", "comfort"):
        blocks += _table(f"postures.{name}", postures[name])
    blocks += _tables("couplings", _couplings(sheet))
    blocks += _table("mirror", _mirror(sheet))
    blocks += _table("groups", sheet.groups)
    blocks += _table("servos", _servos(sheet, urdf))
    blocks += _tables("shapes", _shapes(sheet))
    blocks += _table("sources", facts["sources"])
    return "\n".join(blocks) + "\n"


def _place(place: Place) -> Row:
    return {"link": place.link, "xyz": list(place.xyz), "rpy": list(place.rpy)}


def _sole(sheet: Sheet, side: str) -> Row:
    """Outline and inner rectangle of a sole, in the frame of the foot part."""
    sole = sheet.facts["sole"]
    if "polygon_left" in sole:
        left = np.array(sole["polygon_left"])
    else:
        x, y = (-sole["back"], sole["front"]), (-sole["inner"], sole["outer"])
        left = np.array([[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]])
    outline = convex_outline(left if side == "left" else left * [1, -1])
    return {"polygon": outline.tolist(), "corners": inscribed_rectangle(outline).tolist()}


def _sensors(sheet: Sheet) -> Iterator[Row]:
    """Soles, the IMU of the trunk, and the wrists (virtual where none is published)."""
    frames = {frame["name"]: frame for frame in sheet.facts["frames"]}
    feet = sheet.facts["foot_force_sensors"]
    for side in ("left", "right"):
        part, felt = f"{side}_foot", feet[side]
        row = {"name": part, "part": part, "link": sheet.parts[part].link}
        if isinstance(felt, dict):
            points = {"points": [vector(p) for p in felt.values()], "labels": list(felt)}
            yield row | {"kind": "pressure"} | points | {"status": feet["status"]}
        else:
            at = {"xyz": vector(felt), "rpy": vector([0, 0, 0])}
            yield row | {"kind": "wrench"} | at | {"status": feet["status"]}
    imu = next(frame for name, frame in frames.items() if name.startswith("imu"))
    yield {"name": "imu", "kind": "imu"} | _at(imu)
    for side in ("left", "right"):
        row = {"name": f"{side}_wrist", "kind": "wrench", "part": f"{side}_hand"}
        real = frames.get(f"{side[0]}_wrist_ft")
        hand = {"parent": sheet.parts[f"{side}_hand"].link, "xyz": [0, 0, 0], "rpy": [0, 0, 0]}
        yield row | _at(real or hand | {"status": "virtual"})


def _at(frame: Row) -> Row:
    return {
        "link": frame["parent"],
        "xyz": vector(frame["xyz"]),
        "rpy": vector(frame["rpy"]),
        "status": frame["status"],
    }


def _postures(sheet: Sheet) -> dict[str, Row]:
    """Named postures, every joint written out; comfort is half-sitting unless facts say."""
    postures = sheet.facts["postures"]
    half = postures["half_sitting"]["joints"]
    comfort = postures.get("comfort", {"joints": half})["joints"]
    names = [joint["name"] for joint in sheet.facts["joints"]]
    return {
        "half_sitting": {name: half.get(name, 0.0) for name in names},
        "comfort": {name: comfort.get(name, 0.0) for name in names},
    }


def _couplings(sheet: Sheet) -> Iterator[Row]:
    for joint in sheet.facts["joints"]:
        if "mimic" in joint:
            mimic = joint["mimic"]
            yield {
                "joint": joint["name"],
                "of": mimic["joint"],
                "multiplier": mimic["multiplier"],
                "offset": mimic["offset"],
            }


def _mirror(sheet: Sheet) -> Row:
    """Left joint, right joint, sign; and the joints of the middle with their sign."""
    axis = {joint["name"]: np.array(joint["axis"]) for joint in sheet.facts["joints"]}
    groups = sheet.groups
    sides = [
        pair
        for limb in ("leg", "arm")
        for pair in zip(groups[f"left_{limb}"], groups[f"right_{limb}"], strict=True)
    ]
    middle = groups["torso"] + groups["head"]
    return {
        "pairs": [[*pair, mirror_sign(axis[pair[0]], axis[pair[1]])] for pair in sides],
        "middle": [[name, mirror_sign(axis[name], axis[name])] for name in middle],
    }


def mirror_sign(left: np.ndarray, right: np.ndarray) -> int:
    """+1 when equal angles about the two axes are mirror images in the xz plane, -1 when opposite.

    An axis of rotation is a pseudovector: the mirror keeps its y and turns its x and z round.
    """
    return int(np.sign(np.dot([-left[0], left[1], -left[2]], right)))


def _servos(sheet: Sheet, urdf: str) -> Row:
    """Gains by the rule, with the rotor inertias that are published."""
    model = pin.buildModelFromXML(urdf, pin.JointModelFreeFlyer())
    q = pin.neutral(model)
    for name, angle in _postures(sheet)["half_sitting"].items():
        q[model.joints[model.getJointId(name)].idx_q] = angle
    rotors = sheet.facts.get("rotor_inertia", {"values": {}})["values"]
    gear = {joint["name"]: joint.get("gear_ratio", 0.0) for joint in sheet.facts["joints"]}
    gains = servo_gains(model, q, {name: j * gear[name] ** 2 for name, j in rotors.items()})
    fields = ("kp", "kd", "armature", "damping", "friction")
    names = [joint["name"] for joint in sheet.facts["joints"]]
    index = {name: model.joints[model.getJointId(name)].idx_v - 6 for name in names}
    return {
        name: {f: float(f"{getattr(gains, f)[index[name]]:.4g}") for f in fields} for name in names
    }


def _shapes(sheet: Sheet) -> Iterator[Row]:
    for shape in sheet.collision:
        yield {
            "link": shape.link,
            "kind": shape.kind,
            "size": list(shape.size),
            "xyz": list(shape.xyz),
            "rpy": list(shape.rpy),
        }


# -- TOML ------------------------------------------------------------------------------


def _table(name: str, row: Row) -> list[str]:
    return ["", f"[{name}]", *_lines(row)]


def _tables(name: str, rows: Iterator[Row]) -> list[str]:
    return [line for row in rows for line in ["", f"[[{name}]]", *_lines(row)]]


def _lines(row: Row) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in row.items()]


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return _number(value)


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} has no place on a card")
    text = f"{0.0 if abs(value) < 1e-12 else value:.10g}"
    return text if any(mark in text for mark in ".e") else text + ".0"
