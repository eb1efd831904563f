"""MuJoCo's qpos and qvel: wxyz, linear velocity in the world, angular velocity in the base."""

from __future__ import annotations

import numpy as np

from poise.io.layout import in_order
from poise.io.orders import joint_order
from poise.io.rows import Speeds, rotations
from poise.motion import Motion
from poise.robot import Robot


def qpos_qvel(motion: Motion, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """A motion as MuJoCo's arrays, joints in tree order, (n, nq) and (n, nv)."""
    ordered = motion.ordered_as(joint_order(robot, "tree"))
    qpos = np.hstack([motion.q[:, :3], in_order(motion.q[:, 3:7], "wxyz"), ordered.joints])
    linear = np.einsum("nij,nj->ni", rotations(motion.q[:, 3:7]), motion.v[:, :3])
    return qpos, np.hstack([linear, motion.v[:, 3:6], ordered.v[:, 6:]])


def speeds(qvel: np.ndarray) -> Speeds:
    """The velocities of a qvel, (n, nv)."""
    return Speeds(qvel[:, :3], qvel[:, 3:6], qvel[:, 6:], angular_in="base")
