from dataclasses import replace

import numpy as np
import pytest

from poise.robot import load_robot, robot_names
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


def test_a_robot_without_its_meshes_is_drawn_by_its_collision_shapes(tmp_path):
    robot = load_robot("nao")
    text = robot.urdf.read_text()
    start = text.index("<visual>")
    lost = '<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>'
    bare = tmp_path / "model.urdf"
    pieces = text[start:].split("<visual>")[1:]
    bare.write_text(text[:start] + "".join(lost + p.split("</visual>", 1)[1] for p in pieces))
    found = looks_of(replace(robot, urdf=bare))
    assert {look.joint for look in found} >= {
        robot.model.getJointId(name) for name in ("LKneePitch", "RElbowRoll")
    }
