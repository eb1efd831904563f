"""Trunk, head and arms from their markers; whatever is not marked is left out and said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.engines.imitate import frames
from poise.engines.imitate.filters import seen
from poise.engines.imitate.subject import HEAD, MARKER_RADIUS, SHOULDER_DROP, TRUNK
from poise.engines.imitate.tracking import Segment, tracked
from poise.motion.marker_names import SIDES

Points = Mapping[str, np.ndarray]
HINGE = 0.15  # weight of the trunk's axis against the elbow's own, which a straight arm hides


@dataclass(frozen=True, eq=False)
class UpperBody:
    """What of the upper body was seen."""

    segments: dict[str, Segment]
    joints: dict[str, np.ndarray]  # [m], (n, 3)


def upper_body(points: Points, pelvis: Segment, mid_hip: np.ndarray) -> UpperBody:
    """Thorax, head and arms.

    Args:
        points: landmarks of the walk [m], (n, 3) each.
        pelvis: of the same frames.
        mid_hip: middle of the hip centres [m], (n, 3).
    """
    segments: dict[str, Segment] = {}
    joints: dict[str, np.ndarray] = {}
    here = pelvis.known
    points = {name: path for name, path in points.items() if _often(path, here)}
    thorax = _thorax(points, mid_hip)
    if thorax is None:
        return UpperBody({}, {})
    segments["thorax"] = thorax
    head = _head(points, thorax)
    if head is not None:
        segments["head"] = head
    span = _median(points, "left_shoulder", "right_shoulder")
    for side in SIDES:
        arm = _arm(points, side, thorax, span)
        if arm is not None:
            segments.update(arm[0])
            joints.update(arm[1])
    return UpperBody(segments, joints)


def _often(path: np.ndarray, where: np.ndarray) -> bool:
    """Whether a marker is seen in most of some frames."""
    return bool(where.any()) and float(seen(path)[where].mean()) > 0.5


def _median(points: Points, a: str, b: str) -> float:
    if a not in points or b not in points:
        return 0.36
    return float(np.nanmedian(np.linalg.norm(points[a] - points[b], axis=1)))


def _thorax(points: Points, mid_hip: np.ndarray) -> Segment | None:
    """By its four landmarks; by shoulders and hips where fewer are marked."""
    have = [name for name in TRUNK if name in points]
    shoulders = [f"{side}_shoulder" for side in SIDES]
    if all(name in have for name in TRUNK):
        paths = [points[name] for name in ("sternum_top", "c7", "sternum_low", "t10")]
        direct = frames.thorax_axes(*paths)
        origin = 0.5 * (paths[0] + paths[1])
        return _smooth_fit({name: points[name] for name in TRUNK}, direct, origin)
    if all(name in points for name in shoulders):
        left, right = (points[name] for name in shoulders)
        top = 0.5 * (left + right)
        return Segment(frames.upright_axes(left, right, mid_hip, top), top)
    if "c7" in have and ("sternum_top" in have or "sternum_low" in have):
        front = points["sternum_top" if "sternum_top" in have else "sternum_low"]
        ahead = frames.unit(front - points["c7"])
        up = frames.unit(points["c7"] - mid_hip)
        right = frames.unit(np.cross(ahead, up))
        axes = frames.axes_xyz(np.cross(up, right), up, right)
        return Segment(axes, 0.5 * (front + points["c7"]))
    return None


def _smooth_fit(points: Points, direct: np.ndarray, origin: np.ndarray) -> Segment:
    """Axes of the mean shape, laid through all points of every frame."""
    known = np.isfinite(direct).all(axis=(1, 2))
    if not known.any():
        return Segment(direct, origin)
    shape = {
        name: np.median(np.einsum("nji,nj->ni", direct[known], path[known] - origin[known]), axis=0)
        for name, path in points.items()
    }
    return tracked(shape, points)


def _head(points: Points, thorax: Segment) -> Segment | None:
    """The head's own turns, with the axes of the thorax on average."""
    have = {name: points[name] for name in HEAD if name in points}
    if len(have) < 3:
        return None
    whole = np.all([seen(p) for p in have.values()], axis=0) & thorax.known
    if whole.sum() < 3:
        return None
    first = np.flatnonzero(whole)[len(np.flatnonzero(whole)) // 2]
    middle = np.mean([p[first] for p in have.values()], axis=0)
    rough = tracked({n: thorax.R[first].T @ (p[first] - middle) for n, p in have.items()}, have)
    both = rough.known & thorax.known
    if not both.any():
        return None
    # what the head is turned against the thorax on average counts as looking ahead
    turn = np.einsum("nji,njk->nik", rough.R[both], thorax.R[both]).mean(axis=0)
    U, _, Vt = np.linalg.svd(turn)
    return Segment(rough.R @ (U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt), rough.origin)


def _arm(
    points: Points, side: str, thorax: Segment, span: float
) -> tuple[dict[str, Segment], dict[str, np.ndarray]] | None:
    """Upper arm, forearm and hand of one side."""
    acromion, elbow = points.get(f"{side}_shoulder"), points.get(f"{side}_elbow_lateral")
    wrists = [
        points[f"{side}_{n}"] for n in ("wrist_radial", "wrist_ulnar") if f"{side}_{n}" in points
    ]
    if acromion is None or elbow is None or not wrists:
        return None
    shoulder = acromion - SHOULDER_DROP * span * thorax.R[:, :, 1]
    medial = points.get(f"{side}_elbow_medial")
    wrist = np.mean(wrists, axis=0)
    out = 1.0 if side == "right" else -1.0
    if medial is not None:
        hinge = out * (elbow - medial)
        elbow = 0.5 * (elbow + medial)
    else:
        upper, fore = frames.unit(shoulder - elbow), frames.unit(elbow - wrist)
        hinge = np.cross(fore, upper) + HINGE * thorax.R[:, :, 2]
        inwards = frames.unit(frames.without(-out * thorax.R[:, :, 2], upper))
        elbow = elbow + (0.09 * span + MARKER_RADIUS) * inwards
    upper_arm = Segment(frames.long_bone_axes(elbow, shoulder, hinge), shoulder)
    forearm = Segment(frames.long_bone_axes(wrist, elbow, hinge), elbow)
    segments = {
        f"{side}_upper_arm": upper_arm,
        f"{side}_forearm": forearm,
        f"{side}_hand": Segment(forearm.R, wrist),
    }
    joints = {f"{side}_shoulder": shoulder, f"{side}_elbow": elbow, f"{side}_wrist": wrist}
    return segments, joints
