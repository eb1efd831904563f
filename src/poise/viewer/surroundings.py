"""What stands around a robot, drawn in a browser: desks, platforms, chairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from poise.viewer.colours import Rgb
from poise.viewer.scene import Page
from poise.viewer.shapes import Triangles, primitive

PLAIN = (150, 160, 175)


def solids_of(recipe: Mapping[str, Any]) -> list[tuple[str, Triangles, Rgb]]:
    """Name, surface in the world and colour of every solid that a motion's recipe tells of."""
    told = recipe.get("environment")
    found = []
    for k, solid in enumerate(told if isinstance(told, list) else []):
        T = pin.SE3(pin.rpy.rpyToMatrix(*solid.get("rpy", (0, 0, 0))), np.array(solid["position"]))
        surface = primitive(solid["kind"], tuple(solid["size"])).moved(T)
        red, green, blue = (int(part) for part in solid.get("colour", PLAIN))
        found.append((f"{k} {solid.get('name', '')}".strip(), surface, (red, green, blue)))
    return found


def add_solids(page: Page, recipe: Mapping[str, Any], root: str) -> None:
    """Draw them below a path of the scene."""
    for name, surface, rgb in solids_of(recipe):
        page.scene.add_mesh_simple(
            f"{root}/{name}", surface.vertices, surface.faces, color=rgb, flat_shading=True
        )
