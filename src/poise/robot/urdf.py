"""Reading URDF text: what is not ours to trust is looked at before anyone builds from it."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from poise.errors import BadInput
from poise.robot.dae_axis import mass_centres, upright
from poise.robot.parts import PARTS
from poise.robot.urdf_numbers import check_numbers
from poise.robot.urdf_tree import check_limits, check_tree

MOST_BYTES = 20_000_000  # a URDF is text about a robot; more than this is something else
PLAIN = (0.75, 0.75, 0.78, 1.0)  # what has no colour of its own
TURN = 2.0 * np.pi  # [rad], how far a "continuous" joint may turn either way here


def read_urdf(path: Path) -> ET.Element:
    """The root element of a URDF file, checked to be one.

    Joints of type "continuous" become "revolute" with a full turn either way, because a joint
    angle is one number everywhere in poise. A "floating" joint below a dummy root becomes
    "fixed": the floating base is there anyway. A link that has the name of a part ("chest") gets
    "_link" behind it: the name belongs to the part.
    """
    path = Path(path)
    if not path.is_file():
        raise BadInput(path, "the file", "missing", "an existing URDF file")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise BadInput(path, "the size", f"{size} bytes", f"at most {MOST_BYTES} bytes")
    text = path.read_bytes()
    if b"<!ENTITY" in text:
        raise BadInput(path, "the text", "an XML file with entity definitions", "plain URDF")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise BadInput(path, "the XML", f"broken ({error})", "well-formed URDF") from None
    if root.tag != "robot":
        raise BadInput(path, "the root element", f"<{root.tag}>", "<robot>, as in URDF")
    if root.find("link") is None:
        raise BadInput(path, "the robot", "without links", "at least one <link>")
    check_numbers(root, path)
    check_tree(root, path)
    _rename_links(root)
    children = {child.get("link") for child in root.iter("child")}
    for joint in root.iter("joint"):
        parent = joint.find("parent")
        base = parent is not None and parent.get("link") not in children
        if joint.get("type") == "floating" and base:
            joint.set("type", "fixed")
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
            limit = joint.find("limit")
            if limit is None:
                limit = ET.SubElement(joint, "limit", effort="0", velocity="0")
            limit.set("lower", repr(-TURN))
            limit.set("upper", repr(TURN))
    return root


def _rename_links(root: ET.Element) -> None:
    """Free the names of parts."""
    taken = {link.get("name") for link in root.iter("link")}
    names = {}
    for part in PARTS:
        if part in taken:
            names[part] = f"{part}_link"
            while names[part] in taken:
                names[part] += "_"
    for element in (*root.iter("link"), *root.iter("parent"), *root.iter("child")):
        key = "name" if element.tag == "link" else "link"
        name = element.get(key, "")
        if name in names:
            element.set(key, names[name])


def build_model(root: ET.Element, where: Path) -> pin.Model:
    """The Pinocchio model with a free-flyer base; coupled joints stay joints of their own."""
    check_limits(root, where)
    text = ET.tostring(root, encoding="unicode")
    try:
        model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    except (ValueError, RuntimeError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else "not a valid model"
        raise BadInput(where, "the model", f"unusable ({first})", "a valid URDF tree") from None
    for joint_id in range(2, model.njoints):
        joint = model.joints[joint_id]
        if joint.nq != 1:
            raise BadInput(
                where,
                f"joint '{model.names[joint_id]}'",
                f"of {joint.nv} degrees of freedom",
                "revolute, continuous, prismatic or fixed joints",
            )
    numbers = [model.lowerPositionLimit, model.upperPositionLimit]
    numbers += [
        inertia.vector() if hasattr(inertia, "vector") else inertia.lever
        for inertia in model.inertias
    ]
    numbers += [placement.homogeneous for placement in model.jointPlacements]
    if any(np.isnan(np.asarray(n)).any() for n in numbers):
        raise BadInput(where, "the model", "holding NaN", "finite numbers everywhere")
    return model


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape of the URDF: a primitive [m] or a mesh file, fixed to a link."""

    link: str
    kind: str  # box (x, y, z), sphere (r), cylinder (r, length), capsule (r, length), mesh
    size: tuple[float, ...]  # a mesh's is its scale
    T_link_shape: pin.SE3
    rgba: tuple[float, float, float, float]
    mesh: Path | None = None


def geometries(
    root: ET.Element, urdf: Path, packages: tuple[Path, ...], tag: str
) -> list[Geometry]:
    """All "visual" or "collision" shapes of a URDF, mesh addresses resolved to files.

    Meshes that mean y to be up are turned where the URDF counts on it.
    """
    colours = {
        material.get("name", ""): _colour(material)
        for material in root.iter("material")
        if material.find("color") is not None
    }
    found = []
    for link in root.iter("link"):
        for element in link.findall(tag):
            geometry = element.find("geometry")
            if geometry is None or len(geometry) == 0:
                continue
            shape = geometry[0]
            kind, size, mesh = shape.tag, _size(shape), None
            if kind == "mesh":
                mesh = resolve(shape.get("filename", ""), urdf, packages)
            material = element.find("material")
            rgba = PLAIN
            if material is not None:
                named = colours.get(material.get("name", ""))
                rgba = _colour(material) if material.find("color") is not None else named or rgba
            pose = pose_of(element.find("origin"))
            found.append(Geometry(link.get("name", ""), kind, size, pose, rgba, mesh))
    return upright(found, mass_centres(root))


def pose_of(origin: ET.Element | None) -> pin.SE3:
    """The pose an <origin> element describes."""
    if origin is None:
        return pin.SE3.Identity()
    xyz = np.array([float(x) for x in origin.get("xyz", "0 0 0").split()])
    rpy = [float(x) for x in origin.get("rpy", "0 0 0").split()]
    return pin.SE3(pin.rpy.rpyToMatrix(*rpy), xyz)


def resolve(address: str, urdf: Path, packages: tuple[Path, ...]) -> Path | None:
    """The file behind package://, file:// or a relative address, or None when it is nowhere.

    Only files below the URDF's own folders or the known package folders are answered.
    """
    if address.startswith("file://"):
        address = address.removeprefix("file://")
    if address.startswith("package://"):
        rest = address.removeprefix("package://").lstrip("/")
        name, _, inside = rest.partition("/")
        roots = [p for p in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if p]
        places = [folder / rest for folder in packages]
        places += [Path(r) / rest for r in roots]
        for parent in urdf.resolve().parents:
            places += [parent / rest] + ([parent / inside] if parent.name == name else [])
    else:
        places = [urdf.parent / address]
    for place in places:
        if place.is_file():
            return place
    return None


def _size(shape: ET.Element) -> tuple[float, ...]:
    if shape.tag == "box":
        return tuple(float(x) for x in shape.get("size", "0 0 0").split())
    if shape.tag == "sphere":
        return (float(shape.get("radius", "0")),)
    if shape.tag in ("cylinder", "capsule"):
        return (float(shape.get("radius", "0")), float(shape.get("length", "0")))
    return tuple(float(x) for x in shape.get("scale", "1 1 1").split())


def _colour(material: ET.Element) -> tuple[float, float, float, float]:
    element = material.find("color")
    rgba = "" if element is None else element.get("rgba", "")
    if not rgba:
        return PLAIN
    r, g, b, a = [float(x) for x in rgba.split()]
    # black beside a texture tag is how some exporters say that the mesh has the colours
    textured = material.find("texture") is not None and r == g == b == 0.0
    return PLAIN if textured else (r, g, b, a)
