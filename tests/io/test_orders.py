"""The orders in which tools list joints."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import pytest

from io_helpers.samples import ROBOTS
from poise.errors import BadInput
from poise.io.orders import (
    ORDERS,
    _urdf_orders,
    columns,
    joint_order,
    known_joint,
    matched,
    swapped,
)
from poise.robot import load_robot


@pytest.mark.parametrize("name", ROBOTS)
def test_every_order_lists_every_joint_once(name: str) -> None:
    robot = load_robot(name)
    for order in ORDERS:
        joints = joint_order(robot, order)
        assert sorted(joints) == sorted(robot.joint_names)
        back = [joints[k] for k in columns(robot, joints)]
        assert tuple(back) == robot.joint_names


@pytest.mark.parametrize("name", ["nao", "hrp2", "hoap3"])
def test_tree_order_is_mujocos_own(name: str) -> None:
    robot = load_robot(name)
    root = ET.parse(robot.urdf).getroot()
    for link in root.iter("link"):
        for tag in ("visual", "collision"):
            for element in link.findall(tag):
                link.remove(element)
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    names = [model.joint(k).name for k in range(model.njnt)]
    assert tuple(n for n in names if n in robot.joint_names) == joint_order(robot, "tree")


@pytest.mark.parametrize("name", ROBOTS)
def test_breadth_order_goes_level_by_level_where_fixed_joints_are_none(name: str) -> None:
    robot = load_robot(name)
    depth = {}
    for joint in range(2, robot.model.njoints):
        parent = robot.model.parents[joint]
        depth[robot.model.names[joint]] = 1 + depth.get(robot.model.names[parent], 0)
    levels = [depth[name] for name in joint_order(robot, "breadth")]
    assert levels == sorted(levels)


@pytest.mark.parametrize("name", ROBOTS)
def test_swapping_sides_twice_is_nothing(name: str) -> None:
    robot = load_robot(name)
    once = swapped(robot, robot.joint_names)
    assert once != robot.joint_names and swapped(robot, once) == robot.joint_names


def test_names_are_matched_or_refused_with_the_nearest() -> None:
    robot = load_robot("g1")
    assert known_joint("left_knee", robot, "f") == "left_knee_joint"
    assert known_joint("left_knee_joint_dof", robot, "f") == "left_knee_joint"
    with pytest.raises(BadInput, match="Did you mean 'left_knee_joint'"):
        known_joint("left_kne_joint", robot, "f")
    with pytest.raises(BadInput, match="twice"):
        matched([robot.joint_names[0]] * 2, robot, "f")
    with pytest.raises(BadInput, match="without left_hip_pitch_joint"):
        matched(robot.joint_names[1:], robot, "f")


BRANCHED = """<robot name="t">
  <link name="w"/><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <joint name="late" type="revolute"><parent link="d"/><child link="e"/></joint>
  <joint name="z" type="revolute"><parent link="w"/><child link="a"/></joint>
  <joint name="weld" type="fixed"><parent link="w"/><child link="b"/></joint>
  <joint name="y" type="revolute"><parent link="b"/><child link="c"/></joint>
  <joint name="x" type="revolute"><parent link="a"/><child link="d"/></joint>
</robot>"""


def test_each_order_in_a_small_tree(tmp_path: Path) -> None:
    (tmp_path / "t.urdf").write_text(BRANCHED)
    orders = _urdf_orders(tmp_path / "t.urdf", ("late", "x", "y", "z"))
    assert orders == {
        "document": ("late", "z", "y", "x"),
        "tree": ("z", "x", "late", "y"),
        "breadth": ("z", "y", "x", "late"),
    }
