"""The robot as triangles that move with its joints, light enough to travel in a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pinocchio as pin

from poise.robot import Robot
from poise.robot.meshes import load_mesh, thinned
from poise.robot.urdf import Geometry, geometries, read_urdf

MOST_FACES = 60_000  # a robot of more detail is thinned until it has no more
FEW_FACES = 500  # lighter shapes stay as they are
FINEST = 1.0 / 400.0  # of the robot's height, the grid that thins its meshes
ROUND = 18  # corners of a circle
PLAIN = (0.75, 0.75, 0.78, 1.0)

Triangles = tuple[np.ndarray, np.ndarray]  # vertices [m] (n, 3), faces (m, 3)


class Surface(Protocol):
    """What can be drawn: triangles that move with one joint, in one colour."""

    @property
    def joint(self) -> int:
        """Joint of the model whose frame they live in; 1 is the floating base."""

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Colour, 0 to 255."""

    @property
    def vertices(self) -> np.ndarray:
        """[m], (n, 3)."""

    @property
    def faces(self) -> np.ndarray:
        """(m, 3)."""


@dataclass(frozen=True, eq=False)
class Painted:
    """Triangles of one colour in the frame of one joint."""

    joint: int
    rgb: tuple[int, int, int]
    vertices: np.ndarray  # [m], (n, 3)
    faces: np.ndarray  # (m, 3)


def surfaces_of(robot: Robot) -> tuple[Surface, ...]:
    """The visual shapes of a robot's URDF, or its collision shapes where there are none."""
    cell, full = FINEST * max(robot.height, 0.1), list(_pieces(robot))
    pieces = [(joint, rgb, _lighter(mesh, cell, FEW_FACES)) for joint, rgb, mesh in full]
    for _ in range(20):
        if sum(len(faces) for _, _, (_, faces) in pieces) <= MOST_FACES:
            break
        cell *= 1.25  # too much in all: now small shapes are thinned as well
        pieces = [(joint, rgb, _lighter(mesh, cell, 12)) for joint, rgb, mesh in full]
    gathered: dict[tuple[int, tuple[int, int, int]], list[Triangles]] = defaultdict(list)
    for joint, rgb, mesh in pieces:
        gathered[joint, rgb].append(mesh)
    return tuple(Painted(*key, *_joined(meshes)) for key, meshes in sorted(gathered.items()))


def _pieces(robot: Robot) -> Iterator[tuple[int, tuple[int, int, int], Triangles]]:
    root = read_urdf(robot.urdf)
    for tag in ("visual", "collision"):
        found = [
            (shape.link, shape.T_link_shape, shape.rgba, mesh)
            for shape in geometries(root, robot.urdf, robot.packages, tag)
            if (mesh := _triangles(shape)) is not None
        ]
        if found:
            break
    else:
        found = [(s.link, s.T_link_shape, PLAIN, primitive(s.kind, s.size)) for s in robot.shapes]
    for link, T_link_shape, rgba, (vertices, faces) in found:
        index = robot.model.getFrameId(link, pin.FrameType.BODY)
        if index >= robot.model.nframes:
            continue
        frame = robot.model.frames[index]
        T = frame.placement * T_link_shape
        r, g, b = (round(255 * min(max(channel, 0.0), 1.0)) for channel in rgba[:3])
        yield frame.parentJoint, (r, g, b), (vertices @ T.rotation.T + T.translation, faces)


def _triangles(shape: Geometry) -> Triangles | None:
    if shape.kind != "mesh":
        return primitive(shape.kind, shape.size)
    return None if shape.mesh is None else load_mesh(shape.mesh, shape.size)


def _lighter(mesh: Triangles, cell: float, few: int) -> Triangles:
    """A mesh thinned to a grid of some cell [m], unless it has few faces as it is."""
    return mesh if len(mesh[1]) <= few else thinned(*mesh, cell)


def _joined(meshes: list[Triangles]) -> Triangles:
    """Many meshes as one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    return (
        np.vstack([vertices for vertices, _ in meshes]),
        np.vstack([faces + start for (_, faces), start in zip(meshes, starts, strict=False)]),
    )


def primitive(kind: str, size: tuple[float, ...]) -> Triangles:
    """Triangles of a box, a sphere, a cylinder or a capsule (along z) about the origin [m]."""
    if kind == "box":
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
        quads = np.array(sides)
        return 0.5 * corners * np.array(size), np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    radius, length = size[0], size[1] if len(size) > 1 else 0.0
    if kind == "cylinder":
        rings = [(0.0, -0.5 * length), (radius, -0.5 * length)]
        rings += [(radius, 0.5 * length), (0.0, 0.5 * length)]
    else:
        bow = np.linspace(-0.5 * np.pi, 0.5 * np.pi, ROUND // 2 + 1)
        rings = [(radius * np.cos(b), radius * np.sin(b) + 0.5 * length * np.sign(b)) for b in bow]
    return _turned(np.array(rings))


def _turned(rings: np.ndarray) -> Triangles:
    """The surface that a profile of (distance from the axis, height) [m] sweeps about z."""
    angle = 2.0 * np.pi * np.arange(ROUND) / ROUND
    r, z = rings[:, 0, None], np.repeat(rings[:, 1, None], ROUND, axis=1)
    vertices = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=2).reshape(-1, 3)
    k, j = np.meshgrid(np.arange(len(rings) - 1), np.arange(ROUND), indexing="ij")
    a, b = k * ROUND + j, k * ROUND + (j + 1) % ROUND
    c, d = a + ROUND, b + ROUND
    faces = np.concatenate(
        [np.stack([a, b, d], axis=2).reshape(-1, 3), np.stack([a, d, c], axis=2).reshape(-1, 3)]
    )
    return vertices, faces
