"""soma-csv: the table that SOMA's retargeter and the BONES-SEED data use.

Header `Frame, root_translateX, root_translateY, root_translateZ, root_rotateX, root_rotateY,
root_rotateZ, <joint>_dof, ...`. **Centimetres, degrees**, base rotation as Euler angles about the
fixed axes x, then y, then z. Joints by name. The rate is not in the file; 120 Hz is usual.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from poise.io.layout import Layout
from poise.io.orders import joint_order
from poise.io.outgoing import even_rate, left_behind, ready
from poise.io.rows import Rows, declared, motion_of_rows
from poise.io.source import Source, bad, read_source
from poise.io.table import read_table, write_table
from poise.motion import Motion
from poise.robot import Robot

NAME = "soma-csv"
SUFFIX = ".csv"
QUATERNION = "none: Euler angles xyz"
UNITS = "cm, degrees"
ORDER = "names in the header, tree when written"
RATE = "not in the file, 120 Hz usual"
USUAL_RATE = 120.0  # [Hz]
PLACE = tuple(f"root_translate{axis}" for axis in "XYZ")
TURN = tuple(f"root_rotate{axis}" for axis in "XYZ")
FRAME, ENDING = "Frame", "_dof"


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of a SOMA table.

    Args:
        path: the file.
        robot: whose motion it is.
        rate: rows per second [Hz]; 120 when absent.
    """
    found = rows(read_source(path), robot)
    return motion_of_rows(found, robot, layout(robot, found), NAME, rate, USUAL_RATE)


def layout(robot: Robot, found: Rows) -> Layout:
    """Centimetres and degrees; the Euler angles have become xyzw on the way."""
    named = declared(robot, found, "xyzw")
    return Layout("xyzw", "cm", "deg", named.order, named.joints)


def rows(source: Source, robot: Robot) -> Rows:
    """The rows of the table, with quaternions in place of Euler angles."""
    table = read_table(source)
    header = table.header or ()
    missing = [name for name in (*PLACE, *TURN) if name not in header]
    if missing:
        found = f"without {missing[0]}" if header else "missing"
        raise bad(source.path, "the header", found, f"{FRAME}, {', '.join(PLACE + TURN)}, joints")
    joints = [name for name in header if name not in (FRAME, *PLACE, *TURN)]

    def taken(names: list[str] | tuple[str, ...]) -> np.ndarray:
        return table.rows[:, [header.index(name) for name in names]]

    turn = taken(TURN)
    if not np.isfinite(turn).all():
        row = int(np.flatnonzero(~np.isfinite(turn).all(axis=1))[0]) + table.first_line
        raise bad(source.path, f"the base in row {row}", "not finite", "finite numbers")
    return Rows(
        source,
        position=taken(PLACE),
        quaternion=Rotation.from_euler("xyz", turn, degrees=True).as_quat(),
        joints=taken(joints),
        names=tuple(joints),
        first_line=table.first_line,
    )


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write the base and the joints at the motion's own rate, or at another [Hz]."""
    motion = ready(motion, robot, path, rate)
    kept = even_rate(motion, path)
    names = joint_order(robot, "tree")
    euler = Rotation.from_quat(motion.q[:, 3:7]).as_euler("xyz", degrees=True)
    joints = np.degrees(motion.ordered_as(names).joints)
    frames = np.arange(len(motion))[:, None]
    header = (FRAME, *PLACE, *TURN, *(name + ENDING for name in names))
    write_table(path, np.hstack([frames, 100.0 * motion.q[:, :3], euler, joints]), header)
    notes = [
        f"{NAME}: cm, degrees, Euler xyz, joints in tree order with their names",
        f"{kept:g} Hz, which the file cannot tell",
        left_behind(motion),
    ]
    return tuple(note for note in notes if note)
