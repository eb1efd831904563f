"""Rigid bodies through noisy points: the rotation and translation that fit best (Kabsch)."""

from __future__ import annotations

import numpy as np


def rigid_fit(shape: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a body of known shape in every frame, by least squares.

    Args:
        shape: points of the body in its own frame [m], (f, 3).
        points: the same points in the world [m], (n, f, 3), without gaps.

    Returns:
        R (n, 3, 3) and t (n, 3) with points = R shape + t as well as possible.
    """
    middle = shape.mean(axis=0)
    centre = points.mean(axis=1)
    H = np.einsum("fi,nfj->nij", shape - middle, points - centre[:, None])
    U, _, Vt = np.linalg.svd(H)
    V = Vt.transpose(0, 2, 1)
    mirror = np.sign(np.linalg.det(V @ U.transpose(0, 2, 1)))
    V[:, :, 2] *= np.where(mirror == 0.0, 1.0, mirror)[:, None]
    R = V @ U.transpose(0, 2, 1)
    return R, centre - R @ middle
