"""From a tree of bones and its angles to a Skeleton in metres, z up; BVH and AMC share this."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.io.recordings.axes import rotation_to_z_up
from poise.io.source import bad
from poise.motion import Recording, Skeleton
from poise.motion.bone_names import named_bones

USUAL_LEG = 0.80  # [m], hip to ankle of an adult
LENGTH_UNITS = {  # one unit in metres
    "mm": 1e-3,
    "cm": 1e-2,
    "inches": 0.0254,
    "CMU units (1/0.45 inch)": 0.0254 / 0.45,
    "dm": 0.1,
    "m": 1.0,
}
LEGS = (0.45, 1.15)  # [m], that a person may have


@dataclass(frozen=True, eq=False)
class Bones:
    """A skeleton as its file has it."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: np.ndarray  # (joints, 3), file units and axes
    root: np.ndarray  # (n, 3), path of the root
    local: np.ndarray  # (n, joints, 3, 3), rotation of each joint in its parent


def recording_of(bones: Bones, rate: float, path: Path, form: str) -> Recording:
    """The motion of a skeleton, with units, the up axis and a T-pose at the start found out."""
    dropped = leading_pose_frames(bones)
    if dropped:
        bones = Bones(
            bones.names, bones.parents, bones.offsets, bones.root[dropped:], bones.local[dropped:]
        )
    positions, rotations = forward(bones)
    found = named_bones(bones.names, bones.parents, bones.offsets)
    missing = [b for b in ("left_hip", "left_knee", "left_ankle", "right_hip") if b not in found]
    if missing:
        accepted = "legs with names such as LeftUpLeg, LeftLeg, LeftFoot or lfemur, ltibia, lfoot"
        raise bad(path, "the skeleton", f"without {', '.join(missing)}", accepted)
    metre, unit = _metre(bones, found)
    axis, sign = _up(positions, found, path)
    R_world_file = rotation_to_z_up(axis, sign)
    skeleton = Skeleton(
        bones.names,
        bones.parents,
        metre * bones.offsets @ R_world_file.T,
        metre * positions @ R_world_file.T,
        R_world_file @ rotations @ R_world_file.T,
    )
    notes: dict[str, Any] = {
        "format": form,
        "units": unit,
        "up": f"{'+' if sign > 0 else '-'}{'xyz'[axis]} of the file, because the head is there",
        "t_pose_frames": dropped,
    }
    return Recording(path.name, rate, skeleton=skeleton, notes=notes, start=dropped / rate)


def forward(bones: Bones) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, joints, 3) and rotations (n, joints, 3, 3) of all joints in the file's axes."""
    n, joints = len(bones.root), len(bones.names)
    positions = np.empty((n, joints, 3))
    rotations = np.empty((n, joints, 3, 3))
    for j, parent in enumerate(bones.parents):
        if parent < 0:
            positions[:, j] = bones.root
            rotations[:, j] = bones.local[:, j]
        else:
            positions[:, j] = positions[:, parent] + rotations[:, parent] @ bones.offsets[j]
            rotations[:, j] = rotations[:, parent] @ bones.local[:, j]
    return positions, rotations


def leading_pose_frames(bones: Bones, most: int = 5) -> int:
    """How many frames at the start are a pose put before the motion, such as a T-pose.

    Nobody gets from a T-pose into a stride within one frame: the change is a jump, far beyond
    what the other frames do.
    """
    n = len(bones.local)
    if n < 8:
        return 0
    change = turned(bones.local[:-1], bones.local[1:])  # [rad], (n - 1,), mean over the joints
    usual = float(np.percentile(change[most:], 95)) if n > 2 * most else float(np.median(change))
    jumps = np.flatnonzero(change[:most] > max(0.04, 8.0 * usual))
    return int(jumps[-1]) + 1 if len(jumps) else 0


def turned(R: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Mean angle between two sets of rotations [rad], over the joints."""
    trace = np.einsum("...ij,...ij->...", R, S)
    return np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)).mean(axis=-1)


def _metre(bones: Bones, found: dict[str, int]) -> tuple[float, str]:
    """Metres in one unit, from the length of a leg."""

    def between(upper: int, lower: int) -> float:
        length, joint = 0.0, lower
        while joint != upper and joint >= 0:
            length += float(np.linalg.norm(bones.offsets[joint]))
            joint = bones.parents[joint]
        return length

    leg = between(found["left_hip"], found["left_ankle"])
    if not leg > 0.0:
        return 1.0, "m, because the legs have no length"
    off = {unit: abs(np.log(leg * m / USUAL_LEG)) for unit, m in LENGTH_UNITS.items()}
    unit = min(off, key=lambda u: off[u])
    if LEGS[0] <= leg * LENGTH_UNITS[unit] <= LEGS[1]:
        return LENGTH_UNITS[unit], f"{unit}, from the length of a leg"
    metre = USUAL_LEG / leg
    return metre, f"unknown; scaled so that a leg is {USUAL_LEG:g} m from hip to ankle"


def _up(positions: np.ndarray, found: dict[str, int], path: Path) -> tuple[int, int]:
    """Axis and sign of up: where the trunk is, seen from the feet, over the whole motion."""
    feet = 0.5 * (positions[:, found["left_ankle"]] + positions[:, found["right_ankle"]])
    top = found.get("head", found.get("neck", found.get("chest")))
    upper = positions[:, top] if top is not None else positions[:, found["left_hip"]]
    rise = np.median(upper - feet, axis=0)
    axis = int(np.argmax(np.abs(rise)))
    if abs(rise[axis]) < 0.75 * np.linalg.norm(rise):
        found_text = "lying or bent over in most frames"
        raise bad(path, "the person", found_text, "a person who is mostly upright")
    return axis, 1 if rise[axis] > 0.0 else -1
