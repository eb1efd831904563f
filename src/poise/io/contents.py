"""What the bytes of a file say about its dialect, before any robot is asked."""

from __future__ import annotations

from dataclasses import dataclass

from poise.io import npz
from poise.io.archive import Archive
from poise.io.dialects import (
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
from poise.io.dialects.mcap_file import MAGIC
from poise.io.registry import DIALECTS
from poise.io.source import Source, bad
from poise.io.table import read_table

ARCHIVES = {  # keys that give an archive away, in the order they are asked for
    npz.NAME: ("schema", "q", "joint_names"),
    mujoco_npz.NAME: ("qpos",),
    isaaclab_npz.NAME: ("joint_names", "joint_pos", "base_pos_w", "base_quat_w"),
    mjlab_npz.NAME: ("joint_pos", "body_pos_w", "body_quat_w"),
}
ACCEPTED = f"a motion in {', '.join(d.name for d in DIALECTS.values() if d.read is not None)}"


@dataclass(frozen=True)
class Content:
    """The dialects that the bytes allow, the likeliest first, why, and how sure."""

    dialects: tuple[str, ...]
    reason: str
    certainty: float


def content_of(source: Source) -> Content:
    """The dialects a file's bytes allow."""
    data = source.data
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _archive(source)
    if data.startswith(MAGIC):
        return Content((ros2_mcap.NAME,), "the file starts as MCAP files do", 0.99)
    if data[:1] == b"\x80" and data[1:2] in b"\x02\x03\x04\x05":
        return Content((gmr.NAME,), "the file starts as pickles do", 0.98)
    if source.path.suffix.lower() in (".pkl", ".pickle"):
        return Content((gmr.NAME,), "the suffix says pickle", 0.9)
    if data[1:2] == b"\x50" and source.path.suffix.lower() == ".c3d":
        raise bad(source.path, "the file", "a C3D recording of a person", ACCEPTED)
    return _text(source)


def _archive(source: Source) -> Content:
    archive = Archive(source)
    for name, keys in ARCHIVES.items():
        if all(key in archive for key in keys):
            return Content((name,), f"an archive with {', '.join(keys)}", 0.99)
    if "schema" in archive or "model_hash" in archive:
        return Content((npz.NAME,), "an archive with a schema", 0.9)
    held = ", ".join(sorted(archive.keys)[:8]) or "nothing"
    accepted = " or ".join("{" + ", ".join(keys) + "}" for keys in ARCHIVES.values())
    raise bad(source.path, "the archive", f"holding {held}", accepted)


def _text(source: Source) -> Content:
    text = source.text()
    start = text.lstrip()[:200]
    if start.startswith(("{", "[")):
        return Content((naoqi_json.NAME,), "JSON, as angleInterpolation takes it", 0.95)
    if start.upper().startswith("HIERARCHY"):
        found = "a BVH skeleton, which poise writes and does not read as a robot's motion"
        raise bad(source.path, "the file", found, ACCEPTED)
    table = read_table(source)
    if table.header is None:
        names = (unitree_csv.NAME, kimodo_csv.NAME, mujoco_csv.NAME)
        return Content(names, f"{table.rows.shape[1]} columns of numbers without a header", 1.0)
    if soma_csv.PLACE[0] in table.header:
        return Content((soma_csv.NAME,), f"the header names {soma_csv.PLACE[0]}", 0.99)
    if all(name in table.header for name in mujoco_csv.BASE):
        return Content((mujoco_csv.NAME,), "the header names x y z qw qx qy qz", 0.99)
    found = f"{', '.join(table.header[:5])}, ..."
    accepted = f"{', '.join(mujoco_csv.BASE)}, joints; or {soma_csv.PLACE[0]}, ...; or no header"
    raise bad(source.path, "the header", found, accepted)
