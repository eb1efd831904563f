"""What unitree-csv and kimodo-csv share: a table of 7 + joints columns and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.io.layout import Layout, in_order
from poise.io.orders import joint_order
from poise.io.outgoing import even_rate, left_behind, ready
from poise.io.rows import Rows, declared
from poise.io.source import Source, bad
from poise.io.table import read_table, write_table
from poise.motion import Motion
from poise.robot import Robot
from poise.robot.robot import BASE_Q


def rows(source: Source, robot: Robot) -> Rows:
    """The rows of a table without a header."""
    table = read_table(source)
    if table.header is not None:
        found = f"a line of names ({table.header[0]}, ...)"
        raise bad(source.path, "the first line", found, "numbers only, without a header")
    width = table.rows.shape[1]
    if width != BASE_Q + robot.na:
        accepted = f"{BASE_Q + robot.na} for {robot.name} (7 of the base, {robot.na} joints)"
        raise bad(source.path, "the number of columns", width, accepted)
    return Rows(
        source,
        position=table.rows[:, :3],
        quaternion=table.rows[:, 3:7],
        joints=table.rows[:, 7:],
        first_line=table.first_line,
    )


def layout(robot: Robot, found: Rows, quaternion: str) -> Layout:
    """Metres, radians, joints in tree order."""
    return declared(robot, found, quaternion)


def write(
    motion: Motion,
    robot: Robot,
    path: str | Path,
    rate: float | None,
    quaternion: str,
    name: str,
) -> tuple[str, ...]:
    """Write the table; the notes say the rate, which readers must be told."""
    motion = ready(motion, robot, path, rate)
    kept = even_rate(motion, path)
    ordered = motion.ordered_as(joint_order(robot, "tree"))
    base = in_order(motion.q[:, 3:7], quaternion)
    write_table(path, np.hstack([motion.q[:, :3], base, ordered.joints]))
    notes = [
        f"{name}: {quaternion}, m, rad, joints in tree order",
        f"{kept:g} Hz, which the file cannot tell",
        left_behind(motion),
    ]
    return tuple(note for note in notes if note)
