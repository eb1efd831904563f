"""The sole of a foot: the face it rests on, its outline, and where the ankle is above it.

The lower side of the foot's convex hull has one face on which it stands best: the one with the
largest outline of points within a hair of it. That face is the sole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull, QhullError

from poise.robot.inscribed import convex_outline
from poise.robot.onboarding.solids import Solid, Solids, in_frame
from poise.robot.onboarding.tree import Tree
from poise.robot.robot import Robot

THICK = 0.008  # of the foot's length: points this near to the sole plane belong to the sole
STEEPEST = np.cos(np.deg2rad(30.0))  # a face more inclined than this is no sole
LEVEL = np.cos(np.deg2rad(1.0))  # a face less inclined than this is level
MOST_CORNERS = 12
RODS = {"cylinder", "capsule"}


@dataclass(frozen=True, eq=False)
class SoleFit:
    """A sole, in upright axes (forward, left, up) at the zero posture, origin at the root."""

    normal: np.ndarray  # (3,), unit, away from the ground
    below: np.ndarray  # (3,), the point of the sole plane below the ankle [m]
    polygon: np.ndarray  # (n, 2), outline around `below`, along forward and left [m]
    how: str
    certainty: float
    source: str = ""  # "collision" or "visual": the shapes it was found on

    @property
    def R_body_foot(self) -> np.ndarray:
        """Axes of the foot part in upright axes, (3, 3): x forward in the sole, z up."""
        z = self.normal
        x = np.array([1.0, 0.0, 0.0]) - z[0] * z
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z])


def fit_sole(
    tree: Tree,
    ankle: int,
    upright: np.ndarray,
    collision: list[Solid],
    visual: list[Solid],
    leg_length: float,
) -> SoleFit:
    """The sole of the foot behind a joint.

    Args:
        tree: of the model.
        ankle: the last joint of the leg.
        upright: R_root_body, (3, 3).
        collision: solids of the foot meant for collisions.
        visual: solids of the foot meant to be seen.
        leg_length: from hip to ankle [m]; a foot without any shape is guessed from it.
    """
    T = tree.pose(ankle)
    here = upright.T @ tree.meeting((tree.parent(ankle), ankle))
    fits = []
    for solids, what in ((collision, "collision"), (visual, "visual")):
        if solids:
            points = np.vstack([_lowest(tree, s, T, upright) for s in solids])
            found = _rest_face(points, here)
            if found is not None:
                kinds = {s.kind for s in solids}
                fits.append((*found, what, kinds))
    if not fits:
        return _proportions(here, leg_length)
    best = fits[0]
    if best[4] <= RODS and len(fits) > 1:
        best = fits[1]  # rods under a foot stand for a sole they do not have the outline of
    elif best[4] <= RODS:
        return _around(collision, tree, T, upright, here)
    normal, below, polygon, what, _ = best
    agree = len(fits) < 2 or abs(float(normal @ (fits[0][1] - fits[1][1]))) < 3e-3
    return SoleFit(
        normal,
        below,
        polygon,
        f"lowest face of the foot's {what} shapes"
        + ("" if agree else "; collision and visual shapes differ in height"),
        0.95 if agree else 0.8,
        what,
    )


def common_sole(left: SoleFit, right: SoleFit, middle: float) -> tuple[SoleFit, float]:
    """One sole for both feet, told for the left one, and how far the two are apart [m].

    Args:
        left: fit of the left foot.
        right: fit of the right foot.
        middle: where the plane of symmetry cuts the left axis [m].
    """
    flip = np.array([1.0, -1.0, 1.0])
    below = right.below * flip + np.array([0.0, 2.0 * middle, 0.0])
    outline = convex_outline(right.polygon * flip[:2])
    apart = float(np.abs(left.below - below).max())
    normal = left.normal + right.normal * flip
    smaller = left.polygon if area(left.polygon) <= area(outline) else outline
    if apart > 0.01:
        return left, apart
    return (
        replace(
            left,
            normal=normal / np.linalg.norm(normal),
            below=0.5 * (left.below + below),
            polygon=smaller,
            certainty=min(left.certainty, right.certainty),
        ),
        apart,
    )


def area(polygon: np.ndarray) -> float:
    """Area of a polygon [m^2]."""
    x, y = polygon.T
    return float(0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def _lowest(tree: Tree, solid: Solid, T: pin.SE3, upright: np.ndarray) -> np.ndarray:
    """Points of a solid in upright axes, rounded ones replaced by their undersides."""
    points = (in_frame(tree.model, solid) @ T.rotation.T + T.translation) @ upright
    return points - np.array([0.0, 0.0, solid.radius])


def _rest_face(
    points: np.ndarray, ankle: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Normal, point below the ankle, and outline of the face a cloud of points rests on."""
    length = float(np.ptp(points[:, 0]))
    thick = max(THICK * length, 1e-3)
    candidates = [np.array([0.0, 0.0, 1.0])]
    try:
        faces = ConvexHull(points).equations[:, :3]
        lower = np.unique(np.round(-faces[-faces[:, 2] > STEEPEST], 3), axis=0)
        candidates += list(lower / np.linalg.norm(lower, axis=1, keepdims=True))
    except QhullError:
        pass  # a flat foot: only its level face is left
    found = [(normal, _outline(points, normal, thick)) for normal in candidates]
    good = [(normal, outline) for normal, outline in found if outline is not None]
    if not good:
        return None
    normal, outline = max(good, key=lambda pair: area(pair[1]))
    level = found[0][1]
    if normal[2] >= LEVEL and level is not None and area(level) > 0.8 * area(outline):
        normal = candidates[0]
    height = float((points @ normal).min())
    below = ankle + (height - ankle @ normal) * normal
    fit = SoleFit(normal, below, np.zeros((0, 2)), "", 0.0)
    near = points[points @ normal < height + thick]
    flat = ((near - below) @ fit.R_body_foot)[:, :2]
    return normal, below, _simple(convex_outline(flat))


