"""Where joints turn: the functional centre of a moving joint, and regressions where none moved.

SCoRE (Ehrig et al. 2006): a point fixed in one segment that stays as close as it can to a point
fixed in the other. Regressions for the hip: Harrington et al. (2007), Bell et al. (1990).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

LEAST_RANGE = np.deg2rad(15.0)  # [rad], of a joint that is asked for its centre
LEAST_SPREAD = 0.2  # of the second to the first axis of the motion: less is a hinge


@dataclass(frozen=True, eq=False)
class FunctionalCentre:
    """A centre of rotation as both segments see it."""

    in_first: np.ndarray  # [m], (3,), in the first segment's frame
    in_second: np.ndarray  # [m], (3,), in the second's
    residual: float  # [m], rms distance between both images
    motion_range: float  # [rad], largest angle between any two poses
    spread: float  # of the second to the first axis it turned about, zero for a hinge


def motion_range(R_rel: np.ndarray, most: int = 250) -> float:
    """Largest angle between any two of many rotations (n, 3, 3) [rad]."""
    if len(R_rel) < 2:
        return 0.0
    some = R_rel[np.linspace(0, len(R_rel) - 1, min(len(R_rel), most)).astype(int)]
    flat = some.reshape(len(some), 9)
    cosine = 0.5 * (flat @ flat.T - 1.0)
    return float(np.arccos(np.clip(cosine.min(), -1.0, 1.0)))


def functional_centre(
    R1: np.ndarray, t1: np.ndarray, R2: np.ndarray, t2: np.ndarray
) -> FunctionalCentre:
    """The point that both segments carry along best, by least squares (SCoRE).

    Args:
        R1: rotations of the first segment in the world, (n, 3, 3).
        t1: positions of its frame [m], (n, 3).
        R2: rotations of the second segment.
        t2: positions of its frame [m].
    """
    n = len(R1)
    A = np.concatenate([R1, -R2], axis=2).reshape(3 * n, 6)
    solution = np.linalg.lstsq(A, (t2 - t1).reshape(3 * n), rcond=None)[0]
    c1, c2 = solution[:3], solution[3:]
    gap = R1 @ c1 + t1 - R2 @ c2 - t2
    R_rel = np.einsum("nji,njk->nik", R1, R2)
    residual = float(np.sqrt(np.mean(np.sum(gap**2, axis=1))))
    return FunctionalCentre(c1, c2, residual, motion_range(R_rel), motion_spread(R_rel))


def motion_spread(R_rel: np.ndarray) -> float:
    """How much a motion turns about a second axis, in parts of what it does about its first."""
    U, _, Vt = np.linalg.svd(R_rel.mean(axis=0))
    middle = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    turns = Rotation.from_matrix(middle.T @ R_rel).as_rotvec()
    extent = np.linalg.svd(turns - turns.mean(axis=0), compute_uv=False)
    return float(extent[1] / extent[0]) if extent[0] > 0.0 else 0.0


def too_little(centre: FunctionalCentre) -> str | None:
    """Why a functional centre must not be used, or None."""
    degrees = np.rad2deg(centre.motion_range)
    if centre.motion_range < LEAST_RANGE:
        return f"moved over {degrees:.0f} degrees only"
    if centre.spread < LEAST_SPREAD:
        return f"moved over {degrees:.0f} degrees, but about one axis only"
    return None


def harrington(width: float, depth: float, leg: float | None = None) -> np.ndarray:
    """Right hip centre in the pelvis frame [m], (3,): x ahead, y up, z right, from mid-ASIS.

    Args:
        width: between the anterior spines [m].
        depth: from mid-ASIS to mid-PSIS [m].
        leg: from anterior spine to medial malleolus [m]; without it the one-variable form is used.
    """
    x = -0.24 * depth - 9.9e-3
    y = -0.30 * width - 10.9e-3 if leg is None else -0.16 * width - 0.04 * leg - 7.1e-3
    z = 0.28 * depth + 0.16 * width + 7.9e-3
    return np.array([x, y, z])


def bell(width: float) -> np.ndarray:
    """Right hip centre in the pelvis frame [m], (3,), from the width between the ASIS [m] alone."""
    return np.array([-0.19, -0.30, 0.36]) * width
