"""mujoco-csv: MuJoCo's qpos as a table, with or without names, times and velocities.

With a header: `time` (optional), `x y z qw qx qy qz`, the joints by name in any order, and
optionally the velocities `vx vy vz` (world), `wx wy wz` (base axes), `rate/<joint>`. Without: the
columns of qpos (base x y z, quaternion **w x y z**, joints in tree order), optionally time
before and qvel after. Metres, radians, seconds. Without times the rate must be told.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.io.dialects.mujoco_axes import qpos_qvel, speeds
from poise.io.orders import joint_order
from poise.io.outgoing import left_behind, ready
from poise.io.rows import Rows, Speeds, declared, motion_of_rows
from poise.io.source import Source, bad, read_source
from poise.io.table import Table, read_table, write_table
from poise.motion import Motion
from poise.robot import Robot

NAME = "mujoco-csv"
SUFFIX = ".csv"
QUATERNION = "wxyz"
UNITS = "m, rad, s"
ORDER = "names in the header, else tree"
RATE = "time column, else must be told"
USUAL_RATE = None
BASE = ("x", "y", "z", "qw", "qx", "qy", "qz")
LINEAR, ANGULAR = ("vx", "vy", "vz"), ("wx", "wy", "wz")
RATES = "rate/"


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of a table of qpos.

    Args:
        path: the file.
        robot: whose motion it is.
        rate: rows per second [Hz], where the file has no times.
    """
    found = rows(read_source(path), robot)
    return motion_of_rows(found, robot, declared(robot, found, QUATERNION), NAME, rate)


def rows(source: Source, robot: Robot) -> Rows:
    """The rows of the table, named or not."""
    table = read_table(source)
    return _named(source, table) if table.header else _bare(source, table, robot)


def _named(source: Source, table: Table) -> Rows:
    header = table.header or ()
    missing = [name for name in BASE if name not in header]
    if missing:
        found = f"without {', '.join(missing)}"
        raise bad(source.path, "the header", found, f"time, {', '.join(BASE)} and the joints")
    rest = [n for n in header if n not in (*BASE, *LINEAR, *ANGULAR, "time")]
    joints = [n for n in rest if not n.startswith(RATES)]

    def taken(names: list[str] | tuple[str, ...]) -> np.ndarray:
        return table.rows[:, [header.index(name) for name in names]]

    rates = [RATES + name for name in joints]
    wanted = [*LINEAR, *ANGULAR, *rates]
    given = [n for n in header if n in (*LINEAR, *ANGULAR) or n.startswith(RATES)]
    found_speeds = None
    if given:
        odd = sorted(set(wanted) ^ set(given))
        if odd:
            found = f"{'without' if odd[0] in wanted else 'with'} {odd[0]}"
            accepted = "no velocities, or those of the base and of every joint"
            raise bad(source.path, "the header", found, accepted)
        found_speeds = Speeds(taken(LINEAR), taken(ANGULAR), taken(rates), angular_in="base")
    return Rows(
        source,
        position=taken(BASE[:3]),
        quaternion=taken(BASE[3:]),
        joints=taken(joints),
        names=tuple(joints),
        time=taken(["time"])[:, 0] if "time" in header else None,
        speeds=found_speeds,
        first_line=table.first_line,
    )


def _bare(source: Source, table: Table, robot: Robot) -> Rows:
    width, (nq, nv) = table.rows.shape[1], (robot.nq, robot.nv)
    if width not in (nq, nq + nv, 1 + nq, 1 + nq + nv):
        accepted = f"{nq} for {robot.name} (1 more with time, {nv} more with velocities)"
        raise bad(source.path, "the number of columns", width, accepted)
    timed = width in (1 + nq, 1 + nq + nv)
    if timed and not _ticks(table.rows[:, 0]):
        accepted = f"time stamps, because {width} columns are one more than {robot.name} needs"
        raise bad(source.path, "the first column", "not like a clock", accepted)
    qpos, rest = table.rows[:, timed : timed + nq], table.rows[:, timed + nq :]
    return Rows(
        source,
        position=qpos[:, :3],
        quaternion=qpos[:, 3:7],
        joints=qpos[:, 7:],
        time=table.rows[:, 0] if timed else None,
        speeds=speeds(rest) if rest.shape[1] else None,
        first_line=table.first_line,
    )


def _ticks(column: np.ndarray) -> bool:
    """Whether numbers can be the times of a motion: increasing, and about evenly."""
    steps = np.diff(column)
    return (
        bool((steps > 0.0).all() and (steps < 5.0 * np.median(steps)).all()) if len(steps) else True
    )


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write qpos and qvel with a header of names, times included."""
    motion = ready(motion, robot, path, rate)
    qpos, qvel = qpos_qvel(motion, robot)
    names = joint_order(robot, "tree")
    header = ("time", *BASE, *names, *LINEAR, *ANGULAR, *(RATES + name for name in names))
    write_table(path, np.hstack([motion.time[:, None], qpos, qvel]), header)
    notes = [
        f"{NAME}: wxyz, m, rad, joints in tree order with their names, times and velocities",
        left_behind(motion, "velocities"),
    ]
    return tuple(note for note in notes if note)
