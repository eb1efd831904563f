"""The detective finds out what numbers without names mean, and says how sure it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from io_helpers.samples import ROBOTS, still, walk
from poise.errors import BadInput
from poise.io import Verdict, read_motion, sniff
from poise.io.layout import ANGLES, LENGTHS, in_order
from poise.io.orders import joint_order, swapped
from poise.motion import Motion
from poise.robot import Robot, load_robot


def table(
    motion: Motion,
    path: Path,
    quaternion: str = "xyzw",
    length: str = "m",
    angle: str = "rad",
    order: str = "tree",
    swap: bool = False,
) -> Path:
    """A table without a header, as some tool might write it, with six digits."""
    robot = load_robot(motion.robot)
    names = joint_order(robot, order)
    joints = motion.ordered_as(swapped(robot, names) if swap else names).joints
    rows = [
        motion.q[:, :3] / LENGTHS[length],
        in_order(motion.q[:, 3:7], quaternion),
        joints / ANGLES[angle],
    ]
    np.savetxt(path, np.hstack(rows), delimiter=",", fmt="%.6f")
    return path


CASES = {
    "as unitree writes it": {},
    "wxyz": {"quaternion": "wxyz"},
    "degrees": {"angle": "deg"},
    "centimetres": {"length": "cm"},
    "millimetres": {"length": "mm"},
    "pinocchio's order": {"order": "robot"},
    "isaac's order": {"order": "breadth"},
    "the document's order": {"order": "document"},
    "left and right swapped": {"swap": True},
    "all at once": {"quaternion": "wxyz", "length": "cm", "angle": "deg", "order": "breadth"},
}


@pytest.mark.parametrize("robot_name", ROBOTS)
@pytest.mark.parametrize("case", CASES)
def test_a_walk_is_understood_whatever_the_convention(
    case: str, robot_name: str, tmp_path: Path
) -> None:
    motion, robot = walk(robot_name), load_robot(robot_name)
    path = table(motion, tmp_path / "a.csv", **CASES[case])  # type: ignore[arg-type]
    back, verdict = read_motion(path, robot)
    np.testing.assert_allclose(back.q[:, :3], motion.q[:, :3], atol=2e-6)
    np.testing.assert_allclose(back.q[:, 3:7], motion.q[:, 3:7], atol=2e-6)
    np.testing.assert_allclose(back.joints, motion.joints, atol=2e-6)
    wxyz = CASES[case].get("quaternion") == "wxyz"
    assert verdict.dialect == ("kimodo-csv" if wxyz else "unitree-csv")
    assert verdict.certainty > expected_certainty(robot, **CASES[case]), str(verdict)


def expected_certainty(robot: Robot, swap: bool = False, order: str = "tree", **_: str) -> float:
    """Legs tell, because they stand; left for right is rare; arms alone hardly tell anything."""
    legs = [*robot.groups["left_leg"], *robot.groups["right_leg"]]
    told, usual = joint_order(robot, order), joint_order(robot, "tree")
    if told != usual and all(told.index(leg) == usual.index(leg) for leg in legs):
        return 0.5
    return 0.7 if swap else 0.95


@pytest.mark.parametrize("robot_name", ROBOTS)
def test_a_robot_that_only_stands_is_understood_too(robot_name: str, tmp_path: Path) -> None:
    motion, robot = still(robot_name), load_robot(robot_name)
    for quaternion in ("xyzw", "wxyz"):
        back, verdict = read_motion(table(motion, tmp_path / "a.csv", quaternion), robot)
        np.testing.assert_allclose(back.q, motion.q, atol=2e-6)
        assert verdict.certainty > 0.8, str(verdict)


@pytest.mark.parametrize("quaternion", ["xyzw", "wxyz"])
def test_a_robot_in_the_air_is_understood_by_being_upright(quaternion: str, tmp_path: Path) -> None:
    motion = walk("g1")
    q = motion.q.copy()
    q[:, 2] += 3.0
    q[:, 0] += np.linspace(0.0, 9.0, len(q)) ** 2
    path = table(replace(motion, q=q), tmp_path / "a.csv", quaternion)
    back, verdict = read_motion(path, load_robot("g1"))
    np.testing.assert_allclose(back.q, q, atol=2e-6)
    assert verdict.certainty < 0.9, "it is in the air, after all"


def test_readings_that_give_the_same_motion_are_one(tmp_path: Path) -> None:
    """With all joints at zero it does not matter which is which, nor in what unit."""
    robot = load_robot("g1")
    q = still("g1").q.copy()
    q[:, 7:] = 0.0
    verdict = sniff(table(replace(still("g1"), q=q), tmp_path / "a.csv"), robot)
    others = [name for name, chance in verdict.alternatives if chance > 1e-3]
    assert others and all("rad, joints in tree order" in name for name in others)


def test_what_cannot_be_told_is_said_to_be_unsure(tmp_path: Path) -> None:
    """A robot that floats far above the ground upside down says little about its file."""
    motion = walk("g1")
    q = motion.q.copy()
    rng = np.random.default_rng(0)
    q[:, 2] += 5.0
    q[:, 3:7] = rng.normal(size=(len(q), 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    q[:, 7:] = rng.uniform(-4, 4, size=q[:, 7:].shape)
    verdict = sniff(table(replace(motion, q=q), tmp_path / "a.csv"), load_robot("g1"))
    assert verdict.certainty < 0.5 and not verdict.sure


def test_the_verdict_gives_reasons_and_alternatives(tmp_path: Path) -> None:
    verdict = sniff(table(walk("g1"), tmp_path / "a.csv", "wxyz"), load_robot("g1"))
    text = str(verdict)
    assert "kimodo-csv" in text and "36 columns" in text and "30 Hz" in text
    assert "wxyz, m, rad" in text and ("ground" in text or "tilted" in text)
    assert verdict.alternatives
    chances = [chance for _, chance in verdict.alternatives]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) + verdict.certainty <= 1.0 + 1e-9
    assert verdict.layout is not None and verdict.layout.quaternion == "wxyz"


def test_a_named_dialect_is_taken_at_its_word_but_doubts_are_told(tmp_path: Path) -> None:
    motion, robot = walk("g1"), load_robot("g1")
    path = table(motion, tmp_path / "a.csv", "wxyz")
    back, verdict = read_motion(path, robot, dialect="unitree-csv")
    assert verdict.dialect == "unitree-csv" and verdict.certainty < 0.1
    assert any("looks like wxyz" in reason for reason in verdict.reasons)
    np.testing.assert_allclose(back.q[:, 3:7], in_order(motion.q[:, 3:7], "wxyz"), atol=2e-6)


def test_a_gmr_pickle_with_the_other_quaternion_is_noticed(tmp_path: Path) -> None:
    import pickle

    motion, robot = walk("g1"), load_robot("g1")
    path = tmp_path / "a.pkl"
    content = {
        "fps": 30,
        "root_pos": motion.q[:, :3],
        "root_rot": in_order(motion.q[:, 3:7], "wxyz"),
        "dof_pos": motion.joints,
    }
    path.write_bytes(pickle.dumps(content))
    back, verdict = read_motion(path, robot)
    assert verdict.dialect == "gmr" and verdict.layout is not None
    assert verdict.layout.quaternion == "wxyz" and verdict.certainty > 0.9
    np.testing.assert_allclose(back.q, motion.q, atol=1e-12)


def test_an_mjlab_file_made_in_isaac_is_noticed(tmp_path: Path) -> None:
    motion, robot = walk("g1"), load_robot("g1")
    from poise.io.dialects import mjlab_npz

    mjlab_npz.write(motion, robot, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        content = {k: v for k, v in file.items() if not k.endswith("_names")}
    isaac = motion.ordered_as(joint_order(robot, "breadth"))
    content |= {"joint_pos": isaac.joints, "joint_vel": isaac.v[:, 6:]}
    np.savez(tmp_path / "b.npz", **content)
    back, verdict = read_motion(tmp_path / "b.npz", robot)
    assert verdict.dialect == "mjlab-npz" and "breadth" in str(verdict.layout)
    np.testing.assert_allclose(back.q, motion.q, atol=1e-12)
    np.testing.assert_allclose(back.v, motion.v, atol=1e-9)


def test_mujoco_tables_are_told_by_their_width(tmp_path: Path) -> None:
    from poise.io.dialects.mujoco_axes import qpos_qvel

    motion, robot = walk("talos"), load_robot("talos")
    qpos, qvel = qpos_qvel(motion, robot)
    for name, rows in {
        "timed": np.hstack([motion.time[:, None], qpos]),
        "with qvel": np.hstack([motion.time[:, None], qpos, qvel]),
    }.items():
        path = tmp_path / f"{name}.csv"
        np.savetxt(path, rows, delimiter=",", fmt="%.17g")
        back, verdict = read_motion(path, robot)
        assert verdict.dialect == "mujoco-csv" and verdict.certainty > 0.95
        assert np.array_equal(back.q, motion.q)
    np.testing.assert_allclose(back.v, motion.v, atol=1e-12)


def test_content_wins_over_the_suffix_and_it_is_said(tmp_path: Path) -> None:
    robot = load_robot("g1")
    path = table(walk("g1"), tmp_path / "a.txt")
    motion, verdict = read_motion(path, robot)
    assert verdict.dialect == "unitree-csv" and len(motion) == len(walk("g1"))
    assert any(".txt" in reason for reason in verdict.reasons)


def test_a_person_is_not_a_robot(tmp_path: Path) -> None:
    from poise.io.dialects import bvh

    bvh.write(walk("nao"), load_robot("nao"), tmp_path / "a.bvh")
    with pytest.raises(BadInput, match="BVH"):
        read_motion(tmp_path / "a.bvh", "nao")


def test_a_verdict_reads_as_a_sentence() -> None:
    verdict = Verdict("gmr", 0.5, ("because",))
    assert str(verdict) == "gmr (50 % sure): because" and not verdict.sure
