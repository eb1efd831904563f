"""What others rely on in files: the table of keys, the conventions of every dialect."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import poise.io
from io_helpers.bad_files import ROBOT, bad_files, good_file
from io_helpers.samples import full
from poise.errors import PoiseError
from poise.io import DIALECTS, load, read_motion, save
from poise.robot import load_robot

REQUIRED = {"schema", "robot", "model_hash", "time", "q", "v", "joint_names", "contacts", "recipe"}


def test_a_motion_file_holds_the_keys_shapes_and_types_that_are_promised(tmp_path: Path) -> None:
    motion = full("nao")
    n, na = len(motion), len(motion.joint_names)
    save(motion, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        arrays = dict(file)
    optional = {"tau", "forces/left_foot", "forces/right_foot", "signals/zmp", "signals/com_ref"}
    assert set(arrays) == REQUIRED | optional
    assert arrays["schema"].dtype.kind == "i" and int(arrays["schema"]) == 1
    for key in ("robot", "model_hash", "contacts", "recipe"):
        assert arrays[key].dtype.kind == "U" and arrays[key].shape == ()
    shapes = {"time": (n,), "q": (n, 7 + na), "v": (n, 6 + na), "tau": (n, na)}
    shapes |= {"forces/left_foot": (n, 6), "signals/zmp": (n, 2), "joint_names": (na,)}
    for key, shape in shapes.items():
        assert arrays[key].shape == shape
        assert arrays[key].dtype == np.float64 or key == "joint_names"
    assert tuple(arrays["joint_names"]) == load_robot("nao").joint_names
    assert json.loads(str(arrays["recipe"])) == motion.recipe


def test_contacts_are_told_as_json_with_the_pose_as_xyz_and_xyzw(tmp_path: Path) -> None:
    motion = full("nao")
    save(motion, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        rows = json.loads(str(file["contacts"]))
    assert len(rows) == len(motion.contacts.touches)
    for row, touch in zip(rows, motion.contacts.touches, strict=True):
        assert set(row) == {"part", "start", "end", "surface", "points"}
        assert (row["part"], row["start"], row["end"]) == (touch.part, touch.start, touch.end)
        T = pin.XYZQUATToSE3(np.array(row["surface"]["pose"]))
        np.testing.assert_allclose(T.homogeneous, touch.T_world_surface.homogeneous, atol=1e-12)
        assert row["points"] == touch.points.tolist()


def test_a_motion_loads_without_its_robot_and_without_pickle(tmp_path: Path) -> None:
    save(full("nao"), tmp_path / "a.npz")
    motion = load(tmp_path / "a.npz")
    assert motion.robot == "nao"
    for tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert all(alias.name != "pickle" for alias in node.names)
            if isinstance(node, ast.ImportFrom):
                assert node.module not in ("pickle", "joblib", "torch")
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant) and node.value.value is False


def _trees() -> list[ast.Module]:
    folder = Path(poise.io.__file__).parent
    return [ast.parse(path.read_text()) for path in folder.rglob("*.py")]


def test_every_dialect_states_its_conventions() -> None:
    wanted = {"poise", "unitree-csv", "kimodo-csv", "mujoco-csv", "mujoco-npz", "gmr"}
    wanted |= {"naoqi-json", "ros2-mcap", "bvh", "isaaclab-npz", "mjlab-npz", "soma-csv"}
    assert set(DIALECTS) == wanted
    for name, dialect in DIALECTS.items():
        assert dialect.name == name and dialect.about and dialect.suffix.startswith(".")
        assert dialect.quaternion.split(":")[0] in ("xyzw", "wxyz", "none")
        assert "rad" in dialect.units or "degrees" in dialect.units
        assert dialect.order and dialect.rate
        assert dialect.read is not None or dialect.write is not None
    assert DIALECTS["gmr"].write is None and DIALECTS["bvh"].read is None


@pytest.mark.parametrize("name", [d.name for d in DIALECTS.values() if d.read is not None])
def test_thirty_bad_files_and_more_each_get_one_sentence(name: str, tmp_path: Path) -> None:
    files = bad_files(name, tmp_path)
    assert len(files) >= 30
    for what, content in files.items():
        path = tmp_path / f"bad{DIALECTS[name].suffix}"
        path.write_bytes(content)
        with pytest.raises(PoiseError) as caught:
            read_motion(path, ROBOT, dialect=name)
        text = str(caught.value)
        assert "\n" not in text and path.name in text and "accepted" in text, what


def test_the_command_answers_a_bad_file_with_code_two_and_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(good_file("unitree-csv", tmp_path)[:-40])
    done = subprocess.run(
        [sys.executable, "-m", "poise.cli", "convert", str(path), str(tmp_path / "a.npz")]
        + ["--robot", ROBOT],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "bad.csv" in done.stderr and not (tmp_path / "a.npz").exists()
