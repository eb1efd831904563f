"""In which order tools list the joints of one and the same robot.

Files without names mean one of these. `tree` is how MuJoCo lists them: depth first, branches as
the URDF lists them. `robot` is ours (Pinocchio's): depth first, branches by the alphabet. `breadth`
is how PhysX and Isaac list them: level by level. `document` is the order of the URDF text.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from poise.errors import nearest
from poise.io.source import bad
from poise.robot import Robot
from poise.robot.urdf import read_urdf

ORDERS = ("tree", "robot", "breadth", "document")
ENDINGS = ("", "_dof", "_joint_dof", "_joint")  # that some tools add to the names of joints


def joint_order(robot: Robot, order: str) -> tuple[str, ...]:
    """The joints of a robot as one of ORDERS lists them."""
    if order == "robot":
        return robot.joint_names
    return _urdf_orders(robot.urdf, robot.joint_names)[order]


def swapped(robot: Robot, names: Sequence[str]) -> tuple[str, ...]:
    """The same order with every left joint where its right one was."""
    partner = {
        name: robot.joint_names[k]
        for name, k in zip(robot.joint_names, robot.mirror.index, strict=True)
    }
    return tuple(partner[name] for name in names)


@lru_cache(maxsize=32)
def _urdf_orders(urdf: Path, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    root = read_urdf(urdf)
    joints = [joint for joint in root.findall("joint") if joint.find("child") is not None]
    below: dict[str, list[ET.Element]] = {}
    for joint in joints:
        below.setdefault(_link(joint, "parent"), []).append(joint)
    children = {_link(joint, "child") for joint in joints}
    roots = [link.get("name", "") for link in root.findall("link")]
    roots = [name for name in roots if name not in children]
    listed = {
        "document": [joint.get("name", "") for joint in joints],
        "tree": list(_depth_first(roots, below)),
        "breadth": list(_breadth_first(roots, below)),
    }
    wanted = set(names)
    return {order: tuple(n for n in found if n in wanted) for order, found in listed.items()}


def _link(joint: ET.Element, end: str) -> str:
    element = joint.find(end)
    return "" if element is None else element.get("link", "")


def _depth_first(roots: list[str], below: dict[str, list[ET.Element]]) -> Iterator[str]:
    stack = [joint for root in reversed(roots) for joint in reversed(below.get(root, []))]
    while stack:
        joint = stack.pop()
        yield joint.get("name", "")
        stack.extend(reversed(below.get(_link(joint, "child"), [])))


def _breadth_first(roots: list[str], below: dict[str, list[ET.Element]]) -> Iterator[str]:
    """Level by level; a fixed joint adds no level, because PhysX merges the links it joins."""
    level = _moving(roots, below)
    while level:
        yield from (joint.get("name", "") for joint in level)
        level = _moving([_link(joint, "child") for joint in level], below)


def _moving(links: list[str], below: dict[str, list[ET.Element]]) -> list[ET.Element]:
    """The joints that move and hang from some links, looking through fixed joints."""
    found: list[ET.Element] = []
    for link in links:
        for joint in below.get(link, []):
            if joint.get("type") == "fixed":
                found += _moving([_link(joint, "child")], below)
            else:
                found.append(joint)
    return found


def matched(names: Sequence[str], robot: Robot, where: str | Path) -> tuple[str, ...]:
    """The robot's own names for the joints a file names, every joint exactly once.

    Endings such as "_dof" and "_joint" that some tools add or drop are forgiven.
    """
    found = tuple(known_joint(name, robot, where) for name in names)
    twice = [name for name in set(found) if found.count(name) > 1]
    if twice:
        raise bad(where, "the joints", f"listing '{twice[0]}' twice", "each joint once")
    missing = [name for name in robot.joint_names if name not in found]
    if missing:
        lack = ", ".join(missing[:4])
        found_text = f"without {lack}" + (" and more" if len(missing) > 4 else "")
        raise bad(where, "the joints", found_text, f"all {robot.na} joints of {robot.name}")
    return found


def known_joint(name: str, robot: Robot, where: str | Path) -> str:
    """The robot's own name for a joint a file names."""
    for ending in ENDINGS:
        plain = name.removesuffix(ending) if ending else name
        for candidate in (plain, f"{plain}_joint"):
            if candidate in robot.joint_names:
                return candidate
    hint = nearest(name, robot.joint_names)
    raise bad(where, "a joint", f"'{name}'", f"the {robot.na} joints of {robot.name}.{hint}")


def columns(robot: Robot, names: Sequence[str]) -> np.ndarray:
    """Where in a file's columns each joint of the robot stands, (na,)."""
    return np.array([names.index(name) for name in robot.joint_names], dtype=int)
