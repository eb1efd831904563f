"""Keys of joints become a motion: the base from the feet, smooth between the keys."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from io_helpers.samples import ROBOTS, still, walk
from poise.errors import BadInput
from poise.io.dialects import naoqi_json
from poise.io.feet import base_from_feet
from poise.robot import load_robot


@pytest.mark.parametrize("name", ROBOTS)
def test_frames_come_back_and_the_feet_carry_the_base(name: str, tmp_path: Path) -> None:
    motion, robot = walk(name), load_robot(name)
    naoqi_json.write(motion, robot, tmp_path / "a.json")
    back = naoqi_json.read(tmp_path / "a.json", robot)
    np.testing.assert_allclose(back.time, motion.time - motion.time[0], atol=1e-12)
    assert np.array_equal(back.joints, motion.joints)
    assert any("feet" in note for note in back.recipe["assumptions"])
    # the walk is the same, only somewhere else on the ground
    first = [pin.XYZQUATToSE3(m.q[0, :7]) for m in (motion, back)]
    moved = first[1] * first[0].inverse()
    assert np.abs(moved.translation[2]) < 1e-6
    np.testing.assert_allclose(moved.rotation[2], [0, 0, 1], atol=1e-6)
    for a, b in zip(motion.q, back.q, strict=True):
        gap = pin.log6(pin.XYZQUATToSE3(b[:7]).actInv(moved * pin.XYZQUATToSE3(a[:7]))).vector
        assert np.abs(gap).max() < 2e-3 * robot.half_sitting[2]


def test_the_base_of_a_robot_that_stands_is_half_sitting() -> None:
    robot = load_robot("nao")
    base = base_from_feet(robot, still("nao").joints)
    np.testing.assert_allclose(base, still("nao").q[:, :7], atol=1e-9)


def test_a_lifted_foot_is_not_the_one_that_stands() -> None:
    robot = load_robot("nao")
    joints = still("nao", n=2).joints.copy()
    for joint, angle in (("LKneePitch", 0.4), ("LHipPitch", -0.2), ("LAnklePitch", -0.2)):
        joints[:, robot.index(joint)] += angle  # the left foot leaves the ground, and stays flat
    q = np.hstack([base_from_feet(robot, joints), joints])
    at = robot.at(q[0])
    np.testing.assert_allclose(at.pose("right_foot").translation[2], 0.0, atol=1e-9)
    np.testing.assert_allclose(at.pose("right_foot").rotation[2, 2], 1.0, atol=1e-12)
    assert at.pose("left_foot").translation[2] > 0.002


def keys(**changes: object) -> dict[str, object]:
    table: dict[str, object] = {
        "names": ["HeadYaw", "LShoulderPitch"],
        "angles": [[0.2, -0.1], [1.0]],
        "times": [[0.5, 1.5], [2.0]],
        "isAbsolute": True,
    }
    return {k: v for k, v in (table | changes).items() if v is not None}


def written(table: object, path: Path) -> Path:
    path.write_text(json.dumps(table))
    return path


def test_keys_are_met_at_their_times_from_half_sitting(tmp_path: Path) -> None:
    robot = load_robot("nao")
    motion = naoqi_json.read(written(keys(), tmp_path / "a.json"), robot)
    assert motion.rate == pytest.approx(50.0) and motion.duration == pytest.approx(2.0)
    head, arm = motion.joint("HeadYaw"), motion.joint("LShoulderPitch")
    assert head[25] == pytest.approx(0.2) and head[75] == pytest.approx(-0.1)
    assert head[-1] == pytest.approx(-0.1) and arm[-1] == pytest.approx(1.0)
    rest = robot.half_sitting[7 + robot.index("LShoulderPitch")]
    assert arm[0] == pytest.approx(rest)
    assert head.max() < 0.2 + 1e-9 and head.min() > -0.1 - 1e-9  # no overshoot
    assert np.abs(motion.v[[0, -1], 6:]).max() < 0.1
    others = [k for k, name in enumerate(robot.joint_names) if name not in keys()["names"]]
    np.testing.assert_allclose(
        motion.joints[:, others], np.tile(robot.half_sitting[7:][others], (101, 1)), atol=1e-12
    )


def test_relative_keys_start_where_the_robot_is(tmp_path: Path) -> None:
    robot = load_robot("nao")
    table = keys(names=["LShoulderPitch"], angles=[[-0.3]], times=[[1.0]], isAbsolute=False)
    arm = naoqi_json.read(written(table, tmp_path / "a.json"), robot).joint("LShoulderPitch")
    assert arm[-1] - arm[0] == pytest.approx(-0.3)


@pytest.mark.parametrize("told", ["LHipYawPitch", "RHipYawPitch"])
def test_one_motor_moves_both_hips_whichever_the_file_names(told: str, tmp_path: Path) -> None:
    table = keys(names=[told], angles=[[-0.2]], times=[[1.0]])
    motion = naoqi_json.read(written(table, tmp_path / "a.json"), load_robot("nao"))
    for name in ("LHipYawPitch", "RHipYawPitch"):
        assert motion.joint(name)[-1] == pytest.approx(-0.2)


def test_hands_and_bezier_handles_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    table = keys(
        names=["HeadYaw", "LHand"],
        angles=[[[0.3, [3, -0.1, 0.0], [3, 0.2, 0.0]]], [0.5]],
        times=[[1.0], [1.0]],
    )
    motion = naoqi_json.read(written(table, tmp_path / "a.json"), load_robot("nao"))
    assert motion.joint("HeadYaw")[-1] == pytest.approx(0.3)
    said = " ".join(motion.recipe["assumptions"])
    assert "LHand" in said and "Bezier" in said and "half-sitting" in said


FAULTS = {
    "a list": [1, 2],
    "no names": keys(names=None),
    "no angles": keys(angles=None),
    "no times": keys(times=None),
    "fewer angles": keys(angles=[[0.1]]),
    "unknown joint": keys(names=["HeadYaw", "Tail"]),
    "joint twice": keys(names=["HeadYaw", "HeadYaw"]),
    "a number for a name": keys(names=["HeadYaw", 3]),
    "text for an angle": keys(angles=[["a", "b"], [1.0]]),
    "truth for an angle": keys(angles=[[True, False], [1.0]]),
    "NaN": keys(angles=[[float("nan"), 0.0], [1.0]]),
    "times go back": keys(times=[[1.5, 0.5], [2.0]]),
    "times before zero": keys(times=[[-0.5, 0.5], [2.0]]),
    "more angles than times": keys(times=[[0.5], [2.0]]),
    "a motion without end": keys(times=[[0.5, 1e12], [2.0]]),
    "isAbsolute is text": keys(isAbsolute="yes"),
    "empty": {},
    "only hands": keys(names=["LHand", "RHand"]),
    "false lead-in": keys(leadIn=1.0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_one_sentence(fault: str, tmp_path: Path) -> None:
    path = written(FAULTS[fault], tmp_path / "a.json")
    with pytest.raises(BadInput) as caught:
        naoqi_json.read(path, load_robot("nao"))
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
