"""A scene that cannot be understood is answered with one sentence that says why."""

import pytest

from poise import load_robot
from poise.engines.multicontact import parse_scene, read_scene, scene_names
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.staging import set_stage
from poise.errors import NotFound, PoiseError

GOOD = """
[[solid]]
name = "desk"
kind = "box"
size = [0.5, 1.2, 0.04]
position = [0.6, 0.0, 0.7]
[[contact]]
name = "left"
part = "left_foot"
[[contact]]
name = "hand"
part = "left_hand"
position = [0.4, 0.2, 0.7]
free = ["x"]
reach = { x = [-0.1, 0.1] }
friction = 0.3
on = "desk"
[[phase]]
name = "stand"
contacts = ["left", "hand"]
duration = 1.0
shortest = 0.5
longest = 3.0
spans = 6
[[task]]
part = "right_hand"
phase = "stand"
share = 1.0
position = [0.4, -0.2, 0.8]
[limits]
torque = 0.9
"""

BROKEN = [
    ('kind = "box"', 'kind = "cone"', "cone"),
    ("size = [0.5, 1.2, 0.04]", "size = [0.5, 1.2]", "3 positive lengths"),
    ("position = [0.6, 0.0, 0.7]", "position = [0.6, 0.0]", "three numbers"),
    ('part = "left_foot"', "part = 3", "a text"),
    ('part = "left_foot"', "", "without 'part'"),
    ('free = ["x"]', 'free = ["z"]', "x, y, yaw"),
    ("reach = { x = [-0.1, 0.1] }", "reach = { x = [0.1, -0.1] }", "[low, high]"),
    ("friction = 0.3", "friction = -0.3", "positive"),
    ("friction = 0.3", "fricton = 0.3", "friction"),
    ('on = "desk"', 'on = "shelf"', "desk"),
    ('contacts = ["left", "hand"]', "contacts = []", "empty"),
    ('contacts = ["left", "hand"]', 'contacts = ["right"]', "'right'"),
    ("duration = 1.0", "duration = 5.0", "shortest <= duration <= longest"),
    ("duration = 1.0", "duration = -1.0", "shortest"),
    ("spans = 6", "spans = 2", "4 to 60"),
    ("spans = 6", "spans = 6.5", "whole number"),
    ('phase = "stand"', 'phase = "sit"', "'sit'"),
    ("share = 1.0", "share = 1.5", "0 to 1"),
    ("torque = 0.9", "torque = 2.0", "0 to 1"),
    ("torque = 0.9", "vertical = [1.1, 1.2]", "around 1"),
    ('name = "hand"', 'name = "left"', "twice"),
    ("[[phase]]", "[[fase]]", "fase"),
    ("torque = 0.9", "torque = ", "TOML"),
]


@pytest.mark.parametrize(("was", "is_now", "says"), BROKEN)
def test_what_is_wrong_is_said_in_one_sentence(was, is_now, says):
    assert was in GOOD
    with pytest.raises(PoiseError) as told:
        parse_scene(GOOD.replace(was, is_now, 1), "my.toml")
    sentence = str(told.value)
    assert says in sentence
    assert "my.toml" in sentence
    assert "\n" not in sentence


def test_a_good_scene_is_read():
    scene = parse_scene(GOOD)
    assert [contact.name for contact in scene.contacts] == ["left", "hand"]


@pytest.mark.parametrize(
    ("was", "is_now", "says"),
    [
        ('part = "left_foot"', 'part = "left_flipper"', "left_flipper"),
        ("torque = 0.9", "joints = { NO_JOINT = [0.0, 1.0] }", "NO_JOINT"),
        ("torque = 0.9", "joints = { LLEG_JOINT3 = [1.0, 0.0] }", "low < high"),
        ("torque = 0.9", "stiff = { left_knee = -1 }", "positive angle"),
    ],
)
def test_what_the_robot_does_not_have_is_named(was, is_now, says):
    chart = Chart(load_robot("hrp2"))
    with pytest.raises(PoiseError, match=says):
        set_stage(chart, parse_scene(GOOD.replace(was, is_now, 1)))


def test_an_unknown_scene_is_named_with_those_that_exist():
    with pytest.raises(NotFound, match="kick"):
        read_scene("kik")


@pytest.mark.parametrize("name", scene_names())
@pytest.mark.parametrize("robot", ["hrp2", "talos"])
def test_shipped_scenes_fit_robots(name, robot):
    stage = set_stage(Chart(load_robot(robot)), read_scene(name))
    assert stage.phases
