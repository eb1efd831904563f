"""The solid shapes of each link as points: what soles and collision primitives are found from.

A solid is the convex hull of its points, grown by a radius: a sphere is one point, a capsule two,
a box eight, a mesh the corners of its hull.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull, QhullError

from poise.errors import BadInput
from poise.robot.meshes import mesh_vertices
from poise.robot.urdf import Geometry, geometries

RIM = 32  # points on each rim of a cylinder


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex solid fixed to a link."""

    link: str
    kind: str  # box, sphere, cylinder, capsule or mesh
    points: np.ndarray  # [m], (n, 3), in the link
    radius: float  # [m], by which the hull of the points is grown
    size: tuple[float, ...]  # as in the URDF; of a mesh, its scale
    T_link_solid: pin.SE3


@dataclass(frozen=True, eq=False)
class Solids:
    """The solids of a robot, the ones meant for collisions and the ones meant to be seen."""

    collision: dict[str, list[Solid]]  # by link
    visual: dict[str, list[Solid]]
    missing: tuple[str, ...]  # addresses of meshes that could not be read

    def of(self, links: tuple[str, ...], tag: str) -> list[Solid]:
        """Solids of some links; `tag` is "collision" or "visual"."""
        found: dict[str, list[Solid]] = getattr(self, tag)
        return [solid for link in links for solid in found.get(link, [])]

    def best(self, links: tuple[str, ...]) -> list[Solid]:
        """Collision solids of some links, or the ones to be seen where there are none."""
        return self.of(links, "collision") or self.of(links, "visual")


def read_solids(root: ET.Element, urdf: Path, packages: tuple[Path, ...]) -> Solids:
    """All solids of a URDF; meshes that are missing or unreadable are only listed."""
    missing: list[str] = []
    known: dict[tuple[Path, tuple[float, ...]], np.ndarray] = {}
    found: dict[str, dict[str, list[Solid]]] = {"collision": {}, "visual": {}}
    for tag, solids in found.items():
        for geometry in geometries(root, urdf, packages, tag):
            found_points = _points(geometry, known, missing)
            if found_points is None:
                continue
            points, radius = found_points
            T = geometry.T_link_shape
            solids.setdefault(geometry.link, []).append(
                Solid(
                    link=geometry.link,
                    kind=geometry.kind,
                    points=points @ T.rotation.T + T.translation,
                    radius=radius,
                    size=geometry.size,
                    T_link_solid=T,
                )
            )
    return Solids(found["collision"], found["visual"], tuple(dict.fromkeys(missing)))


def hull_points(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull of points, (m, 3); all of them when they are flat."""
    points = np.unique(np.asarray(points, dtype=float), axis=0)
    if len(points) < 5:
        return points
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:
        return points


def in_frame(model: pin.Model, solid: Solid) -> np.ndarray:
    """Points of a solid in the frame of the joint that carries it [m], (n, 3)."""
    T = model.frames[model.getFrameId(solid.link, pin.FrameType.BODY)].placement
    return solid.points @ T.rotation.T + T.translation


def _points(
    geometry: Geometry,
    known: dict[tuple[Path, tuple[float, ...]], np.ndarray],
    missing: list[str],
) -> tuple[np.ndarray, float] | None:
    """Points in the frame of the shape, and the radius around them."""
    kind, size = geometry.kind, geometry.size
    if kind == "box":
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return 0.5 * signs * np.array(size), 0.0
    if kind == "sphere":
        return np.zeros((1, 3)), size[0]
    if kind == "capsule":
        return np.array([[0.0, 0.0, -0.5 * size[1]], [0.0, 0.0, 0.5 * size[1]]]), size[0]
    if kind == "cylinder":
        turn = np.arange(RIM) * 2.0 * np.pi / RIM
        rim = size[0] * np.column_stack([np.cos(turn), np.sin(turn)])
        ends = [np.column_stack([rim, np.full(RIM, z)]) for z in (-0.5 * size[1], 0.5 * size[1])]
        return np.vstack(ends), 0.0
    if kind != "mesh":
        return None
    if geometry.mesh is None:
        missing.append(f"a mesh of link {geometry.link}")
        return None
    key = (geometry.mesh, size)
    if key not in known:
        try:
            known[key] = hull_points(mesh_vertices(geometry.mesh, size))
        except BadInput:
            missing.append(geometry.mesh.name)
            return None
    return (known[key], 0.0) if len(known[key]) else None
