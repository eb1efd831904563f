"""Angles of joints: rotations taken apart about axes in order, and put together again.

Segment axes after ISB: x ahead, y up along the segment, z to the right, on both sides of the body.
About z a turn is flexion (positive: the far end of the segment goes ahead), about x it leads the
far end to the left, about y it turns the front to the left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SEQUENCE = "yzx"  # rotation, flexion, abduction
LOCKED = 1e-7  # cosine of the middle angle below which the first and last axis coincide


@dataclass(frozen=True, eq=False)
class JointAngles:
    """Angles of one joint over time [rad], (n,) each.

    R_parent_child = R_y(rotation) R_z(flexion) R_x(abduction).
    """

    rotation: np.ndarray
    flexion: np.ndarray
    abduction: np.ndarray


def axis_rotation(axis: str, angle: np.ndarray) -> np.ndarray:
    """Rotations about x, y or z by angles [rad] (n,), (n, 3, 3)."""
    angle = np.atleast_1d(np.asarray(angle, dtype=float))
    c, s = np.cos(angle), np.sin(angle)
    R = np.zeros((len(angle), 3, 3))
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    R[:, i, i] = 1.0
    R[:, j, j] = R[:, k, k] = c
    R[:, j, k], R[:, k, j] = -s, s
    return R


def composed(angles: np.ndarray, sequence: str = SEQUENCE) -> np.ndarray:
    """Rotations (n, 3, 3) from angles [rad] (n, 3), the first axis outermost.

    Args:
        angles: about the axes of the sequence.
        sequence: three different letters, e.g. "yzx".
    """
    a, b, c = (axis_rotation(axis, angles[:, k]) for k, axis in enumerate(sequence))
    return a @ b @ c


def decomposed(R: np.ndarray, sequence: str = SEQUENCE) -> np.ndarray:
    """Angles [rad] (n, 3) about three different axes, whose rotations make R (n, 3, 3).

    The middle angle lies within a quarter turn; where it reaches one, the last angle is zero.
    """
    i, j, k = ("xyz".index(axis) for axis in sequence)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0  # even or odd order of the axes
    middle = np.arcsin(np.clip(sign * R[:, i, k], -1.0, 1.0))
    first = np.arctan2(-sign * R[:, j, k], R[:, k, k])
    last = np.arctan2(-sign * R[:, i, j], R[:, i, i])
    locked = np.hypot(R[:, k, k], R[:, j, k]) < LOCKED
    first = np.where(locked, np.arctan2(sign * R[:, k, j], R[:, j, j]), first)
    last = np.where(locked, 0.0, last)
    return np.column_stack([first, middle, last])


def joint_angles(R_parent_child: np.ndarray) -> JointAngles:
    """Rotation, flexion and abduction of a joint, continuous over time."""
    angles = decomposed(R_parent_child)
    known = np.isfinite(angles).all(axis=1)
    angles[known] = np.unwrap(angles[known], axis=0)
    return JointAngles(angles[:, 0], angles[:, 1], angles[:, 2])
