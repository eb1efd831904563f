"""Every dialect gives back what was written, on several robots."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from io_helpers.samples import ROBOTS, full, walk
from poise.io import DIALECTS, read_motion
from poise.io.dialects import gmr, mjlab_npz, mujoco_npz, naoqi_json
from poise.io.orders import joint_order
from poise.motion import Motion, velocities
from poise.robot import load_robot

BOTH_WAYS = [d.name for d in DIALECTS.values() if d.read is not None and d.write is not None]
WITH_BASE = [name for name in BOTH_WAYS if name != naoqi_json.NAME]
EXACT = {"poise", "unitree-csv", "kimodo-csv", "mujoco-csv", "mujoco-npz", "ros2-mcap"}
EXACT |= {"isaaclab-npz", "mjlab-npz"}
WITH_VELOCITIES = {"poise", "mujoco-csv", "mujoco-npz", "isaaclab-npz", "mjlab-npz"}


def again(name: str, motion: Motion, path: Path) -> Motion:
    robot, dialect = load_robot(motion.robot), DIALECTS[name]
    file = path / f"motion{dialect.suffix}"
    assert dialect.write is not None and dialect.read is not None
    notes = dialect.write(motion, robot, file)
    assert notes and all("\n" not in note for note in notes)
    rate = motion.rate if name in ("unitree-csv", "kimodo-csv", "soma-csv") else None
    return dialect.read(file, robot, rate)


@pytest.mark.parametrize("robot_name", ROBOTS)
@pytest.mark.parametrize("name", WITH_BASE)
def test_positions_come_back(name: str, robot_name: str, tmp_path: Path) -> None:
    motion = walk(robot_name)
    back = again(name, motion, tmp_path)
    assert back.robot == robot_name and back.joint_names == motion.joint_names
    assert back.model_hash == motion.model_hash
    np.testing.assert_allclose(back.time, motion.time, atol=1e-9, rtol=0)
    if name in EXACT:
        assert np.array_equal(back.q, motion.q)
    else:
        np.testing.assert_allclose(back.q[:, :3], motion.q[:, :3], atol=1e-12, rtol=0)
        np.testing.assert_allclose(back.joints, motion.joints, atol=1e-12, rtol=0)
        same = np.abs((back.q[:, 3:7] * motion.q[:, 3:7]).sum(axis=1))
        np.testing.assert_allclose(same, 1.0, atol=1e-12)


@pytest.mark.parametrize("name", WITH_BASE)
def test_velocities_come_back_or_are_derived(name: str, tmp_path: Path) -> None:
    motion = full("g1")
    back = again(name, motion, tmp_path)
    if name in WITH_VELOCITIES:
        np.testing.assert_allclose(back.v, motion.v, atol=1e-11)
    else:
        robot = load_robot("g1")
        derived = velocities(robot, back.time, back.q)
        if name == "ros2-mcap":  # joint rates are in the message, the base's are not
            np.testing.assert_array_equal(back.v[:, 6:], motion.v[:, 6:])
            derived[:, 6:] = motion.v[:, 6:]
        np.testing.assert_allclose(back.v, derived, atol=1e-6)
        assert any("derived" in note for note in back.recipe["assumptions"])


@pytest.mark.parametrize("name", [n for n in BOTH_WAYS if n != "poise"])
def test_the_recipe_names_the_file_its_hash_and_the_dialect(name: str, tmp_path: Path) -> None:
    import hashlib

    back = again(name, walk("g1"), tmp_path)
    file = tmp_path / f"motion{DIALECTS[name].suffix}"
    assert back.recipe["engine"] == "file" and back.recipe["dialect"] == name
    assert back.recipe["inputs"] == {file.name: hashlib.sha256(file.read_bytes()).hexdigest()}
    assert back.recipe["assumptions"] and not back.contacts.touches


def test_torques_and_start_time_travel_in_ros2(tmp_path: Path) -> None:
    motion = full("nao")
    back = again("ros2-mcap", motion, tmp_path)
    assert back.tau is not None and np.array_equal(back.tau, motion.tau)
    assert back.time[0] == motion.time[0] != 0.0


@pytest.mark.parametrize("name", [d.name for d in DIALECTS.values() if d.write is not None])
def test_a_rate_resamples_and_none_keeps_the_motions_own(name: str, tmp_path: Path) -> None:
    robot, motion = load_robot("g1"), walk("g1")
    dialect = DIALECTS[name]
    assert dialect.write is not None
    path = tmp_path / f"a{dialect.suffix}"
    dialect.write(motion, robot, path, rate=60.0)
    if dialect.read is None:
        assert f"Frame Time: {1 / 60!r}" in path.read_text()
        return
    told = 60.0 if name in ("unitree-csv", "kimodo-csv", "soma-csv") else None
    back = dialect.read(path, robot, told)
    assert back.rate == pytest.approx(60.0) and back.duration == pytest.approx(motion.duration)
    np.testing.assert_allclose(back.joints[::2], motion.joints, atol=1e-12)


def test_uneven_time_is_refused_where_the_dialect_has_only_a_rate(tmp_path: Path) -> None:
    from dataclasses import replace

    from poise.errors import BadInput

    motion = walk("g1")
    uneven = replace(motion, time=motion.time**1.1)
    for name in ("unitree-csv", "kimodo-csv", "soma-csv", "isaaclab-npz", "mjlab-npz", "bvh"):
        with pytest.raises(BadInput, match="unevenly"):
            DIALECTS[name].write(uneven, load_robot("g1"), tmp_path / "a")
    assert not list(tmp_path.iterdir())


# -- conventions that a round trip alone cannot see ------------------------------------


def test_plain_csvs_differ_only_in_the_quaternion(tmp_path: Path) -> None:
    motion, robot = walk("g1"), load_robot("g1")
    tables = {}
    for name in ("unitree-csv", "kimodo-csv"):
        DIALECTS[name].write(motion, robot, tmp_path / name)
        tables[name] = np.loadtxt(tmp_path / name, delimiter=",")
    xyzw, wxyz = tables["unitree-csv"], tables["kimodo-csv"]
    assert xyzw.shape == (len(motion), 36)
    assert np.array_equal(xyzw[:, 3:7], motion.q[:, 3:7])
    assert np.array_equal(wxyz[:, [4, 5, 6, 3]], motion.q[:, 3:7])
    others = [0, 1, 2, *range(7, 36)]
    assert np.array_equal(xyzw[:, others], wxyz[:, others])


def test_mujocos_velocity_is_linear_in_the_world_and_angular_in_the_base(tmp_path: Path) -> None:
    from scipy.spatial.transform import Rotation

    motion, robot = walk("hrp2", rate=100.0, steps=0), load_robot("hrp2")
    mujoco_npz.write(motion, robot, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        qpos, qvel = file["qpos"], file["qvel"]
    dt = motion.time[2] - motion.time[0]
    linear = (qpos[2:, :3] - qpos[:-2, :3]) / dt
    np.testing.assert_allclose(qvel[1:-1, :3], linear, atol=1e-9)
    turn = Rotation.from_quat(qpos[:, 3:7], scalar_first=True)
    angular = (turn[:-2].inv() * turn[2:]).as_rotvec() / dt
    np.testing.assert_allclose(qvel[1:-1, 3:6], angular, atol=2e-3)
    assert tuple(np.load(tmp_path / "a.npz")["joint_names"]) == joint_order(robot, "tree")


def test_mjlabs_bodies_move_as_their_velocities_say(tmp_path: Path) -> None:
    motion, robot = walk("g1", rate=100.0, steps=0), load_robot("g1")
    mjlab_npz.write(motion, robot, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        position, speed, names = file["body_pos_w"], file["body_lin_vel_w"], file["body_names"]
    dt = motion.time[2] - motion.time[0]
    np.testing.assert_allclose(speed[1:-1], (position[2:] - position[:-2]) / dt, atol=2e-2)
    foot = list(names).index(
        robot.model.names[robot.model.frames[robot.frame_id(robot.feet[0])].parentJoint]
    )
    at = robot.at(motion.q[40])
    ankle = at.data.oMi[robot.model.getJointId(str(names[foot]))]
    np.testing.assert_allclose(position[40, foot], ankle.translation, atol=1e-12)


def test_somas_euler_angles_turn_about_fixed_axes_in_degrees(tmp_path: Path) -> None:
    import pinocchio as pin

    motion, robot = walk("nao"), load_robot("nao")
    DIALECTS["soma-csv"].write(motion, robot, tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    header, row = lines[0].split(","), [float(x) for x in lines[31].split(",")]
    assert header[0] == "Frame" and row[0] == 30
    value = dict(zip(header, row, strict=True))
    roll, pitch, yaw = (np.radians(value[f"root_rotate{axis}"]) for axis in "XYZ")
    R = pin.Quaternion(motion.q[30, 3:7]).matrix()
    np.testing.assert_allclose(pin.rpy.rpyToMatrix(roll, pitch, yaw), R, atol=1e-12)
    assert value["root_translateZ"] == pytest.approx(100 * motion.q[30, 2])
    knee = robot.joint_names[5]
    assert value[f"{knee}_dof"] == pytest.approx(np.degrees(motion.joint(knee)[30]))


# -- GMR, which poise only reads -------------------------------------------------------


def gmr_dict(motion: Motion, **more: object) -> dict[str, object]:
    ordered = motion.ordered_as(joint_order(load_robot(motion.robot), "tree"))
    return {
        "fps": 30,
        "root_pos": motion.q[:, :3],
        "root_rot": motion.q[:, 3:7],
        "dof_pos": ordered.joints,
        "local_body_pos": None,
        "link_body_list": ["pelvis", "left_knee_link"],
        **more,
    }


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("robot_name", ["g1", "talos"])
def test_gmr_is_read_in_every_pickle_protocol(
    robot_name: str, protocol: int, tmp_path: Path
) -> None:
    motion = walk(robot_name)
    path = tmp_path / "a.pkl"
    path.write_bytes(pickle.dumps(gmr_dict(motion), protocol=protocol))
    back = gmr.read(path, load_robot(robot_name))
    assert np.array_equal(back.q, motion.q) and back.rate == pytest.approx(30.0)


def test_newer_gmr_files_nest_the_dict_and_may_use_float32(tmp_path: Path) -> None:
    motion = walk("g1")
    inner = gmr_dict(motion, fps=np.float64(50.0))
    inner = {k: np.float32(v) if isinstance(v, np.ndarray) else v for k, v in inner.items()}
    (tmp_path / "a.pkl").write_bytes(pickle.dumps({"dance": inner}))
    back = gmr.read(tmp_path / "a.pkl", load_robot("g1"))
    assert back.rate == pytest.approx(50.0)
    np.testing.assert_allclose(back.q, motion.q, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(back.q[:, 3:7], axis=1), 1.0, atol=1e-12)


def test_gmr_names_win_over_the_usual_order(tmp_path: Path) -> None:
    motion = walk("talos")
    names = list(reversed(motion.joint_names))
    table = gmr_dict(motion, dof_names=names, dof_pos=motion.ordered_as(names).joints)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(table))
    assert np.array_equal(gmr.read(tmp_path / "a.pkl", load_robot("talos")).q, motion.q)


def test_joint_names_are_forgiven_their_usual_endings(tmp_path: Path) -> None:
    motion, robot = walk("g1"), load_robot("g1")
    DIALECTS["isaaclab-npz"].write(motion, robot, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        arrays = dict(file)
    arrays["joint_names"] = np.array([str(n).removesuffix("_joint") for n in arrays["joint_names"]])
    np.savez(tmp_path / "b.npz", **arrays)
    assert np.array_equal(DIALECTS["isaaclab-npz"].read(tmp_path / "b.npz", robot).q, motion.q)


def test_the_dialect_is_recognised_when_nobody_names_it(tmp_path: Path) -> None:
    motion, robot = walk("talos"), load_robot("talos")
    for name in BOTH_WAYS:
        dialect = DIALECTS[name]
        path = tmp_path / f"{name}{dialect.suffix}"
        assert dialect.write is not None
        dialect.write(motion, robot, path)
        back, verdict = read_motion(path, robot)
        assert verdict.dialect == name and verdict.certainty > 0.9, str(verdict)
        assert np.abs(back.joints - motion.joints).max() < 1e-12
