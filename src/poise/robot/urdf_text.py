"""URDF text from a sheet: one function per element."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin

from poise.robot.sheet import Primitive, Sheet


def urdf_text(sheet: Sheet) -> str:
    """The robot as URDF: links with inertia, looks and collision shapes, and joints."""
    facts = sheet.facts
    root = ET.Element("robot", name=facts["card"]["name"])
    for name, rgba in sheet.colours.items():
        root.append(_material(name, rgba))
    for link in facts["links"]:
        root.append(_link(link, sheet))
    for joint in facts["joints"]:
        root.append(_joint(joint))
    ET.indent(root, "  ")
    return f"<?xml version='1.0'?>\n{_header(facts)}\n{ET.tostring(root, encoding='unicode')}\n"


def _header(facts: dict[str, Any]) -> str:
    lines = [
        f"{facts['robot']}. {facts['units']}.",
        "Written by `python -m poise.robot.facts` from facts.json and looks.toml; edit those.",
        "Shapes are primitives drawn for this project. Sources of the numbers:",
        *(f"- {name}: {note}" for name, note in facts["sources"].items()),
    ]
    text = "\n".join(line.replace("--", "-") for line in lines)  # XML forbids -- in comments
    return f"<!--\n{text}\n-->"


def _material(name: str, rgba: Iterable[float]) -> ET.Element:
    material = ET.Element("material", name=name)
    ET.SubElement(material, "color", rgba=_numbers(rgba))
    return material


def _link(link: dict[str, Any], sheet: Sheet) -> ET.Element:
    element = ET.Element("link", name=link["name"])
    element.append(_inertial(link))
    for shape in _as_urdf_has_them(s for s in sheet.visual if s.link == link["name"]):
        visual = _shape("visual", shape)
        ET.SubElement(visual, "material", name=shape.colour)
        element.append(visual)
    for shape in _as_urdf_has_them(s for s in sheet.collision if s.link == link["name"]):
        element.append(_shape("collision", shape))
    return element


def _inertial(link: dict[str, Any]) -> ET.Element:
    inertial = ET.Element("inertial")
    inertial.append(_origin(link["com"], (0, 0, 0)))
    ET.SubElement(inertial, "mass", value=_number(link["mass"]))
    entries = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), link["inertia"], strict=True)
    ET.SubElement(inertial, "inertia", {name: _number(value) for name, value in entries})
    return inertial


def _shape(tag: str, shape: Primitive) -> ET.Element:
    element = ET.Element(tag)
    element.append(_origin(shape.xyz, shape.rpy))
    geometry = ET.SubElement(element, "geometry")
    if shape.kind == "box":
        ET.SubElement(geometry, "box", size=_numbers(shape.size))
    elif shape.kind == "sphere":
        ET.SubElement(geometry, "sphere", radius=_number(shape.size[0]))
    else:
        radius, length = shape.size
        ET.SubElement(geometry, "cylinder", radius=_number(radius), length=_number(length))
    return element


def _joint(joint: dict[str, Any]) -> ET.Element:
    element = ET.Element("joint", name=joint["name"], type=joint["type"])
    element.append(_origin(joint["xyz"], joint["rpy"]))
    ET.SubElement(element, "parent", link=joint["parent"])
    ET.SubElement(element, "child", link=joint["child"])
    ET.SubElement(element, "axis", xyz=_numbers(joint["axis"]))
    names = ("lower", "upper", "velocity", "effort")
    ET.SubElement(element, "limit", {name: _number(joint[name]) for name in names})
    if "mimic" in joint:
        element.append(_mimic(joint["mimic"]))
    return element


def _mimic(mimic: dict[str, Any]) -> ET.Element:
    return ET.Element(
        "mimic",
        joint=mimic["joint"],
        multiplier=_number(mimic["multiplier"]),
        offset=_number(mimic["offset"]),
    )


def _origin(xyz: Iterable[float], rpy: Iterable[float]) -> ET.Element:
    return ET.Element("origin", xyz=_numbers(xyz), rpy=_numbers(rpy))


def _as_urdf_has_them(shapes: Iterable[Primitive]) -> Iterator[Primitive]:
    """URDF has no capsule: a cylinder and two spheres are the same solid."""
    for shape in shapes:
        if shape.kind != "capsule":
            yield shape
            continue
        radius, length = shape.size
        half = pin.rpy.rpyToMatrix(*shape.rpy)[:, 2] * length / 2
        yield replace(shape, kind="cylinder")
        for end in (half, -half):
            cap = np.asarray(shape.xyz) + end
            yield replace(shape, kind="sphere", size=(radius,), xyz=tuple(cap), rpy=(0, 0, 0))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    """Ten significant digits; anything below a nanometre is zero."""
    return f"{0.0 if abs(value) < 1e-12 else value:.10g}"
