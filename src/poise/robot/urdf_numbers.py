"""The numbers in a URDF, looked at once, so that whoever reads them later need not doubt them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from math import isfinite, isnan
from pathlib import Path

from poise.errors import BadInput

# element -> attribute -> how many numbers
_COUNTS: dict[str, dict[str, int]] = {
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), 1),
    "limit": dict.fromkeys(("lower", "upper", "effort", "velocity"), 1),
    "mimic": {"multiplier": 1, "offset": 1},
    "dynamics": {"damping": 1, "friction": 1},
    "box": {"size": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "mesh": {"scale": 3},
    "color": {"rgba": 4},
}
_ENDLESS = ("limit",)  # whose numbers may be infinite: no limit


def check_numbers(root: ET.Element, where: Path) -> None:
    """Refuse a robot whose numbers are none, not finite, or too many or too few.

    Args:
        root: <robot>.
        where: the file, to be named.

    Raises:
        BadInput: naming link or joint, element, attribute and what is there.
    """
    for owner in (*root.findall("link"), *root.findall("joint"), *root.findall("material")):
        for element in owner.iter():
            for key, count in _COUNTS.get(element.tag, {}).items():
                text = element.get(key)
                if text is None or _fine(text, count, element.tag in _ENDLESS):
                    continue
                spot = f"{key} of <{element.tag}> in {owner.tag} '{owner.get('name', '')}'"
                numbers = "a finite number" if count == 1 else f"{count} finite numbers"
                raise BadInput(where, spot, f"'{text[:40]}'", numbers)
    for link in root.findall("link"):
        mass = link.find("inertial/mass")
        if mass is not None and float(mass.get("value", "0")) < 0.0:
            spot = f"mass of link '{link.get('name', '')}'"
            raise BadInput(where, spot, f"{mass.get('value')} kg", "0 or more")


def _fine(text: str, count: int, endless: bool) -> bool:
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return False
    good = (not isnan(x) if endless else isfinite(x) for x in numbers)
    return len(numbers) == count and all(good)
