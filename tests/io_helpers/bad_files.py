"""Files that are wrong in every way we could think of, for every reader."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from io_helpers.samples import walk
from poise.io import DIALECTS
from poise.motion.editing import cut
from poise.robot import load_robot

ROBOT = "nao"


class Runs:
    """Unpickling this calls a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


@cache
def good_file(name: str, folder: Path) -> bytes:
    """A small valid file of a dialect."""
    motion = cut(walk(ROBOT), 0.0, 0.2)
    if name == "gmr":
        return pickle.dumps(
            {
                "fps": 30,
                "root_pos": motion.q[:, :3],
                "root_rot": motion.q[:, 3:7],
                "dof_pos": motion.joints,
            }
        )
    path = folder / name
    write = DIALECTS[name].write
    assert write is not None
    write(motion, load_robot(ROBOT), path)
    return path.read_bytes()


def rows_of(text: bytes) -> list[list[str]]:
    return [line.split(",") for line in text.decode().splitlines()]


def joined(rows: list[list[str]]) -> bytes:
    return ("\n".join(",".join(row) for row in rows) + "\n").encode()


def cell(text: bytes, row: int, column: int, value: str) -> bytes:
    rows = rows_of(text)
    rows[row][column] = value
    return joined(rows)


def rearranged(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """An archive with its arrays changed."""
    with np.load(io.BytesIO(data)) as file:
        arrays = dict(file)
    change(arrays)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def repickled(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    table = pickle.loads(data)
    change(table)
    return pickle.dumps(table)


def claimed(data: bytes, key: str, shape: tuple[int, ...]) -> bytes:
    """An archive where one array says it is larger than it is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == f"{key}.npy":
                head = io.BytesIO()
                claim = {"descr": "<f8", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(head, claim)
                content = head.getvalue() + content[128:]
            new.writestr(name, content)
    return buffer.getvalue()


def zip_bomb(data: bytes) -> bytes:
    """An archive whose table says that a member unfolds to almost 4 GB."""
    damaged = bytearray(data)
    at = damaged.rindex(b"PK\x01\x02")
    damaged[at + 24 : at + 28] = b"\xfe\xff\xff\xff"
    return bytes(damaged)


def everywhere(data: bytes) -> dict[str, bytes]:
    """Faults that any file can have."""
    rng = np.random.default_rng(0)
    n = len(data)
    return {
        "empty": b"",
        "one byte": data[:1],
        "cut after ten bytes": data[:10],
        "cut at a quarter": data[: n // 4].rsplit(b",", 1)[0],
        "cut in the middle": data[: n // 2].rsplit(b",", 1)[0],
        "cut before the end": data[: n - n // 20].rsplit(b",", 1)[0],
        "random bytes": rng.integers(0, 256, 2000, dtype=np.uint8).tobytes(),
        "zeros": bytes(1000),
        "words": b"It was a dark and stormy night;\nthe rain fell in torrents.\n",
        "not UTF-8": b"1.0,2.0,\xff\xfe\xfa,4.0\n" * 5,
        "a picture": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "an XML page": b"<html><body>404</body></html>\n",
        "half a zip": b"PK\x03\x04" + bytes(60),
        "an empty zip": b"PK\x05\x06" + bytes(18),
        "half a pickle": b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f",
        "half an MCAP": b"\x89MCAP0\r\n\x01" + b"\xff" * 8,
        "an empty list": b"[]",
        "numbers alone": b"1\n2\n3\n",
        "os.system": pickle.dumps(Runs(os.system, "touch boom")),
        "eval": pickle.dumps(Runs(eval, "open('boom', 'w')")),
        "nested globals": pickle.dumps({"root_pos": [Runs(os.system, "touch boom")]}),
    }


def particular(name: str, data: bytes) -> dict[str, bytes]:
    """Faults of one dialect."""
    if name in ("unitree-csv", "kimodo-csv", "mujoco-csv", "soma-csv"):
        rows = rows_of(data)
        made = {
            "NaN row": cell(data, 3, 9, "nan"),
            "infinite": cell(data, 3, 9, "inf"),
            "NaN quaternion": cell(data, 3, 5, "nan"),
            "a word": cell(data, 3, 9, "knee"),
            "an empty cell": cell(data, 3, 9, ""),
            "a ragged row": joined([*rows[:3], rows[3][:-1], *rows[4:]]),
            "a column too few": joined([row[:-1] for row in rows]),
            "a column too many": joined(
                [
                    [*row, "x1"]
                    if row == rows[0] and name.startswith(("m", "s"))
                    else [*row, "0.5"]
                    for row in rows
                ]
            ),
            "a header of someone": joined([["a", *(f"b{k}" for k in rows[0][1:])], *rows[1:]]),
        }
        if name in ("unitree-csv", "kimodo-csv"):
            zeros = [[*row[:3], "0", "0", "0", "0", *row[7:]] for row in rows]
            made["no rotation"] = joined(zeros)
        else:
            made["an unknown joint"] = joined([[*rows[0][:10], "tail", *rows[0][11:]], *rows[1:]])
            made["a joint twice"] = joined(
                [[*rows[0][:10], *rows[0][9:10], *rows[0][11:]], *rows[1:]]
            )
            made["only a header"] = joined(rows[:1])
        if name == "mujoco-csv":
            made["time goes back"] = cell(data, 3, 0, "0.0")
        return made
    if name in ("mujoco-npz", "isaaclab-npz", "mjlab-npz"):
        key = {"mujoco-npz": "qpos", "isaaclab-npz": "joint_pos", "mjlab-npz": "joint_pos"}[name]
        turn = {"mujoco-npz": "qpos", "isaaclab-npz": "base_quat_w", "mjlab-npz": "body_quat_w"}[
            name
        ]

        def nan(arrays: dict[str, Any]) -> None:
            arrays[key][2, 0] = np.nan

        return {
            "NaN row": rearranged(data, nan),
            "no rotation": rearranged(data, lambda a: a.update({turn: 0 * a[turn]})),
            "key missing": rearranged(data, lambda a: a.pop(key)),
            "too narrow": rearranged(data, lambda a: a.update({key: a[key][:, :-1]})),
            "flat": rearranged(data, lambda a: a.update({key: a[key].ravel()})),
            "of text": rearranged(data, lambda a: a.update({key: a[key].astype(str)})),
            "of objects": rearranged(data, lambda a: a.update({key: a[key].astype(object)})),
            "unknown joint": rearranged(data, lambda a: a["joint_names"].__setitem__(0, "tail")),
            "joint twice": rearranged(
                data, lambda a: a["joint_names"].__setitem__(0, a["joint_names"][1])
            ),
            "huge claim": claimed(data, key, (10**9, 10**6)),
            "negative claim": claimed(data, key, (-3, 5)),
            "zip bomb": zip_bomb(data),
            "rate of zero": rearranged(data, lambda a: (a.pop("time", 0), a.update(fps=0.0))),
        }
    if name == "gmr":
        return {
            "NaN row": repickled(data, lambda t: t["dof_pos"].__setitem__((2, 0), np.nan)),
            "no rotation": repickled(data, lambda t: t.update(root_rot=0 * t["root_rot"])),
            "key missing": repickled(data, lambda t: t.pop("root_rot")),
            "too narrow": repickled(data, lambda t: t.update(dof_pos=t["dof_pos"][:, 1:])),
            "of text": repickled(data, lambda t: t.update(dof_pos="abc")),
            "of objects": repickled(data, lambda t: t.update(dof_pos=t["dof_pos"].astype(object))),
            "rate of zero": repickled(data, lambda t: t.update(fps=0)),
            "rate of text": repickled(data, lambda t: t.update(fps="thirty")),
            "unknown joint": repickled(data, lambda t: t.update(dof_names=["tail"] * 24)),
            "a list": pickle.dumps([1, 2, 3]),
            "two motions": pickle.dumps({"a": pickle.loads(data), "b": pickle.loads(data)}),
            "a class": pickle.dumps(Path("x")),
            "huge claim": data.replace(b"K\x18\x86", b"J\xff\xff\xff\x7f\x86"),
        }
    if name == "naoqi-json":
        table = json.loads(data)
        return {
            "unknown joint": json.dumps(table | {"names": ["tail", *table["names"][1:]]}).encode(),
            "no times": json.dumps({k: v for k, v in table.items() if k != "times"}).encode(),
            "NaN": data.replace(b"0.0", b"NaN", 1) if b"0.0" in data else b"{",
            "deep": b"[" * 200_000,
        }
    return {}


def bad_files(name: str, folder: Path) -> dict[str, bytes]:
    """All of them for one dialect, by what is wrong."""
    data = good_file(name, folder)
    made = {**everywhere(data), **particular(name, data)}
    for other in DIALECTS.values():
        alike = {"unitree-csv", "kimodo-csv", "mujoco-csv"}
        if other.name == name or {other.name, name} <= alike:
            continue
        if other.write is not None or other.name == "gmr":
            made[f"a file of {other.name}"] = good_file(other.name, folder)
    assert all(content != data for content in made.values())
    return made
