"""The project's own file: bit for bit, and every fault in one sentence."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from io_helpers.samples import full, walk
from poise.contacts import ContactPlan
from poise.errors import BadInput, PoiseError
from poise.io import load, npz, save
from poise.motion import Motion

ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True, width=64)


def identical(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("name", ["nao", "talos"])
def test_everything_a_motion_holds_comes_back_bit_for_bit(name: str, tmp_path: Path) -> None:
    motion = full(name)
    npz.write(motion, None, tmp_path / "a.npz")
    back = npz.read(tmp_path / "a.npz")
    for field in ("time", "q", "v", "tau"):
        assert identical(getattr(back, field), getattr(motion, field)), field
    for field in ("robot", "model_hash", "joint_names", "recipe"):
        assert getattr(back, field) == getattr(motion, field)
    for group in ("forces", "signals"):
        assert set(getattr(back, group)) == set(getattr(motion, group))
        for key, array in getattr(motion, group).items():
            assert identical(getattr(back, group)[key], array)
    for a, b in zip(back.contacts.touches, motion.contacts.touches, strict=True):
        assert (a.part, a.start, a.end) == (b.part, b.start, b.end)
        assert np.array_equal(a.points, b.points)
        np.testing.assert_allclose(
            a.T_world_surface.homogeneous, b.T_world_surface.homogeneous, atol=1e-15
        )


@settings(max_examples=40, deadline=None)
@given(data=st.data(), n=st.integers(0, 5), na=st.integers(0, 4))
def test_any_numbers_at_all_come_back(
    data: st.DataObject, n: int, na: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def numbers(*shape: int) -> np.ndarray:
        return data.draw(arrays.arrays(np.float64, shape, elements=ANY_FLOAT))

    texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
    names = data.draw(st.lists(texts, min_size=na, max_size=na, unique=True))
    motion = Motion(
        data.draw(texts),
        "hash",
        numbers(n),
        numbers(n, 7 + na),
        numbers(n, 6 + na),
        tuple(names),
        signals={"zmp": numbers(n, 2), "a/b": numbers(n, 0)},
        recipe={"who": data.draw(texts), "x": [1, 2.5, None, True]},
    )
    path = tmp_path_factory.mktemp("npz") / "a.npz"
    npz.write(motion, None, path)
    back = npz.read(path)
    for field in ("time", "q", "v"):
        assert identical(getattr(back, field), getattr(motion, field))
    assert identical(back.signals["zmp"], motion.signals["zmp"])
    assert back.signals["a/b"].shape == (n, 0)
    assert back.joint_names == tuple(names) and back.robot == motion.robot
    assert back.recipe == motion.recipe


def test_nan_is_read_for_the_judge_to_find(tmp_path: Path) -> None:
    q = walk("nao").q.copy()
    q[3, 9] = np.nan
    save(replace(walk("nao"), q=q), tmp_path / "a.npz")
    assert np.isnan(load(tmp_path / "a.npz").q[3, 9])


def test_the_same_motion_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        save(full("nao"), tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_numpys_own_files_are_read_too(tmp_path: Path) -> None:
    """Fortran order, other widths, compression, big-endian, bytes for names: all the same."""
    motion = full("nao")
    save(motion, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        content = dict(file)
    content["q"] = np.asfortranarray(content["q"])
    content["v"] = content["v"].astype(">f8")
    content["time"] = content["time"].astype(np.float32)
    content["joint_names"] = content["joint_names"].astype("S")
    content["extra"] = np.arange(3)
    np.savez_compressed(tmp_path / "b.npz", **content)
    back = load(tmp_path / "b.npz")
    assert identical(back.q, motion.q) and identical(back.v, motion.v)
    assert back.joint_names == motion.joint_names
    np.testing.assert_allclose(back.time, motion.time, rtol=1e-6)


def test_a_recipe_of_numpy_values_and_paths_is_written_as_json(tmp_path: Path) -> None:
    recipe = {"a": np.float64(1.5), "b": np.arange(3), "c": Path("x/y"), "d": {1, 2}}
    save(replace(walk("nao"), recipe=recipe), tmp_path / "a.npz")
    assert load(tmp_path / "a.npz").recipe == {"a": 1.5, "b": [0, 1, 2], "c": "x/y", "d": [1, 2]}
    with pytest.raises(BadInput, match="recipe"):
        save(replace(walk("nao"), recipe={"f": print}), tmp_path / "b.npz")
    assert not (tmp_path / "b.npz").exists()


def test_a_motion_of_another_robot_is_refused_and_another_order_is_sorted(tmp_path: Path) -> None:
    motion = walk("nao")
    turned = motion.ordered_as(tuple(reversed(motion.joint_names)))
    save(turned, tmp_path / "a.npz")
    assert np.array_equal(load(tmp_path / "a.npz", "nao").q, motion.q)
    assert load(tmp_path / "a.npz").joint_names == motion.joint_names
    with pytest.raises(BadInput, match="nao"):
        load(tmp_path / "a.npz", "hrp2")


# -- faults ----------------------------------------------------------------------------


def stored(**changes: Any) -> bytes:
    """A small valid file with some arrays replaced; None leaves one out."""
    motion = walk("nao")
    n, na = 3, len(motion.joint_names)
    content: dict[str, Any] = {
        "schema": 1,
        "robot": "nao",
        "model_hash": "0",
        "time": np.arange(n) / 10,
        "q": motion.q[:n],
        "v": motion.v[:n],
        "joint_names": np.array(motion.joint_names),
        "tau": np.zeros((n, na)),
        "contacts": "[]",
        "recipe": "{}",
        "forces/left_foot": np.zeros((n, 6)),
        "signals/zmp": np.zeros((n, 2)),
    }
    content |= changes
    buffer = io.BytesIO()
    np.savez(buffer, **{k: v for k, v in content.items() if v is not None})
    return buffer.getvalue()


def touch(**changes: Any) -> str:
    row: dict[str, Any] = {
        "part": "left_foot",
        "start": 0.0,
        "end": 1.0,
        "surface": {"pose": [0, 0, 0, 0, 0, 0, 1]},
        "points": [[0, 0, 0]],
    }
    row |= changes
    return json.dumps([{k: v for k, v in row.items() if v is not None}])


FAULTS = {
    "no schema": dict(schema=None),
    "schema of the future": dict(schema=2),
    "schema of no time": dict(schema=0),
    "schema as text": dict(schema="one"),
    "no robot": dict(robot=None),
    "robot is a number": dict(robot=3.0),
    "no hash": dict(model_hash=None),
    "no time": dict(time=None),
    "time has two axes": dict(time=np.zeros((3, 1))),
    "time is text": dict(time=np.array(["a", "b", "c"])),
    "no q": dict(q=None),
    "q too narrow": dict(q=np.zeros((3, 5))),
    "q too short": dict(q=walk("nao").q[:2]),
    "q of objects": dict(q=np.array([{}, {}, {}], dtype=object)),
    "q complex": dict(q=np.zeros((3, 31), dtype=complex)),
    "q of records": dict(q=np.zeros(3, dtype=[("a", "f8")])),
    "no v": dict(v=None),
    "v too wide": dict(v=np.zeros((3, 99))),
    "no names": dict(joint_names=None),
    "names too few": dict(joint_names=np.array(["a", "b"])),
    "names are numbers": dict(joint_names=np.arange(24)),
    "names twice": dict(joint_names=np.array(["a"] * 24)),
    "tau too narrow": dict(tau=np.zeros((3, 2))),
    "forces too narrow": {"forces/left_foot": np.zeros((3, 5))},
    "signal without columns": {"signals/zmp": np.zeros(3)},
    "no contacts": dict(contacts=None),
    "contacts broken": dict(contacts="[{"),
    "contacts no list": dict(contacts="{}"),
    "contacts nested too deep": dict(contacts="[" * 100_000),
    "touch no table": dict(contacts="[1]"),
    "touch without part": dict(contacts=touch(part=None)),
    "touch with a number for a part": dict(contacts=touch(part=3)),
    "touch with text for a start": dict(contacts=touch(start="0")),
    "touch with truth for an end": dict(contacts=touch(end=True)),
    "touch with NaN": dict(contacts=touch(end=float("nan"))),
    "touch without pose": dict(contacts=touch(surface={})),
    "touch with a short pose": dict(contacts=touch(surface={"pose": [0, 0, 0]})),
    "touch with a zero quaternion": dict(contacts=touch(surface={"pose": [0] * 7})),
    "touch with flat points": dict(contacts=touch(points=[0, 0, 0])),
    "touch with ragged points": dict(contacts=touch(points=[[0, 0, 0], [0]])),
    "no recipe": dict(recipe=None),
    "recipe is a list": dict(recipe="[]"),
    "recipe broken": dict(recipe="{'a': 1}"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_one_sentence(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "motion.npz"
    path.write_bytes(stored())
    npz.read(path)
    path.write_bytes(stored(**FAULTS[fault]))
    with pytest.raises(PoiseError) as caught:
        npz.read(path)
    text = str(caught.value)
    assert str(path) in text and "accepted" in text and "\n" not in text


def test_a_pickled_object_is_named_as_such_and_a_newer_schema_too(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(stored(**FAULTS["q of objects"]))
    with pytest.raises(BadInput, match="pickled object"):
        npz.read(path)
    path.write_bytes(stored(schema=2))
    with pytest.raises(BadInput, match="newer poise"):
        npz.read(path)


def test_claimed_sizes_are_checked_before_anything_unfolds(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    header = io.BytesIO()
    claim = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(header, claim)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("schema.npy", header.getvalue())
    with pytest.raises(BadInput, match="bytes"):
        npz.read(path)
    data = bytearray(stored())
    at = data.rindex(b"PK\x01\x02")  # the last entry of the zip's table: its size says 4 GB - 1
    data[at + 24 : at + 28] = b"\xfe\xff\xff\xff"
    path.write_bytes(bytes(data))
    with pytest.raises(BadInput, match="unfolded"):
        npz.read(path)


def test_a_contact_plan_without_touches_is_an_empty_list(tmp_path: Path) -> None:
    save(walk("nao"), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert json.loads(str(file["contacts"])) == []
    assert load(tmp_path / "a.npz").contacts.touches == ContactPlan().touches
