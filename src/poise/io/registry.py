"""All dialects by name, and which one a file's suffix means."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from poise.errors import NotFound
from poise.io import npz
from poise.io.dialects import (
    bvh,
    gmr,
    isaaclab_npz,
    kimodo_csv,
    mjlab_npz,
    mujoco_csv,
    mujoco_npz,
    naoqi_json,
    ros2_mcap,
    soma_csv,
    unitree_csv,
)
from poise.io.dialects.dialect import Dialect, dialect_of
from poise.io.layout import Layout
from poise.io.rows import Rows, declared
from poise.io.source import bad
from poise.robot import Robot

_Declares = Callable[[Robot, Rows], Layout]
_XYZW: _Declares = partial(declared, quaternion="xyzw")
_WXYZ: _Declares = partial(declared, quaternion="wxyz")

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        dialect_of(npz, None),
        dialect_of(unitree_csv, _XYZW),
        dialect_of(kimodo_csv, _WXYZ),
        dialect_of(soma_csv, soma_csv.layout),
        dialect_of(mujoco_csv, _WXYZ),
        dialect_of(mujoco_npz, _WXYZ),
        dialect_of(gmr, _XYZW),
        dialect_of(mjlab_npz, _WXYZ),
        dialect_of(isaaclab_npz, _WXYZ),
        dialect_of(naoqi_json, None),
        dialect_of(ros2_mcap, None),
        dialect_of(bvh, None),
    )
}
BY_SUFFIX = {
    ".npz": npz.NAME,
    ".csv": unitree_csv.NAME,
    ".json": naoqi_json.NAME,
    ".mcap": ros2_mcap.NAME,
    ".bvh": bvh.NAME,
    ".pkl": gmr.NAME,
    ".pickle": gmr.NAME,
}


def dialect_named(name: str) -> Dialect:
    """A dialect by its name; underscores and "poise-npz" are understood."""
    plain = name.strip().lower().replace("_", "-")
    plain = npz.NAME if plain in ("npz", "poise-npz") else plain
    if plain not in DIALECTS:
        raise NotFound("dialect", name, list(DIALECTS))
    return DIALECTS[plain]


def dialect_for_writing(path: str | Path, dialect: str | None) -> Dialect:
    """The dialect to write a path in: the one named, else the one its suffix means."""
    if dialect is None:
        suffix = Path(path).suffix.lower()
        if suffix not in BY_SUFFIX:
            accepted = f"{', '.join(BY_SUFFIX)}, or a dialect ({', '.join(DIALECTS)})"
            raise bad(path, "the suffix", f"'{suffix}'", accepted)
        dialect = BY_SUFFIX[suffix]
    found = dialect_named(dialect)
    if found.write is None:
        written = ", ".join(d.name for d in DIALECTS.values() if d.write is not None)
        raise bad(path, "the dialect", f"{found.name}, which is only read", written)
    return found
