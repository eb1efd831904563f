"""What the numbers of a file mean: quaternion order, units, joint order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

QUATERNIONS = {"xyzw": (0, 1, 2, 3), "wxyz": (1, 2, 3, 0)}  # where x, y, z, w stand
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}  # [m]
ANGLES = {"rad": 1.0, "deg": np.pi / 180.0}  # [rad]


@dataclass(frozen=True)
class Layout:
    """How to read rows of base position, base quaternion and joints."""

    quaternion: str = "xyzw"
    length: str = "m"
    angle: str = "rad"
    order: str = "tree"  # name of the joint order, for people
    joints: tuple[str, ...] = ()  # the joints themselves, in the order of the columns

    def __str__(self) -> str:
        return f"{self.quaternion}, {self.length}, {self.angle}, joints in {self.order} order"

    @property
    def metre(self) -> float:
        """What to multiply a length with to get metres."""
        return LENGTHS[self.length]

    @property
    def radian(self) -> float:
        """What to multiply an angle with to get radians."""
        return float(ANGLES[self.angle])

    def quat_xyzw(self, quaternions: np.ndarray) -> np.ndarray:
        """Quaternions as x y z w, (n, 4)."""
        return quaternions[:, QUATERNIONS[self.quaternion]]


def in_order(quat_xyzw: np.ndarray, order: str) -> np.ndarray:
    """Quaternions x y z w written in another order, (n, 4)."""
    return quat_xyzw[:, np.argsort(QUATERNIONS[order])]
