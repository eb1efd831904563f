"""isaaclab-npz: the archive that IsaacLab motion references use.

Keys: `joint_names`, `joint_pos` (n, joints), `base_pos_w` (n, 3), `base_quat_w` (n, 4) **w x y z**,
`framerate` (or fps, sample_rate); optional `joint_vel`, `base_lin_vel_w`, `base_ang_vel_w` (world
axes). Metres, radians. Written joints are in breadth order, as PhysX lists them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.files import write_whole
from poise.io.archive import Archive, archive_bytes
from poise.io.dialects.told_rate import told_rate
from poise.io.layout import in_order
from poise.io.orders import joint_order
from poise.io.outgoing import even_rate, left_behind, ready
from poise.io.rows import Rows, Speeds, declared, motion_of_rows, rotations
from poise.io.source import Source, bad, read_source
from poise.motion import Motion
from poise.robot import Robot

NAME = "isaaclab-npz"
SUFFIX = ".npz"
QUATERNION = "wxyz"
UNITS = "m, rad"
ORDER = "joint_names in the file, breadth when written"
RATE = "framerate in the file"
USUAL_RATE = None


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of an IsaacLab archive.

    Args:
        path: the file.
        robot: whose motion it is.
        rate: rows per second [Hz], where the file does not tell or tells it wrong.
    """
    found = rows(read_source(path), robot)
    return motion_of_rows(found, robot, declared(robot, found, QUATERNION), NAME, rate)


def rows(source: Source, robot: Robot) -> Rows:
    """The rows of the archive."""
    archive = Archive(source)
    names = archive.names("joint_names")
    joints = archive.numbers("joint_pos", ("n", len(names)))
    n = len(joints)
    keys = ("base_lin_vel_w", "base_ang_vel_w", "joint_vel")
    speeds = None
    if all(key in archive for key in keys):
        linear, angular = (archive.numbers(key, (n, 3)) for key in keys[:2])
        speeds = Speeds(linear, angular, archive.numbers("joint_vel", joints.shape), "world")
    if not names:
        raise bad(source.path, "joint_names", "empty", f"the {robot.na} joints of {robot.name}")
    return Rows(
        source,
        position=archive.numbers("base_pos_w", (n, 3)),
        quaternion=archive.numbers("base_quat_w", (n, 4)),
        joints=joints,
        names=names,
        rate=told_rate(archive),
        speeds=speeds,
    )


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write the base, the joints with their names, and the velocities."""
    motion = ready(motion, robot, path, rate)
    kept = even_rate(motion, path)
    names = joint_order(robot, "breadth")
    ordered = motion.ordered_as(names)
    R = rotations(motion.q[:, 3:7])
    arrays = {
        "framerate": np.array(kept),
        "joint_names": np.array(names, dtype=np.str_),
        "joint_pos": ordered.joints,
        "joint_vel": ordered.v[:, 6:],
        "base_pos_w": motion.q[:, :3],
        "base_quat_w": in_order(motion.q[:, 3:7], QUATERNION),
        "base_lin_vel_w": np.einsum("nij,nj->ni", R, motion.v[:, :3]),
        "base_ang_vel_w": np.einsum("nij,nj->ni", R, motion.v[:, 3:6]),
    }
    content = archive_bytes(arrays)
    with write_whole(path) as file:
        file.write(content)
    notes = [
        f"{NAME}: wxyz, m, rad, joints in breadth order with their names, {kept:g} Hz",
        left_behind(motion, "velocities"),
    ]
    return tuple(note for note in notes if note)
