"""How a robot looks: its shapes, gathered by joint and colour, light enough for a browser."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pinocchio as pin

from poise.robot import Robot
from poise.robot.urdf import Geometry, geometries, pose_of, read_urdf
from poise.viewer.mesh_files import Coloured, Rgba, read_coloured, says_y_up
from poise.viewer.shapes import SAME_POINT, Triangles, creased, joined, lighter, primitive

FINEST = 1.0 / 450.0  # of the robot's height: the grid that thins its meshes
MOST_BYTES = 2_500_000  # a robot of more detail is thinned further
FEW_FACES = 700  # smaller shapes, primitives among them, are light as they are
DARKEST = 0.09  # a black surface shows no shape; this is as dark as a part may be
Y_TO_Z = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # stands y up on z
SPARE_COLOUR = (0.75, 0.75, 0.78, 1.0)


@dataclass(frozen=True, eq=False)
class Look:
    """What moves with one joint and has one colour, in the joint's frame."""

    joint: int  # of the model; 1 is the floating base
    rgb: tuple[int, int, int]
    opacity: float
    vertices: np.ndarray  # [m], (n, 3), float32
    faces: np.ndarray  # (m, 3), uint32

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
    pieces = _pieces(robot)
    cell = FINEST * (robot.height if robot.height > 0.0 else 1.0)
    while True:
        made = tuple(_look(*key, surfaces, cell) for key, surfaces in sorted(pieces.items()))
        if sum(look.nbytes for look in made) <= MOST_BYTES:
            return tuple(look for look in made if len(look.faces))
        cell *= 1.25


def _look(joint: int, rgba: Rgba, surfaces: list[Triangles], cell: float) -> Look:
    light = [lighter(s, cell if len(s.faces) > FEW_FACES else SAME_POINT) for s in surfaces]
    vertices, faces = creased(joined(light))
    return Look(
        joint=joint,
        rgb=_rgb(rgba),
        opacity=rgba[3],
        vertices=np.ascontiguousarray(vertices, dtype=np.float32),
        faces=np.ascontiguousarray(faces, dtype=np.uint32),
    )


def _pieces(robot: Robot) -> dict[tuple[int, Rgba], list[Triangles]]:
    """Surfaces by joint and colour, in the joint's frame, in full detail."""
    root = read_urdf(robot.urdf)
    pieces: dict[tuple[int, Rgba], list[Triangles]] = defaultdict(list)
    for tag in ("visual", "collision"):
        drawn = [
            (shape, _surfaces(shape)) for shape in geometries(root, robot.urdf, robot.packages, tag)
        ]
        R_stand = Y_TO_Z if y_up_is_meant(root, drawn) else np.eye(3)
        for shape, surfaces in drawn:
            attached = _attached(robot, shape.link)
            if attached is None:
                continue
            joint, T_joint_link = attached
            T = T_joint_link * shape.T_link_shape
            if _says_y_up(shape):
                T = T * pin.SE3(R_stand, np.zeros(3))
            for surface, own in surfaces:
                pieces[joint, own or shape.rgba].append(surface.moved(T))
        if pieces:
            return pieces
    for plain in robot.shapes:
        attached = _attached(robot, plain.link)
        if attached is not None:
            joint, T_joint_link = attached
            surface = primitive(plain.kind, plain.size).moved(T_joint_link * plain.T_link_shape)
            pieces[joint, SPARE_COLOUR].append(surface)
    return pieces


def y_up_is_meant(root: ET.Element, drawn: list[tuple[Geometry, list[Coloured]]]) -> bool:
    """Whether the y-up claim of a robot's mesh files is to be obeyed.

    The masses decide: a body is drawn where its centre of mass lies. The way of turning the
    meshes that leaves fewer centres of mass outside of their meshes is the one meant.
    """
    com = {
        link.get("name"): pose_of(inertial.find("origin")).translation
        for link in root.iter("link")
        if (inertial := link.find("inertial")) is not None
    }
    outside = np.zeros(2)
    for shape, surfaces in drawn:
        if shape.link in com and surfaces and _says_y_up(shape):
            vertices = np.vstack([surface.vertices for surface, _ in surfaces])
            for way, R in enumerate((np.eye(3), Y_TO_Z)):
                placed = shape.T_link_shape * pin.SE3(R, np.zeros(3))
                point = placed.actInv(com[shape.link])
                beyond = np.maximum(vertices.min(axis=0) - point, point - vertices.max(axis=0))
                outside[way] += np.linalg.norm(np.maximum(beyond, 0.0))
    return bool(outside[1] < outside[0])


def _says_y_up(shape: Geometry) -> bool:
    return shape.mesh is not None and says_y_up(shape.mesh)


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
