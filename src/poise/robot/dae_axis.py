"""Which way is up in COLLADA meshes.

A COLLADA file may say that its y axis is up. Some URDFs are written for readers that then turn
the mesh upright, some for readers that take the numbers as they are, and neither says which.
The masses tell: a mesh sits around the centre of mass of its link.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin

from poise.errors import BadInput
from poise.robot.meshes import mesh_vertices

if TYPE_CHECKING:
    from poise.robot.urdf import Geometry

UPRIGHT = pin.SE3(pin.utils.rotate("x", np.pi / 2.0), np.zeros(3))  # from y up to z up
_HEAD = 20_000  # [bytes], the asset block of a COLLADA file is at its beginning


def upright(shapes: Sequence[Geometry], centres: dict[str, np.ndarray]) -> list[Geometry]:
    """The shapes, with meshes whose y axis is up turned when the masses say they should be.

    Args:
        shapes: of one robot.
        centres: centre of mass of each link that has a mass [m], in the link.
    """
    doubtful = [s for s in shapes if s.mesh is not None and is_y_up(s.mesh)]
    if not doubtful:
        return list(shapes)
    misfit = np.zeros(2)
    for shape in doubtful:
        if shape.link in centres:
            middle = _middle(shape.mesh, shape.size)
            for k, T in enumerate((shape.T_link_shape, shape.T_link_shape * UPRIGHT)):
                misfit[k] += float(np.sum((T.act(middle) - centres[shape.link]) ** 2))
    if misfit[0] <= misfit[1]:
        return list(shapes)
    return [
        replace(s, T_link_shape=s.T_link_shape * UPRIGHT) if s in doubtful else s for s in shapes
    ]


@lru_cache(maxsize=1024)
def is_y_up(mesh: Path) -> bool:
    """Whether a mesh is a COLLADA file that says its y axis is up."""
    if mesh.suffix.lower() != ".dae":
        return False
    with mesh.open("rb") as file:
        return re.search(rb"<up_axis>\s*Y_UP", file.read(_HEAD)) is not None


@lru_cache(maxsize=1024)
def _middle(mesh: Path, scale: tuple[float, ...]) -> np.ndarray:
    """Middle of the box around a mesh [m], in its own axes."""
    try:
        vertices = mesh_vertices(mesh, scale)
    except BadInput:
        return np.zeros(3)
    return 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))


def mass_centres(root: ET.Element) -> dict[str, np.ndarray]:
    """Centre of mass of each link of a URDF that has a mass [m], in the link."""
    found = {}
    for link in root.iter("link"):
        inertial = link.find("inertial")
        mass = None if inertial is None else inertial.find("mass")
        if inertial is None or mass is None or float(mass.get("value", "0")) <= 0.0:
            continue
        origin = inertial.find("origin")
        text = "0 0 0" if origin is None else origin.get("xyz", "0 0 0")
        found[link.get("name", "")] = np.array([float(x) for x in text.split()])
    return found
