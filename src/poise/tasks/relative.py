"""Keep one frame where it should be relative to another: no world frame is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pinocchio as pin

from poise.robot import Snapshot
from poise.tasks.residual import Linear, Residual
from poise.tasks.rotations import ALIGNED_SQUARED, bend_rotation, cross, rotation_vector

STILL = np.zeros(3)


@dataclass(frozen=True, eq=False)
class RelativePose(Residual):
    """Pose of a frame as seen from a root frame; the twist of the target is in root axes."""

    root: str
    frame: str
    T_root_target: pin.SE3
    twist: np.ndarray | None = None  # [m/s, rad/s]
    unit: ClassVar[str] = "m, rad"

    @property
    def rows(self) -> int:
        """Six."""
        return 6

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Position error over rotation vector, in the axes of the root frame."""
        R = at.rotation(self.root).T
        v_root, v_frame = at.velocity(self.root), at.velocity(self.frame)
        a_root, a_frame = at.drift(self.root), at.drift(self.frame)
        J_root, J_frame = at.jacobian(self.root), at.jacobian(self.frame)
        lever = at.position(self.frame) - at.position(self.root)
        w = v_root[3:]

        # what someone sees who stands on the root and turns with it
        seen = v_frame[:3] - v_root[:3] - cross(w, lever)
        acceleration = a_frame[:3] - a_root[:3] - cross(a_root[3:], lever)
        acceleration -= cross(w, cross(w, lever)) + 2.0 * cross(w, seen)
        out.error[:3] = R @ lever - self.T_root_target.translation
        out.jacobian[:3] = R @ (J_frame[:3] - J_root[:3] + pin.skew(lever) @ J_root[3:])
        out.drift[:3] = R @ acceleration
        if self.twist is not None:
            np.negative(self.twist, out=out.flow)
        turn, e = R @ at.rotation(self.frame) @ self.T_root_target.rotation.T, out.error[3:]
        rotation_vector(turn, e)
        out.jacobian[3:] = R @ (J_frame[3:] - J_root[3:])
        out.drift[3:] = R @ (a_frame[3:] - a_root[3:] - cross(w, v_frame[3:]))
        if e @ e > ALIGNED_SQUARED:
            spin, spin_target = R @ (v_frame[3:] - w), STILL
            if self.twist is not None:
                spin_target = self.twist[3:]
            rest = out.jacobian[3:], out.flow[3:], out.drift[3:]
            bend_rotation(turn, e, spin, spin_target, STILL, *rest)
