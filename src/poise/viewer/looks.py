"""How a robot looks: its shapes, gathered by joint and colour, light enough for a browser."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pinocchio as pin

from poise.robot import Robot
from poise.robot.urdf import Geometry, geometries, read_urdf
from poise.viewer.mesh_files import Coloured, Rgba, read_coloured
from poise.viewer.shapes import SAME_POINT, Triangles, closed, creased, joined, lighter, primitive

FINEST = 1.0 / 450.0  # of the robot's height: the grid that thins its meshes
MOST_FACES = 60_000  # about 1.5 MB; a robot of more detail is thinned further
FEW_FACES = 700  # smaller shapes, primitives among them, are light as they are
DARKEST = 0.09  # a black surface shows no shape; this is as dark as a part may be
SPARE_COLOUR = (0.75, 0.75, 0.78, 1.0)


@dataclass(frozen=True, eq=False)
class Look:
    """What moves with one joint and has one colour, in the joint's frame."""

    joint: int  # of the model; 1 is the floating base
    rgb: tuple[int, int, int]
    opacity: float
    vertices: np.ndarray  # [m], (n, 3), float32
    faces: np.ndarray  # (m, 3), uint32
    two_sided: bool = False  # seen from inside too: its faces are loose, or turned inside out

    @property
    def nbytes(self) -> int:
        """Size of its arrays, which is about what a browser receives."""
        return self.vertices.nbytes + self.faces.nbytes


_known: WeakKeyDictionary[Robot, tuple[Look, ...]] = WeakKeyDictionary()


def looks_of(robot: Robot) -> tuple[Look, ...]:
    """The shapes of a robot for drawing; made once, then remembered.

    From the "visual" shapes of its URDF; a robot whose visual meshes are not there is drawn by
    its collision shapes, which are at least where its body is.
    """
    found = _known.get(robot)
    if found is None:
        found = _known[robot] = _make(robot)
    return found


def _make(robot: Robot) -> tuple[Look, ...]:
    cell = FINEST * (robot.height if robot.height > 0.0 else 1.0)
    whole = _pieces(robot)
    pieces = {key: joined([_thin(s, cell) for s in found]) for key, found in whole.items()}
    while sum(len(piece.faces) for piece in pieces.values()) > MOST_FACES:
        cell *= 1.2
        pieces = {key: _thin(piece, cell) for key, piece in pieces.items()}
    return tuple(
        _look(*key, pieces[key], not all(closed(lighter(s, SAME_POINT)) for s in whole[key]))
        for key in sorted(pieces)
        if len(pieces[key].faces)
    )


def _thin(surface: Triangles, cell: float) -> Triangles:
    return lighter(surface, cell if len(surface.faces) > FEW_FACES else SAME_POINT)


def _look(joint: int, rgba: Rgba, surface: Triangles, two_sided: bool) -> Look:
    vertices, faces = creased(surface)
    return Look(
        joint=joint,
        rgb=_rgb(rgba),
        opacity=rgba[3],
        vertices=np.ascontiguousarray(vertices, dtype=np.float32),
        faces=np.ascontiguousarray(faces, dtype=np.uint32),
        two_sided=two_sided,
    )


def _pieces(robot: Robot) -> dict[tuple[int, Rgba], list[Triangles]]:
    """Surfaces by joint and colour, in the joint's frame, in full detail."""
    root = read_urdf(robot.urdf)
    pieces: dict[tuple[int, Rgba], list[Triangles]] = defaultdict(list)
    for tag in ("visual", "collision"):
        for shape in geometries(root, robot.urdf, robot.packages, tag):
            attached = _attached(robot, shape.link)
            if attached is None:
                continue
            joint, T_joint_link = attached
            for surface, own in _surfaces(shape):
                moved = surface.moved(T_joint_link * shape.T_link_shape)
                pieces[joint, own or shape.rgba].append(moved)
        if pieces:
            return pieces
    for plain in robot.shapes:
        attached = _attached(robot, plain.link)
        if attached is not None:
            joint, T_joint_link = attached
            surface = primitive(plain.kind, plain.size).moved(T_joint_link * plain.T_link_shape)
            pieces[joint, SPARE_COLOUR].append(surface)
    return pieces


def _surfaces(shape: Geometry) -> list[Coloured]:
    if shape.kind != "mesh":
        return [Coloured(primitive(shape.kind, shape.size), None)]
    return [] if shape.mesh is None else read_coloured(shape.mesh, shape.size)


def _attached(robot: Robot, link: str) -> tuple[int, pin.SE3] | None:
    """The joint that carries a link, and where the link sits in that joint's frame."""
    index = robot.model.getFrameId(link, pin.FrameType.BODY)
    if index >= robot.model.nframes:
        return None
    frame = robot.model.frames[index]
    return frame.parentJoint, frame.placement


def _rgb(rgba: Rgba) -> tuple[int, int, int]:
    r, g, b = (round(255 * min(max(channel, DARKEST), 1.0)) for channel in rgba[:3])
    return (r, g, b)
