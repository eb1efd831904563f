import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from poise.robot import load_robot, robot_names
from poise.robot.urdf import geometries, read_urdf
from poise.viewer.looks import MOST_FACES, looks_of


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_is_light_and_stands_on_the_floor(name):
    robot = load_robot(name)
    looks = looks_of(robot)
    assert sum(look.nbytes for look in looks) < 3_000_000
    assert sum(len(look.faces) for look in looks) <= MOST_FACES
    at = robot.at(robot.half_sitting)
    drawn = np.vstack([at.data.oMi[look.joint].act(v) for look in looks for v in _few(look)])
    assert drawn[:, 2].min() == pytest.approx(0.0, abs=0.02)
    assert drawn[:, 2].max() == pytest.approx(robot.height, rel=0.2)


def _few(look):
    return look.vertices[:: max(1, len(look.vertices) // 200)].astype(float)


def test_looks_are_made_once():
    robot = load_robot("nao")
    assert looks_of(robot) is looks_of(robot)


def test_a_link_welded_to_another_is_drawn_where_it_is_welded():
    robot = load_robot("talos")
    link = "wrist_left_ft_link"  # a plain cylinder on a fixed joint
    [shape] = [
        shape
        for shape in geometries(read_urdf(robot.urdf), robot.urdf, robot.packages, "visual")
        if shape.link == link
    ]
    frame = robot.model.frames[robot.frame_id(link)]
    assert not frame.placement.isIdentity(1e-3)
    cap = np.array([0.0, 0.0, 0.5 * shape.size[1]])  # the middle of its end, in the shape
    expected = (frame.placement * shape.T_link_shape).act(cap)
    drawn = np.vstack([k.vertices for k in looks_of(robot) if k.joint == frame.parentJoint])
    assert np.linalg.norm(drawn - expected, axis=1).min() < 1e-3


def without_meshes(robot, folder, tags):
    """The robot with all shapes of these tags replaced by a mesh that is nowhere."""
    root = ET.fromstring(robot.urdf.read_text())
    for tag in tags:
        for shape in root.iter(tag):
            geometry = shape.find("geometry")
            geometry.clear()
            ET.SubElement(geometry, "mesh", filename="package://nowhere/lost.stl")
    path = folder / "model.urdf"
    ET.ElementTree(root).write(path)
    return replace(robot, urdf=path)


def test_a_robot_without_its_meshes_is_drawn_by_its_collision_shapes(tmp_path):
    robot = load_robot("nao")
    seen = looks_of(replace(without_meshes(robot, tmp_path, ["visual"]), shapes=()))
    plain = looks_of(replace(without_meshes(robot, tmp_path, ["visual", "collision"])))
    for looks in (seen, plain):
        assert {look.joint for look in looks} >= {
            robot.model.getJointId(name) for name in ("LKneePitch", "RElbowRoll")
        }
