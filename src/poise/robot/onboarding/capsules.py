"""Collision primitives around the solids of a robot: capsules, boxes and spheres.

Each mesh gets the capsule of the least volume around it, or a box where a capsule would be poor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from scipy.optimize import minimize
from scipy.spatial import ConvexHull, QhullError

from poise.robot.onboarding.bearings import Bearings
from poise.robot.onboarding.solids import Solid, hull_points, in_frame

POOR = 1.35  # a capsule with more than this times the volume of the box gives way to the box
SMALL = 0.06  # of a body's largest solid: lighter details are left out
EMPTY = 1.5  # times the hull: a primitive larger than this is tried in two halves,
WORTH = 1e-3  # [m^3], if it is larger than this
ROOF = 1.2  # times the sum of its parts: one primitive over a crowd may be this large
MANY = 150  # points of a hull that are looked at


@dataclass(frozen=True, eq=False)
class Primitive:
    """A capsule, box or sphere fixed to a link; sizes as in `poise.robot.parts.Shape` [m]."""

    link: str
    kind: str
    size: tuple[float, ...]
    T_link_shape: pin.SE3

    @property
    def volume(self) -> float:
        """[m^3]."""
        if self.kind == "box":
            return float(np.prod(self.size))
        r = self.size[0]
        length = self.size[1] if self.kind == "capsule" else 0.0
        return float(np.pi * r * r * (length + 4.0 / 3.0 * r))

    def shrunk(self, scale: float) -> Primitive:
        """The same primitive, smaller all round by a factor."""
        size = tuple(scale * s for s in self.size)
        return Primitive(self.link, self.kind, size, self.T_link_shape)


def image(
    shape: Primitive, link: str, T_root_link: pin.SE3, bearings: Bearings, T: pin.SE3
) -> Primitive:
    """The mirror image of a primitive, on another link.

    Args:
        shape: of a left link.
        link: its right twin.
        T_root_link: pose of the left link in a symmetric posture.
        bearings: the robot's axes.
        T: pose of the right link in that posture.
    """
    here = T_root_link * shape.T_link_shape
    flip = np.diag([1.0, -1.0, 1.0])  # a box, capsule or sphere is its own image
    there = pin.SE3(
        bearings.reflection @ here.rotation @ flip, bearings.reflected(here.translation)
    )
    return replace(shape, link=link, T_link_shape=T.inverse() * there)


def primitives(solids: list[Solid], model: pin.Model) -> list[Primitive]:
    """Primitives for the solids of one body: details left out, crowds put under one roof."""
    fitted = [p for solid in solids for p in enclose(solid)]
    largest = max((p.volume for p in fitted), default=0.0)
    kept = [p for p in fitted if p.volume > SMALL * largest]
    if len(solids) < 2:
        return kept
    link = max(kept, key=lambda p: p.volume).link
    T = model.frames[model.getFrameId(link, pin.FrameType.BODY)].placement
    points = np.vstack([in_frame(model, solid) for solid in solids])
    roof = _least(link, hull_points((points - T.translation) @ T.rotation))
    return [roof] if roof.volume < ROOF * sum(p.volume for p in kept) else kept


def enclose(solid: Solid) -> list[Primitive]:
    """The primitive around one solid; two where one would be mostly empty."""
    T = solid.T_link_solid
    if solid.kind in ("box", "sphere", "capsule"):
        return [Primitive(solid.link, solid.kind, tuple(solid.size), T)]
    if solid.kind == "cylinder" and solid.size[1] > 2.5 * solid.size[0]:
        r, length = solid.size
        return [Primitive(solid.link, "capsule", (r, length - 2.0 * r), T)]
    return enclose_points(solid.link, solid.points)


def enclose_points(link: str, points: np.ndarray) -> list[Primitive]:
    """Primitives around the hull of points of a link [m]: one, or two halves of it."""
    points = hull_points(points)
    whole = _least(link, points)
    try:
        hull = ConvexHull(points)
    except QhullError:
        return [whole]
    if whole.volume < max(EMPTY * hull.volume, WORTH):
        return [whole]
    halves = [_least(link, half) for half in _cut(points, hull)]
    return halves if sum(p.volume for p in halves) < 0.85 * whole.volume else [whole]


def _least(link: str, points: np.ndarray) -> Primitive:
    """The least capsule around points, or a box where that is much smaller."""
    points = _few(points)
    box = _box(link, points)
    capsule = _capsule(link, points, box)
    return box if capsule.volume > POOR * box.volume else capsule


def _cut(points: np.ndarray, hull: ConvexHull) -> list[np.ndarray]:
    """Corners of the two halves of a hull, cut across its longest axis."""
    centre = points.mean(axis=0)
    axis = np.linalg.svd(points - centre, full_matrices=False)[2][0]
    height = (points - centre) @ axis
    height = height - 0.5 * (height.min() + height.max())
    edges = np.vstack([hull.simplices[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    a, b = edges[height[edges[:, 0]] * height[edges[:, 1]] < 0.0].T
    share = (height[a] / (height[a] - height[b]))[:, None]
    rim = points[a] + share * (points[b] - points[a])
    return [np.vstack([points[height >= 0.0], rim]), np.vstack([points[height <= 0.0], rim])]


def _box(link: str, points: np.ndarray) -> Primitive:
    """The smaller of two boxes: along the link's axes, or along the main axes of the points."""
    main = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    if len(main) < 3 or np.linalg.det(main) < 0.0:
        main = np.vstack([main[:2], np.cross(main[0], main[1])[None]])
    boxes = []
    for R in (np.eye(3), main.T):
        local = points @ R
        low, high = local.min(axis=0), local.max(axis=0)
        size = np.maximum(high - low, 2e-3)
        pose = pin.SE3(R, R @ (0.5 * (low + high)))
        boxes.append(Primitive(link, "box", tuple(float(s) for s in size), pose))
    return min(boxes, key=lambda box: box.volume * (1.0 if box is boxes[0] else 1.05))