def _outline(points: np.ndarray, normal: np.ndarray, thick: float) -> np.ndarray | None:
    """Outline of the points near the lowest plane of a normal, seen along it."""
    height = points @ normal
    near = points[height < height.min() + thick]
    if len(near) < 3:
        return None
    x = np.cross([0.0, 1.0, 0.0], normal)
    x /= np.linalg.norm(x)
    flat = near @ np.column_stack([x, np.cross(normal, x)])
    try:
        return convex_outline(flat)
    except QhullError:
        return None  # the points lie on a line: an edge, no face


def _simple(polygon: np.ndarray) -> np.ndarray:
    """The polygon with at most a dozen corners; leaving out a corner never enlarges it."""
    polygon = np.round(polygon, 5)
    polygon = convex_outline(polygon)
    while len(polygon) > 4:
        before, after = np.roll(polygon, 1, axis=0), np.roll(polygon, -1, axis=0)
        a, b = polygon - before, after - before
        lost = 0.5 * np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        if len(polygon) <= MOST_CORNERS and lost.min() > 1e-3 * area(polygon):
            break
        polygon = np.delete(polygon, int(lost.argmin()), axis=0)
    return polygon


def _around(
    rods: list[Solid], tree: Tree, T: pin.SE3, upright: np.ndarray, ankle: np.ndarray
) -> SoleFit:
    """The rectangle under some rods, which is all that is known of the foot."""
    points = np.vstack([_lowest(tree, rod, T, upright) for rod in rods])
    below = np.array([*ankle[:2], points[:, 2].min()])
    (back, right), (front, left) = (
        (points - below)[:, :2].min(axis=0),
        (points - below)[:, :2].max(axis=0),
    )
    outline = np.round([[back, right], [front, right], [front, left], [back, left]], 4)
    return SoleFit(
        np.array([0.0, 0.0, 1.0]),
        below,
        outline,
        "the rectangle under the foot's collision rods; no mesh says more",
        0.5,
        "collision",
    )


def _proportions(ankle: np.ndarray, leg: float) -> SoleFit:
    """A foot of human proportions for a leg that ends without one."""
    length, width, height = 0.30 * leg, 0.13 * leg, 0.11 * leg
    back, front, half = -0.3 * length, 0.7 * length, 0.5 * width
    outline = np.round([[back, -half], [front, -half], [front, half], [back, half]], 4)
    below = ankle - np.array([0.0, 0.0, round(height, 4)])
    return SoleFit(
        np.array([0.0, 0.0, 1.0]),
        below,
        outline,
        "the foot has no shape: human proportions for a leg of this length",
        0.3,
    )


def sole_misfit(robot: Robot, solids: Solids, fit: SoleFit) -> float:
    """How far the lowest points of the feet are from the ground in half-sitting [m].

    It is found anew from the finished robot; zero when the feet have no shapes.
    """
    if not fit.source:
        return 0.0
    here, worst = robot.at(robot.half_sitting), 0.0
    for foot in robot.feet:
        joint = robot.model.frames[robot.frame_id(foot)].parentJoint
        links = [
            f.name
            for f in robot.model.frames
            if f.parentJoint == joint and f.type == pin.FrameType.BODY
        ]
        heights = [
            float((s.points @ here.pose(s.link).rotation[2]).min())
            + here.pose(s.link).translation[2]
            - s.radius
            for s in solids.of(tuple(links), fit.source)
        ]
        worst = max(worst, abs(min(heights, default=0.0)))
    return worst
