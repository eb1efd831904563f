"""A skeleton of an animation as the landmarks and joints of a person.

Bones say where joints are; heels and soles they do not say. The file's rest pose tells how a foot
stands under its shank, and with that where its sole is.
"""

from __future__ import annotations

import numpy as np

from poise.errors import BadInput
from poise.motion import Skeleton
from poise.motion.bone_names import named_bones
from poise.motion.marker_names import SIDES

HEEL_BEHIND = 0.32  # of the distance from ankle to toe joint, that the heel lies behind the ankle
BALL_HEIGHT = 0.14  # of that distance, that the toe joint lies above the sole
JOINTS = ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")


def landmarks_of_skeleton(skeleton: Skeleton) -> tuple[dict[str, np.ndarray], list[str]]:
    """Joints and sole points over time [m], (n, 3) each, and what was guessed."""
    found = named_bones(skeleton.names, skeleton.parents, skeleton.offsets)
    points: dict[str, np.ndarray] = {}
    for name, joint in found.items():
        points[_joint_name(name)] = skeleton.positions[:, joint]
    notes = ["heels and soles guessed from the rest pose of the skeleton"]
    for side in SIDES:
        for name, path in _foot(skeleton, found, side).items():
            points[f"{side}_{name}"] = path
    return points, notes


def _joint_name(name: str) -> str:
    """Joints of sides get a name of their own; pelvis, chest, neck and head keep theirs."""
    return f"{name}_joint" if name.split("_")[0] in SIDES else name


def foot_frame(skeleton: Skeleton, found: dict[str, int], side: str) -> np.ndarray:
    """Axes of a foot in the rest pose, columns forward, left, up: R_rest_foot."""
    rest = skeleton.rest
    knee, ankle = rest[found[f"{side}_knee"]], rest[found[f"{side}_ankle"]]
    toe = rest[found[f"{side}_toe"]] if f"{side}_toe" in found else None
    up = (knee - ankle) / np.linalg.norm(knee - ankle)
    if toe is None or np.linalg.norm(toe - ankle) < 1e-6:
        across = rest[found["left_hip"]] - rest[found["right_hip"]]
        ahead = np.cross(across, up)
    else:
        ahead = toe - ankle
    ahead = ahead - (ahead @ up) * up
    length = np.linalg.norm(ahead)
    if length < 1e-9:
        raise BadInput("the skeleton", f"the {side} foot", "in line with its shank", "a foot ahead")
    ahead = ahead / length
    return np.column_stack([ahead, np.cross(up, ahead), up])


def _foot(skeleton: Skeleton, found: dict[str, int], side: str) -> dict[str, np.ndarray]:
    """Heel and forefoot on the sole, fixed to the foot's bone."""
    rest = skeleton.rest
    ankle = found[f"{side}_ankle"]
    R_rest_foot = foot_frame(skeleton, found, side)
    knee = rest[found[f"{side}_knee"]]
    if f"{side}_toe" in found:
        arm = R_rest_foot.T @ (rest[found[f"{side}_toe"]] - rest[ankle])
    else:
        shank = float(np.linalg.norm(knee - rest[ankle]))
        arm = np.array([0.35 * shank, 0.0, -0.13 * shank])
    reach = float(arm[0])
    sole = min(arm[2], 0.0) - BALL_HEIGHT * reach
    places = {
        "heel": np.array([-HEEL_BEHIND * reach, 0.0, sole]),
        "toe": np.array([reach, arm[1], sole + BALL_HEIGHT * reach]),
    }
    R = skeleton.rotations[:, ankle] @ R_rest_foot
    origin = skeleton.positions[:, ankle]
    return {name: origin + R @ place for name, place in places.items()}