def _capsule(link: str, points: np.ndarray, box: Primitive) -> Primitive:
    """The capsule of the least volume around points, from the long axis of their box."""
    axis = box.T_link_shape.rotation[:, int(np.argmax(box.size))]
    half = 0.5 * max(box.size)
    centre = box.T_link_shape.translation
    start = np.concatenate([centre - 0.5 * half * axis, centre + 0.5 * half * axis])

    def radius(ends: np.ndarray) -> float:
        a, b = ends[:3], ends[3:]
        along = b - a
        apart = points - a
        s = np.clip(apart @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        apart = apart - s[:, None] * along
        return math.sqrt(float((apart * apart).sum(axis=1).max()))

    def volume(ends: np.ndarray) -> float:
        r, along = radius(ends), ends[3:] - ends[:3]
        return r * r * (math.sqrt(float(along @ along)) + 4.0 / 3.0 * r)

    ends = minimize(
        volume, start, method="Nelder-Mead", options={"maxiter": 350, "xatol": 5e-4, "fatol": 1e-8}
    ).x
    r, along = radius(ends), ends[3:] - ends[:3]
    length = float(np.linalg.norm(along))
    middle = 0.5 * (ends[:3] + ends[3:])
    if length < 0.1 * r:
        return Primitive(link, "sphere", (r + 0.5 * length,), pin.SE3(np.eye(3), middle))
    turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), along / length).matrix()
    return Primitive(link, "capsule", (r, length), pin.SE3(turn, middle))


def _few(points: np.ndarray) -> np.ndarray:
    """The points furthest out in many directions; enough to enclose them all within a hair."""
    if len(points) <= MANY:
        return points
    k = np.arange(MANY) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / MANY), np.pi * (1.0 + 5.0**0.5) * k
    around = np.column_stack(
        [np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)]
    )
    return points[np.unique((points @ around.T).argmax(axis=0))]


def foot_box(link: str, T_link_foot: pin.SE3, points: np.ndarray, sole: np.ndarray) -> Primitive:
    """A box that stands on a sole.

    Args:
        link: of the foot.
        T_link_foot: frame of the foot part in it.
        points: of the foot's solids in the frame of the foot part [m], (n, 3); may be empty.
        sole: outline of the sole in that frame [m], (n, 2).
    """
    low, high = sole.min(axis=0), sole.max(axis=0)
    top = 0.05 * float(np.linalg.norm(high - low))
    if len(points):
        low = np.minimum(low, points[:, :2].min(axis=0))
        high = np.maximum(high, points[:, :2].max(axis=0))
        top = max(top, float(points[:, 2].max()))
    middle = np.array([*(0.5 * (low + high)), 0.5 * top])
    size = (float(high[0] - low[0]), float(high[1] - low[1]), top)
    return Primitive(link, "box", size, T_link_foot * pin.SE3(np.eye(3), middle))
