"""Numbers in a URDF that are none, and links that are no tree, are refused by name."""

from pathlib import Path

import pytest

from poise.errors import BadInput
from poise.robot.urdf import build_model, read_urdf

GOOD = """<robot name="tiny">
  <material name="dark"><color rgba="0.1 0.1 0.1 1"/></material>
  <link name="trunk">
    <inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="3.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>
  </link>
  <link name="foot"><visual><geometry><sphere radius="0.05"/></geometry></visual></link>
  <joint name="hip" type="revolute"><parent link="trunk"/><child link="foot"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="20" velocity="inf"/></joint>
  <gazebo><mass value="whatever the simulator says"/></gazebo>
</robot>
"""


def read(folder: Path, text: str) -> None:
    path = folder / "tiny.urdf"
    path.write_text(text)
    read_urdf(path)


def test_numbers_that_are_some_are_fine(tmp_path):
    read(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("good", "bad", "named"),
    [
        ('mass value="3.5"', 'mass value="nan3.5"', "value of <mass> in link 'trunk' is 'nan3.5'"),
        ('mass value="3.5"', 'mass value="nan"', "value of <mass> in link 'trunk' is 'nan'"),
        ('mass value="3.5"', 'mass value="1e999"', "value of <mass> in link 'trunk' is '1e999'"),
        ('xyz="0 0 0.1"', 'xyz="0 0"', "xyz of <origin> in link 'trunk' is '0 0'"),
        ('size="0.1 0.2 0.3"', 'size="0.1,0.2,0.3"', "size of <box> in link 'trunk'"),
        ('radius="0.05"', 'radius=""', "radius of <sphere> in link 'foot' is ''"),
        ('xyz="0 1 0"', 'xyz="0 1 0 1"', "xyz of <axis> in joint 'hip'"),
        ('lower="-1"', 'lower="-1 rad"', "lower of <limit> in joint 'hip' is '-1 rad'"),
        ('velocity="inf"', 'velocity="nan"', "velocity of <limit> in joint 'hip' is 'nan'"),
        ('rgba="0.1 0.1 0.1 1"', 'rgba="#222"', "rgba of <color> in material 'dark' is '#222'"),
    ],
)
def test_what_is_no_number_is_named(tmp_path, good, bad, named):
    assert good in GOOD
    with pytest.raises(BadInput) as said:
        read(tmp_path, GOOD.replace(good, bad))
    assert "tiny.urdf" in str(said.value) and named in str(said.value)
    assert "finite number" in str(said.value)


def test_a_mass_below_zero_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"mass of link 'trunk' is -3\.5 kg; accepted: 0 or more"):
        read(tmp_path, GOOD.replace('mass value="3.5"', 'mass value="-3.5"'))


FOOT, HIP = '<link name="foot">', '<joint name="hip" type="revolute">'


@pytest.mark.parametrize(
    ("good", "bad", "named"),
    [
        (FOOT, '<link name="toe">', "child of joint 'hip' is 'foot', which is no link"),
        (FOOT, "<link>", "link number 2 is without a name"),
        (FOOT, '<link name="trunk">', "link 'trunk' is there more than once"),
        ('<child link="foot"/>', "", "child of joint 'hip' is missing"),
        ('<child link="foot"/>', '<child link="trunk"/>', "link 'trunk' is part of a closed loop"),
        ('type="revolute"', 'type="hinge"', "type of joint 'hip' is 'hinge'"),
        (' effort="20" velocity="inf"/></joint>', "/></joint>" + HIP, "the XML is broken"),
        ("<gazebo>", '<link name="hat"/><gazebo>', "the robot is in 2 pieces (trunk, hat)"),
    ],
)
def test_what_is_no_tree_is_named(tmp_path, good, bad, named):
    assert good in GOOD
    with pytest.raises(BadInput) as said:
        read(tmp_path, GOOD.replace(good, bad))
    assert named in str(said.value)


def test_a_joint_without_limits_is_named(tmp_path):
    (tmp_path / "tiny.urdf").write_text(GOOD.replace("<limit", "<endless"))
    root = read_urdf(tmp_path / "tiny.urdf")
    with pytest.raises(BadInput, match=r"joint 'hip' is without limits"):
        build_model(root, tmp_path / "tiny.urdf")


def test_a_link_that_two_joints_carry_is_named(tmp_path):
    other = HIP.replace("hip", "knee") + '<parent link="trunk"/><child link="foot"/>'
    text = GOOD.replace("<gazebo>", f'{other}<limit lower="0" upper="1"/></joint><gazebo>')
    with pytest.raises(BadInput, match=r"link 'foot' is carried by the joints 'hip' and 'knee'"):
        read(tmp_path, text)
