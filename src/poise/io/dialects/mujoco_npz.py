"""mujoco-npz: MuJoCo's qpos in a NumPy archive.

Keys: `qpos` (n, 7 + joints): base x y z, quaternion **w x y z**, joints; optional `qvel`
(linear velocity in the world, angular in base axes, joints), `joint_names` (else tree order),
and `time` (n,) or one of `fps`, `framerate`, `sample_rate`, `timestep`, `dt`. Metres, radians, s.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.files import write_whole
from poise.io.archive import Archive, archive_bytes
from poise.io.dialects.mujoco_axes import qpos_qvel, speeds
from poise.io.dialects.told_rate import told_rate
from poise.io.orders import joint_order
from poise.io.outgoing import left_behind, ready
from poise.io.rows import Rows, declared, motion_of_rows
from poise.io.source import Source, bad, read_source
from poise.motion import Motion
from poise.robot import Robot

NAME = "mujoco-npz"
SUFFIX = ".npz"
QUATERNION = "wxyz"
UNITS = "m, rad, s"
ORDER = "joint_names in the file, else tree"
RATE = "time or fps in the file, else must be told"
USUAL_RATE = None


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of an archive with qpos.

    Args:
        path: the file.
        robot: whose motion it is.
        rate: rows per second [Hz], where the file has no times.
    """
    found = rows(read_source(path), robot)
    return motion_of_rows(found, robot, declared(robot, found, QUATERNION), NAME, rate)


def rows(source: Source, robot: Robot) -> Rows:
    """The rows of qpos, and of qvel if it is there."""
    archive = Archive(source)
    qpos = archive.numbers("qpos", ("n", "7 + joints"))
    n, width = qpos.shape
    names = archive.names("joint_names") if "joint_names" in archive else None
    if width < 7 or (names is not None and len(names) != width - 7):
        told = "" if names is None else f" and {len(names)} joint_names"
        accepted = f"({n}, {robot.nq}) for {robot.name}"
        raise bad(source.path, "qpos", f"of shape {qpos.shape}{told}", accepted)
    qvel = archive.numbers("qvel", (n, width - 1)) if "qvel" in archive else None
    return Rows(
        source,
        position=qpos[:, :3],
        quaternion=qpos[:, 3:7],
        joints=qpos[:, 7:],
        names=names,
        time=archive.numbers("time", (n,)) if "time" in archive else None,
        rate=told_rate(archive),
        speeds=None if qvel is None else speeds(qvel),
    )


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write qpos, qvel, time and joint_names."""
    motion = ready(motion, robot, path, rate)
    qpos, qvel = qpos_qvel(motion, robot)
    names = np.array(joint_order(robot, "tree"), dtype=np.str_)
    arrays = {"time": motion.time, "qpos": qpos, "qvel": qvel, "joint_names": names}
    content = archive_bytes(arrays)
    with write_whole(path) as file:
        file.write(content)
    notes = [
        f"{NAME}: wxyz, m, rad, joints in tree order with their names, times and velocities",
        left_behind(motion, "velocities"),
    ]
    return tuple(note for note in notes if note)
