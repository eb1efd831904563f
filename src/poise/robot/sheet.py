"""What is known of a robot of the zoo: its facts and its looks, read from its folder.

`facts.json` holds numbers with their sources; `looks.toml` holds the shapes a person sees
and those that collide. What is written there for a left link holds, mirrored, for its right
twin, so a robot of the zoo is symmetric to the last digit.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from poise.errors import BadInput, NotFound

SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}  # how many numbers a size has
Vector = tuple[float, ...]


def vector(numbers: Iterable[float]) -> Vector:
    """Numbers of a file as floats: 0 and 0.0 are written alike."""
    return tuple(float(number) for number in numbers)


@dataclass(frozen=True)
class Primitive:
    """A shape fixed to a link.

    Sizes [m]: box (x, y, z); sphere (radius,); cylinder (radius, length) and capsule (radius,
    distance between the centres of its caps), both along their local z.
    """

    link: str
    kind: str
    size: Vector
    xyz: Vector = (0.0, 0.0, 0.0)  # [m], in the link
    rpy: Vector = (0.0, 0.0, 0.0)  # [rad]
    colour: str = ""

    def mirrored(self, link: str) -> Primitive:
        """Its image in the xz plane, on another link."""
        (x, y, z), (roll, pitch, yaw) = self.xyz, self.rpy
        return replace(self, link=link, xyz=(x, -y, z), rpy=(-roll, pitch, -yaw))


@dataclass(frozen=True)
class Place:
    """A frame in a link: where a part or a sensor is."""

    link: str
    xyz: Vector = (0.0, 0.0, 0.0)  # [m]
    rpy: Vector = (0.0, 0.0, 0.0)  # [rad]


@dataclass(frozen=True)
class Sheet:
    """All that the model of one robot is written from."""

    facts: dict[str, Any]
    colours: dict[str, Vector]
    visual: tuple[Primitive, ...]
    collision: tuple[Primitive, ...]

    @property
    def parts(self) -> dict[str, Place]:
        """Where the parts are; a foot's frame lies in the sole plane below the ankle."""
        named = {
            frame["name"]: Place(frame["parent"], vector(frame["xyz"]), vector(frame["rpy"]))
            for frame in self.facts["frames"]
        }
        sole = self.facts["sole"]
        feet = {
            f"{side}_foot": Place(sole["links"][side], (0.0, 0.0, -sole["ankle_height"]))
            for side in ("left", "right")
        }
        others = {part: named.get(name, Place(name)) for part, name in self.facts["parts"].items()}
        return {"base": Place(self.facts["root_link"]), **feet, **others}

    @property
    def groups(self) -> dict[str, list[str]]:
        """The joints of each limb from the root outwards; every joint is in one group."""
        parts = self.parts
        trunk = self._path(parts["chest"].link)
        limbs = {}
        for limb, part in [
            ("left_leg", "left_foot"),
            ("right_leg", "right_foot"),
            ("left_arm", "left_hand"),
            ("right_arm", "right_hand"),
            ("head", "head"),
        ]:
            first = next(name for name in self._path(parts[part].link) if name not in trunk)
            limbs[limb] = self._beyond(first)
        head = limbs.pop("head")
        return {**limbs, "torso": trunk, "head": head}

    def _joint_above(self) -> dict[str, dict[str, Any]]:
        return {joint["child"]: joint for joint in self.facts["joints"]}

    def _path(self, link: str) -> list[str]:
        """Joints from the root to a link."""
        above, path = self._joint_above(), []
        while link in above:
            path.append(above[link]["name"])
            link = above[link]["parent"]
        return path[::-1]

    def _beyond(self, first: str) -> list[str]:
        """A joint and all those it carries, in the order of the facts."""
        return [
            joint["name"] for joint in self.facts["joints"] if first in self._path(joint["child"])
        ]


def read_sheet(folder: Path) -> Sheet:
    """Read `facts.json` and `looks.toml` of a robot's folder."""
    facts = json.loads((folder / "facts.json").read_text())
    looks_file = folder / "looks.toml"
    looks = tomllib.loads(looks_file.read_text())
    colours = {name: vector(rgba) for name, rgba in looks["colours"].items()}
    bare = Sheet(facts, colours, (), ())
    visual = [_primitive(row, looks_file) for row in looks["visual"]]
    for shape in visual:
        if shape.colour not in colours:
            raise NotFound("colour", shape.colour, list(colours))
    pairs = [row.get("both", False) for row in looks["visual"]]
    collision = [_primitive(row, looks_file) for row in looks["collision"]]
    return replace(
        bare,
        visual=tuple(_on_both_sides(bare, visual, pairs)),
        collision=tuple(_on_both_sides(bare, collision, [False] * len(collision))),
    )


def _primitive(row: dict[str, Any], where: Path) -> Primitive:
    kind, size = row["kind"], vector(row["size"])
    if len(size) != SIZES.get(kind, -1):
        accepted = ", ".join(f"{kind} with {n}" for kind, n in SIZES.items())
        raise BadInput(where, f"size of a {kind} of {row['link']}", str(list(size)), accepted)
    return Primitive(
        row["link"],
        kind,
        size,
        vector(row.get("xyz", (0, 0, 0))),
        vector(row.get("rpy", (0, 0, 0))),
        row.get("colour", ""),
    )


def _on_both_sides(
    sheet: Sheet, shapes: Iterable[Primitive], pairs: Iterable[bool]
) -> Iterable[Primitive]:
    """Each shape, and its image on the right twin (or on its own link, when it is a pair)."""
    twins = right_twins(sheet)
    links = {link["name"] for link in sheet.facts["links"]}
    for shape, pair in zip(shapes, pairs, strict=True):
        if shape.link not in links:
            raise NotFound("link", shape.link, sorted(links))
        yield shape
        if pair:
            yield shape.mirrored(shape.link)
        if shape.link in twins:
            yield shape.mirrored(twins[shape.link])
            if pair:
                yield replace(shape, link=twins[shape.link])


def right_twins(sheet: Sheet) -> dict[str, str]:
    """Left link -> right link."""
    child = {joint["name"]: joint["child"] for joint in sheet.facts["joints"]}
    groups = sheet.groups
    return {
        child[left]: child[right]
        for limb in ("leg", "arm")
        for left, right in zip(groups[f"left_{limb}"], groups[f"right_{limb}"], strict=True)
    }
