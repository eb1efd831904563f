"""gmr: the pickle that General Motion Retargeting writes; read only, and nothing in it is run.

A dict with `fps`, `root_pos` (n, 3), `root_rot` (n, 4) **x y z w**, `dof_pos` (n, joints), and
perhaps `dof_names`, `local_body_pos`, `link_body_list`; newer files put that dict inside another.
Metres, radians, joints in tree order (MuJoCo's).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.io.plain_pickle import UnsafePickle, plain_data
from poise.io.rows import Rows, declared, motion_of_rows
from poise.io.source import Source, bad, read_source
from poise.motion import Motion
from poise.robot import Robot

NAME = "gmr"
SUFFIX = ".pkl"
QUATERNION = "xyzw"
UNITS = "m, rad"
ORDER = "dof_names in the file, else tree"
RATE = "fps in the file"
USUAL_RATE = 30.0  # [Hz]
KEYS = ("root_pos", "root_rot", "dof_pos")
ACCEPTED = "a GMR motion: a dict with fps, root_pos, root_rot, dof_pos"


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of a GMR pickle.

    Args:
        path: the file.
        robot: whose motion it is.
        rate: rows per second [Hz], where the file does not tell or tells it wrong.
    """
    found = rows(read_source(path), robot)
    layout = declared(robot, found, QUATERNION)
    return motion_of_rows(found, robot, layout, NAME, rate, USUAL_RATE)


def rows(source: Source, robot: Robot) -> Rows:
    """The rows of the dict."""
    motion = _motion(source)
    dof = _numbers(motion, "dof_pos", None, source)
    n = len(dof)
    names = motion.get("dof_names")
    if names is not None and not (
        isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    ):
        raise bad(source.path, "dof_names", f"a {type(names).__name__}", "a list of joint names")
    return Rows(
        source,
        position=_numbers(motion, "root_pos", (n, 3), source),
        quaternion=_numbers(motion, "root_rot", (n, 4), source),
        joints=dof,
        names=None if names is None else tuple(names),
        rate=_rate(motion, source),
    )


def _motion(source: Source) -> dict[Any, Any]:
    """The dict with the motion, at the top or inside one other dict."""
    try:
        data = plain_data(source.data)
    except UnsafePickle as error:
        raise bad(source.path, "the pickle", error, ACCEPTED) from None
    if isinstance(data, dict) and not all(key in data for key in KEYS):
        inner = {
            name: value
            for name, value in data.items()
            if isinstance(value, dict) and all(key in value for key in KEYS)
        }
        if len(inner) > 1:
            found = f"{len(inner)} motions ({', '.join(map(str, list(inner)[:3]))}, ...)"
            raise bad(source.path, "the pickle", found, "a single motion in a file")
        data = next(iter(inner.values()), data)
    if not isinstance(data, dict):
        raise bad(source.path, "the pickle", f"a {type(data).__name__}", ACCEPTED)
    missing = [key for key in KEYS if key not in data]
    if missing:
        raise bad(source.path, "the pickle", f"without {', '.join(missing)}", ACCEPTED)
    return data


def _numbers(
    motion: dict[Any, Any], key: str, shape: tuple[int, int] | None, source: Source
) -> np.ndarray:
    wanted = "(n, joints)" if shape is None else f"{shape}"
    try:
        array = np.array(motion[key], dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise bad(source.path, key, "not numbers", f"numbers of shape {wanted}") from None
    if array.ndim != 2 or (shape is not None and array.shape != shape):
        raise bad(source.path, key, f"of shape {array.shape}", f"numbers of shape {wanted}")
    return array


def _rate(motion: dict[Any, Any], source: Source) -> float | None:
    found = motion.get("fps", motion.get("frame_rate"))
    if found is None:
        return None
    try:
        rate = float(np.asarray(found, dtype=float).reshape(-1)[0])
    except (ValueError, TypeError, IndexError):
        raise bad(source.path, "fps", f"a {type(found).__name__}", "a positive number") from None
    if not (np.isfinite(rate) and rate > 0.0):
        raise bad(source.path, "fps", f"{rate}", "a positive number")
    return rate
