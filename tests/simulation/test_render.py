import os
import subprocess
import sys

import numpy as np
import pinocchio as pin
import pytest

from poise.errors import BadInput
from poise.motion import Mark
from poise.robot import load_robot, robot_names
from poise.simulation import Camera, Scene, Solid, frames
from poise.simulation.gl import choose_gl
from poise.simulation.looks import MOST_FACES, light_mesh

ONE = "nao" if "nao" in robot_names() else robot_names()[0]
SIZE = (160, 120)


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_can_be_seen(name):
    robot = load_robot(name)
    away = robot.half_sitting.copy()
    away[0] += 50.0
    camera = Camera(follow=False, target=(0.0, 0.0, 0.5 * robot.height))
    here, gone = frames(robot, [robot.half_sitting, away], SIZE, camera)
    assert here.shape == (120, 160, 3) and here.dtype == np.uint8
    changed = (np.abs(here.astype(int) - gone).max(axis=2) > 25).mean()
    assert 0.03 < changed < 0.6


def test_the_camera_follows_the_base():
    robot = load_robot(ONE)
    q = robot.half_sitting.copy()
    q[:2] += 0.4  # two tiles each way: the floor looks the same there
    a, b = frames(robot, [robot.half_sitting, q], SIZE)
    assert np.abs(a.astype(int) - b).mean() < 6.0


def test_marks_are_drawn_in_their_colours():
    robot = load_robot(ONE)
    h = robot.height
    dot = Mark("dot", np.array([[0.4 * h, 0.3 * h, 0.8 * h]]), (255, 0, 0))
    line = Mark("line", h * np.array([[-0.3, -0.3, 0], [0.3, -0.3, 0], [0.3, 0.3, 0]]), (0, 255, 0))
    arrow = Mark("arrow", h * np.array([[0.5, 0, 0], [0.5, 0, 0.8]]), (0, 0, 255), arrow=True)
    plain, marked = frames(
        robot, [robot.half_sitting] * 2, (320, 240), marks=[[], [dot, line, arrow]]
    )
    image = marked.astype(int)
    for channel in range(3):
        others = np.delete(image, channel, axis=2).max(axis=2)
        assert ((image[:, :, channel] - others) > 80).sum() > 10, channel
    assert not np.array_equal(plain, marked)


def test_solids_are_frames():
    robot = load_robot(ONE)
    wall = Solid(
        "box", (0.1, 3.0, 3.0), pin.SE3(np.eye(3), np.array([-1.0, 0, 1])), colour=(255, 0, 0)
    )
    image = frames(robot, [robot.half_sitting], SIZE, scene=Scene((wall,)))[0].astype(int)
    assert (image[:, :, 0] - image[:, :, 1] > 60).mean() > 0.3


def test_wrong_wishes_are_refused():
    robot = load_robot(ONE)
    with pytest.raises(BadInput, match="configurations"):
        frames(robot, [robot.half_sitting[:-1]])
    with pytest.raises(BadInput, match="size"):
        frames(robot, [robot.half_sitting], size=(0, 100))
    with pytest.raises(BadInput, match="marks"):
        frames(robot, [robot.half_sitting], marks=[[], []])


def test_heavy_meshes_are_thinned_and_light_ones_left_alone():
    u, v = np.meshgrid(np.linspace(0, np.pi, 150), np.linspace(0, 2 * np.pi, 150), indexing="ij")
    ball = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    index = np.arange(150 * 150).reshape(150, 150)
    a, b, c, d = (
        x.ravel() for x in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    )
    faces = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    vertices, fewer = light_mesh(ball.reshape(-1, 3), faces)
    assert len(fewer) <= MOST_FACES < len(faces)
    assert np.isclose(np.linalg.norm(vertices, axis=1), 1.0, atol=0.05).all()
    small = light_mesh(ball.reshape(-1, 3), faces[:100])
    assert small[1] is not faces and len(small[1]) == 100


def test_the_users_choice_of_gl_stands(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    choose_gl()
    assert os.environ["MUJOCO_GL"] == "osmesa"


def test_with_a_display_nothing_is_chosen(monkeypatch):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    choose_gl()
    assert "MUJOCO_GL" not in os.environ


def test_without_gl_one_sentence_says_what_to_do():
    program = (
        "from poise.robot import load_robot\n"
        "from poise.errors import PoiseError\n"
        "from poise.simulation import frames\n"
        f"robot = load_robot('{ONE}')\n"
        "try:\n    frames(robot, [robot.half_sitting])\n"
        "except PoiseError as error:\n    print(error)\n"
    )
    env = {**os.environ, "MUJOCO_GL": "disable"}
    result = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert "MUJOCO_GL" in result.stdout
