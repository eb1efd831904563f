"""Mesh files as coloured surfaces, read fast enough to look at.

Two formats carry nearly every robot and are read here directly: binary STL is one array, and
COLLADA keeps the colours that a plain triangle loader drops. Everything else goes to the loader
that also serves collision.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from poise.robot.meshes import load_mesh
from poise.viewer.shapes import Triangles

Rgba = tuple[float, float, float, float]

_STL = np.dtype([("normal", "<3f4"), ("corners", "<9f4"), ("attribute", "<u2")])
_STL_HEAD = 84  # bytes before the first triangle


class Coloured(NamedTuple):
    """A surface, and the colour its file gives it, if any."""

    surface: Triangles
    rgba: Rgba | None


def read_coloured(path: Path, scale: tuple[float, ...]) -> list[Coloured]:
    """The surfaces of a mesh file [m], scaled, in the axes in which they are written."""
    found = None
    if path.suffix.lower() == ".stl":
        found = _binary_stl(path)
    elif path.suffix.lower() == ".dae":
        found = _collada(path)
    if found is None:
        return [Coloured(Triangles(*load_mesh(path, scale)), None)]
    mirrored = np.prod(scale) < 0.0  # an odd number of mirrors turns the faces inside out
    return [
        Coloured(Triangles(v * np.array(scale), f[:, ::-1] if mirrored else f), rgba)
        for (v, f), rgba in found
    ]


def _binary_stl(path: Path) -> list[Coloured] | None:
    data = path.read_bytes()
    count = int.from_bytes(data[80:_STL_HEAD], "little") if len(data) >= _STL_HEAD else -1
    if len(data) != _STL_HEAD + count * _STL.itemsize:
        return None  # text, or damaged: the general loader knows what to say
    corners = np.frombuffer(data, dtype=_STL, offset=_STL_HEAD, count=count)["corners"]
    vertices = corners.reshape(-1, 3).astype(float)
    return [Coloured(Triangles(vertices, np.arange(len(vertices)).reshape(-1, 3)), None)]


# -- COLLADA -----------------------------------------------------------------------------


class _Unusual(Exception):
    """The file uses something this small reader does not; the general loader takes over."""


def _collada(path: Path) -> list[Coloured] | None:
    text = path.read_bytes()
    if b"<!ENTITY" in text:
        return None
    try:
        root = ET.fromstring(text)
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        return list(_Collada(root).surfaces())
    except (_Unusual, ET.ParseError, KeyError, ValueError, IndexError):
        return None


class _Collada:
    def __init__(self, root: ET.Element) -> None:
        self.by_id = {e.get("id"): e for e in root.iter() if e.get("id")}
        self.scenes = root.findall("library_visual_scenes/visual_scene")
        unit = root.find("asset/unit")
        self.metre = 1.0 if unit is None else float(unit.get("meter", "1"))

    def surfaces(self) -> Iterator[Coloured]:
        for scene in self.scenes:
            for node in scene.findall("node"):
                yield from self.node(node, np.diag([self.metre] * 3 + [1.0]))

    def node(self, node: ET.Element, T_world_parent: np.ndarray) -> Iterator[Coloured]:
        if node.find("instance_controller") is not None or node.find("instance_node") is not None:
            raise _Unusual
        T = T_world_parent @ _transform(node)
        for instance in node.findall("instance_geometry"):
            bound = {
                m.get("symbol"): m.get("target", "")[1:] for m in instance.iter("instance_material")
            }
            mesh = self.by_id[instance.get("url", "")[1:]].find("mesh")
            if mesh is None:
                raise _Unusual
            for piece in mesh:
                if piece.tag in ("triangles", "polylist", "polygons"):
                    vertices, faces = self.piece(piece)
                    if not len(faces):
                        continue
                    if np.linalg.det(T[:3, :3]) < 0.0:
                        faces = faces[:, ::-1]
                    symbol = piece.get("material")
                    rgba = self.colour(bound.get(symbol, symbol))
                    yield Coloured(Triangles(vertices @ T[:3, :3].T + T[:3, 3], faces), rgba)
        for child in node.findall("node"):
            yield from self.node(child, T)

    def piece(self, piece: ET.Element) -> tuple[np.ndarray, np.ndarray]:
        inputs = piece.findall("input")
        width = 1 + max(int(i.get("offset", "0")) for i in inputs)
        corner = next(i for i in inputs if i.get("semantic") == "VERTEX")
        named = self.by_id[corner.get("source", "")[1:]].findall("input")
        position = next(i for i in named if i.get("semantic") == "POSITION")
        array = self.by_id[position.get("source", "")[1:]].find("float_array")
        if array is None:
            raise _Unusual
        vertices = np.array((array.text or "").split(), dtype=float).reshape(-1, 3)
        offset = int(corner.get("offset", "0"))
        loops = [
            np.array((p.text or "").split(), dtype=int).reshape(-1, width)[:, offset]
            for p in piece.findall("p")
        ]
        indices = np.concatenate(loops) if loops else np.zeros(0, dtype=int)
        if piece.tag == "triangles":
            return vertices, indices.reshape(-1, 3)
        if piece.tag == "polygons":
            counts = np.array([len(loop) for loop in loops])
        else:
            counts = np.array((piece.findtext("vcount") or "").split(), dtype=int)
        return vertices, _fans(indices, counts)

    def colour(self, material: str | None) -> Rgba | None:
        found = self.by_id.get(material)
        if found is None:
            return None
        instance = found.find("instance_effect")
        effect = None if instance is None else self.by_id.get(instance.get("url", "")[1:])
        text = None if effect is None else effect.findtext(".//diffuse/color")
        if text is None:
            return None
        r, g, b, _ = [float(x) for x in text.split()]
        return (r, g, b, 1.0)  # exporters disagree about what transparency means


def _fans(indices: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Polygons, given one after the other, cut into triangles from their first corner."""
    first = np.cumsum(np.concatenate([[0], counts[:-1]]))
    inner = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), inner)
    step = np.arange(len(polygon)) - np.repeat(np.cumsum(inner) - inner, inner)
    start = first[polygon]
    return indices[np.column_stack([start, start + step + 1, start + step + 2])]


def _transform(node: ET.Element) -> np.ndarray:
    T = np.eye(4)
    for element in node:
        numbers = (element.text or "").split()
        step = np.eye(4)
        if element.tag == "matrix":
            step = np.array(numbers, dtype=float).reshape(4, 4)
        elif element.tag == "translate":
            step[:3, 3] = np.array(numbers, dtype=float)
        elif element.tag == "scale":
            step[:3, :3] = np.diag(np.array(numbers, dtype=float))
        elif element.tag == "rotate":
            *axis, degrees = (float(x) for x in numbers)
            step[:3, :3] = _turn(np.array(axis), np.radians(degrees))
        elif element.tag in ("skew", "lookat"):
            raise _Unusual
        T = T @ step
    return T


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis / max(float(np.linalg.norm(axis)), 1e-18)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
