"""Bags of ROS 2 messages: others' files are understood, and others can read ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType
from mcap_ros2.decoder import DecoderFactory
from mcap_ros2.writer import Writer

from io_helpers.samples import still, walk
from poise.errors import BadInput
from poise.io.dialects import ros2_mcap
from poise.io.dialects.ros2_messages import DEFINITIONS, POSE, TRAJECTORY, stamp
from poise.robot import load_robot


def bag(
    path: Path,
    trajectories: list[dict[str, Any]],
    poses: dict[str, list[dict[str, Any]]],
    compression: CompressionType = CompressionType.ZSTD,
    names: tuple[str, str] = (TRAJECTORY, POSE),
) -> Path:
    """A file as another tool would write it."""
    with path.open("wb") as file:
        writer = Writer(file, compression=compression, chunk_size=4096)
        joints = writer.register_msgdef(names[0], DEFINITIONS[TRAJECTORY])
        pose = writer.register_msgdef(names[1], DEFINITIONS[POSE])
        note = writer.register_msgdef("std_msgs/msg/String", "string data")
        writer.write_message("/chatter", note, {"data": "hello"}, log_time=1)
        for k, message in enumerate(trajectories):
            writer.write_message("/arm/command", joints, message, log_time=10 + k)
        for topic, messages in poses.items():
            for k, message in enumerate(messages):
                writer.write_message(topic, pose, message, log_time=100 + k)
        writer.finish()
    return path


def trajectory(name: str, n: int = 5, **changes: Any) -> dict[str, Any]:
    motion = walk(name)
    points = [
        {"positions": motion.joints[k].tolist(), "time_from_start": stamp(k * 50_000_000)}
        for k in range(n)
    ]
    table = {"joint_names": list(motion.joint_names), "points": points}
    return table | changes


def base(name: str, n: int = 5, step: int = 50_000_000) -> list[dict[str, Any]]:
    rows = walk(name).q[:, :7].tolist()
    return [
        {
            "header": {"stamp": stamp(7_000_000_000 + k * step), "frame_id": "odom"},
            "pose": {
                "position": dict(zip("xyz", rows[k][:3], strict=True)),
                "orientation": dict(zip("xyzw", rows[k][3:], strict=True)),
            },
        }
        for k in range(n)
    ]


@pytest.mark.parametrize("compression", list(CompressionType))
@pytest.mark.parametrize("long_names", [True, False])
def test_a_bag_of_another_tool_is_understood(
    compression: CompressionType, long_names: bool, tmp_path: Path
) -> None:
    names = (TRAJECTORY, POSE)
    if not long_names:
        names = (TRAJECTORY.replace("/msg/", "/"), POSE.replace("/msg/", "/"))
    path = bag(tmp_path / "a.mcap", [trajectory("nao")], {"/odom": base("nao")}, compression, names)
    motion = ros2_mcap.read(path, load_robot("nao"))
    assert np.array_equal(motion.q, walk("nao").q[:5]) and motion.rate == pytest.approx(20.0)


def test_base_poses_at_other_instants_are_blended(tmp_path: Path) -> None:
    path = bag(tmp_path / "a.mcap", [trajectory("nao")], {"/odom": base("nao", 3, 100_000_000)})
    motion = ros2_mcap.read(path, load_robot("nao"))
    wanted = walk("nao").q
    np.testing.assert_allclose(motion.q[2, :7], wanted[1, :7], atol=1e-12)
    np.testing.assert_allclose(motion.q[1, :3], (wanted[0] + wanted[1])[:3] / 2, atol=1e-12)
    assert any("blended" in note for note in motion.recipe["assumptions"])


def test_without_base_poses_the_feet_carry_the_base(tmp_path: Path) -> None:
    table = trajectory("nao")
    for point in table["points"]:
        point["positions"] = still("nao").joints[0].tolist()
    motion = ros2_mcap.read(bag(tmp_path / "a.mcap", [table], {}), load_robot("nao"))
    np.testing.assert_allclose(motion.q, still("nao", 5).q, atol=1e-9)
    assert any("feet" in note for note in motion.recipe["assumptions"])


def test_of_several_poses_the_one_called_base_is_taken(tmp_path: Path) -> None:
    poses = {"/hand": base("nao", 2), "/robot/base_pose": base("nao")}
    path = bag(tmp_path / "a.mcap", [trajectory("nao")], poses)
    assert np.array_equal(ros2_mcap.read(path, load_robot("nao")).q, walk("nao").q[:5])
    path = bag(tmp_path / "b.mcap", [trajectory("nao")], {"/a": base("nao"), "/b": base("nao")})
    with pytest.raises(BadInput, match="one of them"):
        ros2_mcap.read(path, load_robot("nao"))


def test_others_can_read_what_is_written(tmp_path: Path) -> None:
    motion, robot = walk("nao"), load_robot("nao")
    ros2_mcap.write(motion, robot, tmp_path / "a.mcap")
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        assert reader.get_header().profile == "ros2"
        messages = list(reader.iter_decoded_messages())
        assert {m.schema.name for m in messages if m.schema} == {TRAJECTORY, POSE}
        joints = next(m.decoded_message for m in messages if m.channel.topic == "/joint_trajectory")
        assert tuple(joints.joint_names) == robot.joint_names
        assert list(joints.points[3].positions) == motion.joints[3].tolist()
        poses = [m.decoded_message for m in messages if m.channel.topic == "/base_pose"]
        assert len(poses) == len(motion) and poses[3].pose.orientation.w == motion.q[3, 6]
        assert poses[3].header.frame_id == "world"


def faults() -> dict[str, Any]:
    good = trajectory("nao")
    points = good["points"]
    nan = [dict(p) for p in points]
    nan[2]["positions"] = [float("nan"), *points[2]["positions"][1:]]
    short = [dict(p) for p in points]
    short[2]["positions"] = points[2]["positions"][1:]
    uneven = [dict(p, velocities=[0.0]) for p in points]
    still_time = [dict(p, time_from_start=stamp(0)) for p in points]
    broken = base("nao")
    broken[1]["pose"]["orientation"] = {"w": 0.0}
    names = good["joint_names"]
    return {
        "no trajectory": ([], {"/odom": base("nao")}),
        "two trajectories": ([good, good], {}),
        "no points": ([trajectory("nao", points=[])], {}),
        "NaN": ([trajectory("nao", points=nan)], {}),
        "too few positions": ([trajectory("nao", points=short)], {}),
        "too few velocities": ([trajectory("nao", points=uneven)], {}),
        "time stands still": ([trajectory("nao", points=still_time)], {}),
        "unknown joint": ([trajectory("nao", joint_names=["Tail", *names[1:]])], {}),
        "joint twice": ([trajectory("nao", joint_names=[names[1], *names[1:]])], {}),
        "no rotation": ([good], {"/odom": broken}),
        "base time stands still": ([good], {"/odom": base("nao", step=0)}),
    }


@pytest.mark.parametrize("fault", faults())
def test_every_fault_is_one_sentence(fault: str, tmp_path: Path) -> None:
    path = bag(tmp_path / "a.mcap", *faults()[fault])
    with pytest.raises(BadInput) as caught:
        ros2_mcap.read(path, load_robot("nao"))
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_chunk_that_unfolds_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from poise.io.dialects import mcap_file

    for compression in CompressionType:
        path = bag(tmp_path / "a.mcap", [trajectory("nao", 80)], {}, compression)
        with monkeypatch.context() as patch:
            patch.setattr(mcap_file, "MOST_BYTES", 5000)
            with pytest.raises(BadInput, match="unfolded"):
                ros2_mcap.read(path, load_robot("nao"))
