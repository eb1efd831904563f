"""The small facts a robot is made of: soles, sensors, shapes, servos, couplings, mirror.

They are plain values. Whatever is computed from them lives on a floor above.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

PARTS = ("base", "left_foot", "right_foot", "left_hand", "right_hand", "chest", "head")


@dataclass(frozen=True, eq=False)
class Sole:
    """The outline of a foot, in the frame of the foot part (z = 0 is the sole plane)."""

    polygon: np.ndarray  # [m], (n, 2), convex, counter-clockwise
    corners: np.ndarray  # [m], (4, 2), a rectangle inside the polygon, counter-clockwise

    @property
    def points(self) -> np.ndarray:
        """The four corners as points of the part's frame [m], (4, 3)."""
        return np.column_stack([self.corners, np.zeros(len(self.corners))])

    @property
    def outline(self) -> np.ndarray:
        """The polygon as points of the part's frame [m], (n, 3)."""
        return np.column_stack([self.polygon, np.zeros(len(self.polygon))])


@dataclass(frozen=True, eq=False)
class Sensor:
    """Something the robot can feel: a sole's pressure points, a wrench, an IMU."""

    name: str
    kind: str  # "pressure", "wrench" or "imu"
    link: str
    T_link_sensor: pin.SE3
    part: str = ""  # the part it measures, for soles and wrists
    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # [m], in the link
    labels: tuple[str, ...] = ()
    status: str = "published"


@dataclass(frozen=True, eq=False)
class Shape:
    """A collision primitive fixed to a link.

    Sizes [m]: box (x, y, z); sphere (radius,); capsule (radius, distance between the
    centres of its caps), along its local z.
    """

    link: str
    kind: str
    size: tuple[float, ...]
    T_link_shape: pin.SE3


@dataclass(frozen=True, eq=False)
class Servos:
    """Position servos of the joints, each array (na,) in the order of the joint names."""

    kp: np.ndarray  # [N m/rad]
    kd: np.ndarray  # [N m s/rad]
    armature: np.ndarray  # [kg m^2], rotor inertia seen at the joint
    damping: np.ndarray  # [N m s/rad], passive
    friction: np.ndarray  # [N m], dry


@dataclass(frozen=True)
class Coupling:
    """Two joints on one motor: joint = multiplier * of + offset, always."""

    joint: str
    of: str
    multiplier: float = 1.0  # factor
    offset: float = 0.0  # [rad]


@dataclass(frozen=True, eq=False)
class Mirror:
    """How a posture looks in a mirror: mirrored = sign * joints[index]."""

    index: np.ndarray  # (na,)
    sign: np.ndarray  # (na,)

    def joints(self, joints: np.ndarray) -> np.ndarray:
        """Joint angles or rates of the left/right mirror image, (..., na)."""
        return self.sign * joints[..., self.index]
