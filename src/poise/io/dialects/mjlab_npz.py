"""mjlab-npz: the archive that mjlab and BeyondMimic train on.

Keys: `fps`, `joint_pos` and `joint_vel` (n, joints), and for every body, the base first:
`body_pos_w` (n, bodies, 3), `body_quat_w` (n, bodies, 4) **w x y z**, `body_lin_vel_w`,
`body_ang_vel_w`, world axes, at the body's origin. Metres, radians. Joints and bodies are in tree
order (MuJoCo's); files made in Isaac have them in breadth order and say nothing about it. Written
files also hold `joint_names` and `body_names`, which are read when they are there.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin

from poise.files import write_whole
from poise.io.archive import Archive, archive_bytes
from poise.io.dialects.told_rate import told_rate
from poise.io.layout import in_order
from poise.io.orders import joint_order
from poise.io.outgoing import even_rate, left_behind, ready
from poise.io.rows import Rows, Speeds, declared, motion_of_rows
from poise.io.source import Source, bad, read_source
from poise.motion import Motion
from poise.robot import Robot

NAME = "mjlab-npz"
SUFFIX = ".npz"
QUATERNION = "wxyz"
UNITS = "m, rad"
ORDER = "joint_names in the file, else tree"
RATE = "fps in the file"
USUAL_RATE = 50.0  # [Hz]


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of an mjlab archive; the base is its first body.

    Args:
        path: the file.
        robot: whose motion it is.
        rate: rows per second [Hz], where the file does not tell or tells it wrong.
    """
    found = rows(read_source(path), robot)
    layout = declared(robot, found, QUATERNION)
    return motion_of_rows(found, robot, layout, NAME, rate, USUAL_RATE)


def rows(source: Source, robot: Robot) -> Rows:
    """The joints, and the first body as the base."""
    archive = Archive(source)
    joints = archive.numbers("joint_pos", ("n", "joints"))
    n = len(joints)
    positions = archive.numbers("body_pos_w", (n, "bodies", 3))
    quaternions = archive.numbers("body_quat_w", (n, "bodies", 4))
    if not positions.shape[1] or positions.shape[1] != quaternions.shape[1]:
        found = f"for {positions.shape[1]} and {quaternions.shape[1]} bodies"
        raise bad(source.path, "body_pos_w and body_quat_w", found, "as many, the base first")
    names = archive.names("joint_names") if "joint_names" in archive else None
    if names is not None and len(names) != joints.shape[1]:
        found = f"{len(names)} for {joints.shape[1]} columns of joint_pos"
        raise bad(source.path, "joint_names", found, "one name for each column")
    keys = ("body_lin_vel_w", "body_ang_vel_w", "joint_vel")
    speeds = None
    if all(key in archive for key in keys):
        bodies = positions.shape[1]
        linear, angular = (archive.numbers(key, (n, bodies, 3))[:, 0] for key in keys[:2])
        speeds = Speeds(linear, angular, archive.numbers("joint_vel", joints.shape), "world")
    return Rows(
        source,
        position=positions[:, 0],
        quaternion=quaternions[:, 0],
        joints=joints,
        names=names,
        rate=told_rate(archive),
        speeds=speeds,
    )


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write joints and bodies; a body is the base or the link that a joint moves."""
    motion = ready(motion, robot, path, rate)
    kept = even_rate(motion, path)
    names = joint_order(robot, "tree")
    ordered = motion.ordered_as(names)
    arrays = {
        "fps": np.array([kept]),
        "joint_pos": ordered.joints,
        "joint_vel": ordered.v[:, 6:],
        **_bodies(motion, robot, names),
        "joint_names": np.array(names, dtype=np.str_),
        "body_names": np.array(("base", *names), dtype=np.str_),
    }
    content = archive_bytes(arrays)
    with write_whole(path) as file:
        file.write(content)
    notes = [
        f"{NAME}: wxyz, m, rad, joints and bodies in tree order with their names, {kept:g} Hz",
        left_behind(motion, "velocities"),
    ]
    return tuple(note for note in notes if note)


def _bodies(motion: Motion, robot: Robot, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Poses and velocities of the base and of every link that a joint moves."""
    model, data = robot.model, robot.model.createData()
    ids = [1, *(model.getJointId(name) for name in names)]
    n = len(motion)
    poses, speeds = np.empty((n, len(ids), 7)), np.empty((n, len(ids), 6))
    for k in range(n):
        pin.forwardKinematics(model, data, motion.q[k], motion.v[k])
        for b, joint in enumerate(ids):
            poses[k, b] = pin.SE3ToXYZQUAT(data.oMi[joint])
            R = data.oMi[joint].rotation
            speeds[k, b, :3] = R @ data.v[joint].linear
            speeds[k, b, 3:] = R @ data.v[joint].angular
    wxyz = in_order(poses[:, :, 3:].reshape(-1, 4), QUATERNION).reshape(n, len(ids), 4)
    wxyz[:, 0] = in_order(motion.q[:, 3:7], QUATERNION)  # as it is, not through a matrix
    return {
        "body_pos_w": poses[:, :, :3],
        "body_quat_w": wxyz,
        "body_lin_vel_w": speeds[:, :, :3],
        "body_ang_vel_w": speeds[:, :, 3:],
    }
