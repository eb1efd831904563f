"""kimodo-csv: rows of numbers without a header, as Kimodo writes them.

Columns: base x y z [m], base quaternion **w x y z**, joints [rad] in tree order (as MuJoCo lists
them). The rate is not in the file; 30 Hz is usual. Only the quaternion sets it apart from
unitree-csv: the same number of columns means something else.
"""

from __future__ import annotations

from pathlib import Path

from poise.io.dialects import plain_csv
from poise.io.rows import motion_of_rows
from poise.io.source import read_source
from poise.motion import Motion
from poise.robot import Robot

NAME = "kimodo-csv"
SUFFIX = ".csv"
QUATERNION = "wxyz"
UNITS = "m, rad"
ORDER = "tree"
RATE = "not in the file, 30 Hz usual"
USUAL_RATE = 30.0  # [Hz]
rows = plain_csv.rows


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of a CSV file, taken at its word: wxyz, metres, radians, tree order.

    Args:
        path: the file.
        robot: whose motion it is.
        rate: rows per second [Hz]; 30 when absent.
    """
    found = rows(read_source(path), robot)
    layout = plain_csv.layout(robot, found, QUATERNION)
    return motion_of_rows(found, robot, layout, NAME, rate, USUAL_RATE)


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write the base and the joints at the motion's own rate, or at another [Hz]."""
    return plain_csv.write(motion, robot, path, rate, QUATERNION, NAME)
