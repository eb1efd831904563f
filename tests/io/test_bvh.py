"""A BVH file moves the bones where the robot's joints are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from io_helpers.samples import ROBOTS, walk
from poise.io.dialects import bvh
from poise.robot import load_robot


class Bone:
    def __init__(self, name: str, parent: Bone | None) -> None:
        self.name, self.parent = name, parent
        self.offset = np.zeros(3)
        self.channels: list[str] = []


def parsed(text: str) -> tuple[list[Bone], list[np.ndarray], float, np.ndarray]:
    """Bones, end sites (parent's name and offset), frame time, channel values."""
    head, _, motion = text.partition("MOTION\n")
    bones: list[Bone] = []
    ends: list[np.ndarray] = []
    stack: list[Bone | None] = []
    for line in head.splitlines():
        words = line.split()
        if words[0] in ("ROOT", "JOINT"):
            bones.append(Bone(words[1], next((b for b in reversed(stack) if b), None)))
            stack.append(bones[-1])
        elif words[0] == "End":
            stack.append(None)
        elif words[0] == "OFFSET":
            offset = np.array([float(x) for x in words[1:]])
            if stack[-1] is None:
                ends.append(offset)
            else:
                stack[-1].offset = offset
        elif words[0] == "CHANNELS":
            assert stack[-1] is not None and int(words[1]) == len(words) - 2
            stack[-1].channels = words[2:]
        elif words[0] == "}":
            stack.pop()
    assert not stack
    lines = motion.splitlines()
    rows = np.array([[float(x) for x in line.split()] for line in lines[2:]])
    assert int(lines[0].split()[1]) == len(rows)
    return bones, ends, float(lines[1].split()[2]), rows


def positions(bones: list[Bone], row: np.ndarray) -> dict[str, np.ndarray]:
    """Where every bone is, in the file's own axes and units."""
    poses: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    at = 0
    for bone in bones:
        R, p = (np.eye(3), np.zeros(3)) if bone.parent is None else poses[bone.parent.name]
        here, turn = p + R @ bone.offset, R
        for channel in bone.channels:
            axis, value = "XYZ".index(channel[0]), row[at]
            at += 1
            if channel.endswith("position"):
                here = here + value * np.eye(3)[axis]
            else:
                turn = turn @ Rotation.from_euler("XYZ"[axis], value, degrees=True).as_matrix()
        poses[bone.name] = (turn, here)
    assert at == len(row)
    return {name: p for name, (_, p) in poses.items()}


@pytest.mark.parametrize("name", ROBOTS)
def test_bones_are_where_the_joints_are(name: str, tmp_path: Path) -> None:
    motion, robot = walk(name), load_robot(name)
    bvh.write(motion, robot, tmp_path / "a.bvh")
    bones, ends, period, rows = parsed((tmp_path / "a.bvh").read_text())
    assert [b.name for b in bones] == ["base", *robot.joint_names]
    assert period == pytest.approx(1 / motion.rate) and len(rows) == len(motion)
    assert len(ends) >= 4
    data = robot.model.createData()
    for k in range(0, len(motion), 17):
        pin.forwardKinematics(robot.model, data, motion.q[k])
        for bone, place in positions(bones, rows[k]).items():
            joint = 1 if bone == "base" else robot.model.getJointId(bone)
            x, y, z = data.oMi[joint].translation
            np.testing.assert_allclose(place, [100 * y, 100 * z, 100 * x], atol=1e-4)


def test_soles_are_end_sites_and_up_is_y(tmp_path: Path) -> None:
    motion, robot = walk("nao"), load_robot("nao")
    bvh.write(motion, robot, tmp_path / "a.bvh")
    text = (tmp_path / "a.bvh").read_text()
    _, ends, _, rows = parsed(text)
    rest = robot.at(pin.neutral(robot.model))
    for foot in robot.feet:
        ankle = rest.data.oMi[robot.model.frames[robot.frame_id(foot)].parentJoint].translation
        x, y, z = 100 * (rest.pose(foot).translation - ankle)
        assert any(np.allclose(end, [y, z, x], atol=1e-6) for end in ends)
    assert rows[0, 1] == pytest.approx(100 * motion.q[0, 2], abs=1e-4)
