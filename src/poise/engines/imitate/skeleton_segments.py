"""Segments of a skeleton with the axes of a person: x ahead, y up along the bone, z right.

The rest pose of the file shows the person upright and facing one way, though with arms or legs
spread. Axes are laid into it bone by bone, and then go along with the bones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.engines.imitate import frames
from poise.engines.imitate.skeleton_body import foot_frame
from poise.engines.imitate.tracking import Segment
from poise.motion import Skeleton
from poise.motion.bone_names import named_bones
from poise.motion.marker_names import SIDES

BONES = {  # segment: joint at its start, joint at its end
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
}


def skeleton_segments(
    skeleton: Skeleton,
) -> tuple[dict[str, Segment], dict[str, np.ndarray]]:
    """Segments and joint centres [m] (n, 3), as far as the skeleton has them."""
    found = named_bones(skeleton.names, skeleton.parents, skeleton.offsets)
    rest = skeleton.rest
    right = rest[found["right_hip"]] - rest[found["left_hip"]]
    right = right / np.linalg.norm(right)
    ahead = _ahead(skeleton, found, right)
    up = np.cross(right, ahead)
    segments: dict[str, Segment] = {}
    upright = np.column_stack([ahead, up, right])
    segments["pelvis"] = _moved(skeleton, found["pelvis"], upright, found["left_hip"])
    hips = [skeleton.positions[:, found[f"{side}_hip"]] for side in SIDES]
    segments["pelvis"] = Segment(segments["pelvis"].R, 0.5 * (hips[0] + hips[1]))
    for name in ("chest", "head"):
        key = {"chest": "thorax"}.get(name, name)
        if name in found:
            segments[key] = _moved(skeleton, found[name], upright, found[name])
    joints = {}
    for side in SIDES:
        for segment, (start, end) in BONES.items():
            a, b = found.get(f"{side}_{start}"), found.get(f"{side}_{end}")
            if a is None or b is None:
                continue
            y = rest[a] - rest[b]
            y = y / np.linalg.norm(y)
            z = _across(y, right, ahead)
            axes = np.column_stack([np.cross(y, z), y, z])
            segments[f"{side}_{segment}"] = _moved(skeleton, a, axes, a)
            joints[f"{side}_{start}"] = skeleton.positions[:, a]
            joints[f"{side}_{end}"] = skeleton.positions[:, b]
        R_rest_foot = foot_frame(skeleton, found, side)  # columns ahead, left, up
        isb = R_rest_foot @ frames.ROBOT_AXES.T
        segments[f"{side}_foot"] = _moved(
            skeleton, found[f"{side}_ankle"], isb, found[f"{side}_ankle"]
        )
        if f"{side}_forearm" in segments:
            wrist = joints[f"{side}_wrist"]
            segments[f"{side}_hand"] = Segment(segments[f"{side}_forearm"].R, wrist)
    return segments, joints


def _moved(skeleton: Skeleton, bone: int, axes: np.ndarray, at: int) -> Segment:
    """Axes laid into the rest pose, going along with a bone; the origin at a joint."""
    return Segment(skeleton.rotations[:, bone] @ axes, skeleton.positions[:, at])


def _across(y: np.ndarray, right: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """Z of a bone in the rest pose: to the right; for an arm held out sideways, turned with it.

    An arm that is spread to the side has its y along the body's right. Brought down, the axis that
    will point right is the one that points up or down now.
    """
    z = right - (right @ y) * y
    if np.linalg.norm(z) < 0.5:
        up = np.cross(right, ahead)
        z = -np.sign(right @ y) * up  # about the axis ahead it comes to the right
        z = z - (z @ y) * y
    return z / np.linalg.norm(z)


def _ahead(skeleton: Skeleton, found: Mapping[str, int], right: np.ndarray) -> np.ndarray:
    """Where the person faces in the rest pose: where the feet point, at right angles to right."""
    rest = skeleton.rest
    ahead = np.zeros(3)
    for side in SIDES:
        if f"{side}_toe" in found:
            ahead = ahead + rest[found[f"{side}_toe"]] - rest[found[f"{side}_ankle"]]
    ahead = ahead - (ahead @ right) * right
    ahead[2] = 0.0
    if np.linalg.norm(ahead) < 1e-6:
        ahead = np.cross([0.0, 0.0, 1.0], right)
    return ahead / np.linalg.norm(ahead)
