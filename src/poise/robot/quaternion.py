"""From rotation matrices to quaternions, as often as one likes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

_ORIGIN = np.zeros(3)


def quat_of(R: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation matrix, xyzw, (4,).

    `pin.Quaternion(R)` gives the same, but loses 80 bytes at every call (eigenpy 3.13), which in
    an hour of a thousand ticks a second is 300 MB; the other ways into a quaternion lose nothing.
    """
    return pin.SE3ToXYZQUAT(pin.SE3(R, _ORIGIN))[3:]
