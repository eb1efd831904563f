"""Axes of body segments after ISB: x ahead, y up, z to the right, origin at the proximal joint.

Each function takes points over time, (n, 3) each, and gives R_world_segment, (n, 3, 3). On the left
side the axes point the same way as on the right: z is to the right of the person everywhere.
"""

from __future__ import annotations

import numpy as np

UP = np.array([0.0, 0.0, 1.0])


def unit(v: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) of length one, NaN where they had none."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(length > 1e-9, v / length, np.nan)


def without(v: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The part of vectors (n, 3) at right angles to unit vectors (n, 3)."""
    return v - np.sum(v * axis, axis=-1, keepdims=True) * axis


def axes_xyz(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Rotations with these columns, (n, 3, 3)."""
    return np.stack([x, y, z], axis=-1)


def pelvis_axes(left_asis: np.ndarray, right_asis: np.ndarray, back: np.ndarray) -> np.ndarray:
    """Pelvis: z from the left to the right anterior spine, x in the plane of the spines."""
    z = unit(right_asis - left_asis)
    x = unit(without(0.5 * (left_asis + right_asis) - back, z))
    return axes_xyz(x, np.cross(z, x), z)


def long_bone_axes(distal: np.ndarray, proximal: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Thigh and arm: y from the distal to the proximal joint, z as far right as that allows."""
    y = unit(proximal - distal)
    z = unit(without(right, y))
    return axes_xyz(np.cross(y, z), y, z)


def shank_axes(knee: np.ndarray, left_end: np.ndarray, right_end: np.ndarray) -> np.ndarray:
    """Shank: z along the malleoli, x normal to the plane of malleoli and knee.

    Args:
        knee: knee centre.
        left_end: the malleolus on the left of this ankle (lateral of a left leg).
        right_end: the one on its right.
    """
    z = unit(right_end - left_end)
    x = unit(np.cross(unit(knee - 0.5 * (left_end + right_end)), z))
    return axes_xyz(x, np.cross(z, x), z)


def foot_axes(heel: np.ndarray, toe: np.ndarray) -> np.ndarray:
    """A foot that stands flat: x ahead along the floor, y up."""
    up = np.broadcast_to(UP, heel.shape)
    x = unit(without(toe - heel, up))
    return axes_xyz(x, up, np.cross(x, up))


def thorax_axes(
    front_top: np.ndarray, back_top: np.ndarray, front_low: np.ndarray, back_low: np.ndarray
) -> np.ndarray:
    """Thorax: y from below to above, z normal to the plane of the four points, to the right."""
    low, top = 0.5 * (front_low + back_low), 0.5 * (front_top + back_top)
    y = unit(top - low)
    ahead = without(front_top - back_top, y)
    z = unit(np.cross(ahead, y))
    return axes_xyz(np.cross(y, z), y, z)


def upright_axes(
    left: np.ndarray, right: np.ndarray, low: np.ndarray, top: np.ndarray
) -> np.ndarray:
    """A trunk known by its shoulders: y up along it, z from left to right."""
    y = unit(top - low)
    z = unit(without(right - left, y))
    return axes_xyz(np.cross(y, z), y, z)


ROBOT_AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # R_isb_robot


def robot_axes(R: np.ndarray) -> np.ndarray:
    """The same orientation with x ahead, y left, z up instead of ISB's y up and z right."""
    return R @ ROBOT_AXES
