"""Load and save at the front door: suffixes, names, and whose motion it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_helpers.samples import full, still, walk
from poise.errors import BadInput, NotFound
from poise.io import DIALECTS, load, read_motion, save
from poise.robot import load_robot

SUFFIXES = {
    ".npz": "poise",
    ".csv": "unitree-csv",
    ".json": "naoqi-json",
    ".mcap": "ros2-mcap",
}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_suffix_decides_the_dialect(suffix: str, tmp_path: Path) -> None:
    motion = walk("nao")
    notes = save(motion, tmp_path / f"a{suffix}")
    assert notes[0].startswith(SUFFIXES[suffix])
    back, verdict = read_motion(tmp_path / f"a{suffix}", "nao")
    assert verdict.dialect == SUFFIXES[suffix]
    assert np.array_equal(back.joints, motion.joints)


def test_notes_tell_what_is_lost_and_the_rate(tmp_path: Path) -> None:
    notes = " ".join(save(full("nao"), tmp_path / "a.csv"))
    assert "30 Hz" in notes and "torques, contacts, forces, signals" in notes


def test_unknown_suffixes_and_dialects_are_taught(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"accepted: \.npz, \.csv"):
        save(walk("nao"), tmp_path / "a.xyz")
    with pytest.raises(NotFound, match="Did you mean 'unitree-csv'"):
        save(walk("nao"), tmp_path / "a.csv", "unitree-cvs")
    with pytest.raises(BadInput, match="only read"):
        save(walk("nao"), tmp_path / "a.pkl")
    with pytest.raises(BadInput, match="only written"):
        save(walk("nao"), tmp_path / "a.bvh")
        load(tmp_path / "a.bvh", "nao", "bvh")


def test_a_robot_may_be_given_by_name_path_or_itself(tmp_path: Path) -> None:
    save(walk("nao"), tmp_path / "a.csv")
    robot = load_robot("nao")
    for given in ("nao", robot.folder, robot):
        assert load(tmp_path / "a.csv", given).robot == "nao"
    with pytest.raises(NotFound):
        load(tmp_path / "a.csv", "naoo")


def test_the_robot_is_told_by_the_file_where_it_can(tmp_path: Path) -> None:
    for suffix in (".npz", ".json", ".mcap"):
        save(walk("hoap3"), tmp_path / f"a{suffix}")
        motion, verdict = read_motion(tmp_path / f"a{suffix}")
        assert motion.robot == "hoap3" and verdict.certainty > 0.9
        assert "of hoap3" in verdict.reasons[0] or "robot hoap3" in verdict.reasons[0]


@pytest.mark.parametrize("name", ["nao", "hrp2", "g1"])
def test_an_untold_robot_is_inferred_from_joints_and_kinematics(name: str, tmp_path: Path) -> None:
    save(walk(name), tmp_path / "a.csv")
    motion, verdict = read_motion(tmp_path / "a.csv")
    assert motion.robot == name
    assert name in verdict.reasons[0] and "not told" in verdict.reasons[0]
    np.testing.assert_allclose(motion.q, walk(name).q, atol=1e-12)


def test_a_robot_that_nobody_knows_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,0,1,0,0,0,1,0.5,0.5,0.5\n" * 3)
    with pytest.raises(BadInput, match=r"robot= one of .*nao"):
        load(tmp_path / "a.csv")


def test_a_poise_file_of_an_unknown_robot_is_still_read(tmp_path: Path) -> None:
    from dataclasses import replace

    save(replace(walk("nao"), robot="custom", model_hash="x"), tmp_path / "a.npz")
    motion, verdict = read_motion(tmp_path / "a.npz")
    assert motion.robot == "custom" and any("known here" in r for r in verdict.reasons)


def test_another_version_of_the_model_is_said(tmp_path: Path) -> None:
    from dataclasses import replace

    save(replace(walk("nao"), model_hash="old"), tmp_path / "a.npz")
    _, verdict = read_motion(tmp_path / "a.npz")
    assert any("another version" in reason for reason in verdict.reasons)


def test_a_rate_means_the_right_thing_for_every_dialect(tmp_path: Path) -> None:
    motion = walk("g1")
    save(motion, tmp_path / "a.csv")
    assert load(tmp_path / "a.csv", "g1").rate == pytest.approx(30.0)
    assert load(tmp_path / "a.csv", "g1", rate=120.0).rate == pytest.approx(120.0)
    save(motion, tmp_path / "a.npz")
    twice = load(tmp_path / "a.npz", rate=60.0)
    assert twice.rate == pytest.approx(60.0) and twice.duration == pytest.approx(motion.duration)
    save(motion, tmp_path / "b.npz", "mujoco-npz")
    with pytest.raises(BadInput, match="own time stamps"):
        load(tmp_path / "b.npz", "g1", rate=60.0)
    for bad_rate in (0.0, -1.0, float("nan")):
        with pytest.raises(BadInput, match="positive"):
            load(tmp_path / "a.csv", "g1", rate=bad_rate)


def test_a_motion_that_is_not_finite_is_not_exported(tmp_path: Path) -> None:
    from dataclasses import replace

    q = still("nao").q.copy()
    q[2, 3] = np.nan
    broken = replace(still("nao"), q=q)
    for dialect in DIALECTS.values():
        if dialect.write is not None and dialect.name != "poise":
            with pytest.raises(BadInput, match="finite"):
                save(broken, tmp_path / f"a{dialect.suffix}", dialect.name)
    assert not list(tmp_path.iterdir())
