"""Whether the links and joints of a URDF make one tree; what is wrong is named."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path

from poise.errors import BadInput

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
LIMITED = ("revolute", "prismatic")


def check_tree(root: ET.Element, where: Path) -> None:
    """Refuse a robot that is not one tree of links.

    Args:
        root: <robot>.
        where: the file, to be named.

    Raises:
        BadInput: naming the link or joint, and what is wrong with it.
    """
    joints = root.findall("joint")
    links = dict.fromkeys(_named(root.findall("link"), "link", where))
    _named(joints, "joint", where)
    carriers: dict[str, str] = {}  # link -> the joint that carries it
    parents: dict[str, str] = {}  # link -> the link above it
    for joint in joints:
        name, kind = joint.get("name", ""), joint.get("type", "")
        if kind not in TYPES:
            raise BadInput(where, f"type of joint '{name}'", f"'{kind}'", ", ".join(TYPES))
        above, link = (_end(joint, which, links, where) for which in ("parent", "child"))
        if link in carriers:
            found = f"carried by the joints '{carriers[link]}' and '{name}'"
            raise BadInput(where, f"link '{link}'", found, "one joint for each link")
        carriers[link], parents[link] = name, above
    roots = [name for name in links if name not in parents]
    if len(roots) > 1:
        found = f"in {len(roots)} pieces ({', '.join(roots[:4])})"
        raise BadInput(where, "the robot", found, "one tree with one root link")
    sound = set(roots)  # links from which the way leads to the root
    for link in links:
        at, way = link, {link}
        while at not in sound:
            at = parents[at]
            if at in way:
                raise BadInput(where, f"link '{link}'", "part of a closed loop", "a tree of links")
            way.add(at)
        sound |= way


def check_limits(root: ET.Element, where: Path) -> None:
    """Refuse a robot with a joint that should have limits and has none; arguments as above."""
    for joint in root.findall("joint"):
        if joint.get("type") in LIMITED and joint.find("limit") is None:
            accepted = "a <limit> with lower, upper, effort and velocity"
            spot = f"joint '{joint.get('name', '')}'"
            raise BadInput(where, spot, "without limits", accepted)


def _end(joint: ET.Element, which: str, links: Collection[str], where: Path) -> str:
    """The link at one end of a joint."""
    element = joint.find(which)
    link = "" if element is None else element.get("link", "")
    if link not in links:
        found = f"'{link}', which is no link" if link else "missing"
        close = get_close_matches(link, links, n=1)
        accepted = "a link of the robot" + (f", perhaps '{close[0]}'" if close else "")
        raise BadInput(where, f"{which} of joint '{joint.get('name', '')}'", found, accepted)
    return link


def _named(elements: list[ET.Element], what: str, where: Path) -> list[str]:
    """Their names; each has one of its own."""
    names = [element.get("name", "") for element in elements]
    if "" in names:
        raise BadInput(where, f"{what} number {names.index('') + 1}", "without a name", "a name")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise BadInput(where, f"{what} '{twice[0]}'", "there more than once", "names of their own")
    return names
