"""walk(): from standing to standing, again from its recipe, alike on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from poise.engines.expressive import walk, walk_again
from poise.errors import BadInput
from poise.robot import Robot, load_robot
from poise.robot.robot import BASE_Q


def test_a_walk_begins_and_ends_standing_and_can_be_made_again(nao: Robot) -> None:
    changes = {2: {"step_length": 0.02, "chest_pitch": 0.1}}
    motion = walk(nao, "relaxed", 4, settings={"turn": 0.05}, changes=changes)
    assert np.allclose(motion.q[0, BASE_Q:], nao.half_sitting[BASE_Q:])
    assert np.abs(motion.v[-1]).max() < 0.02
    assert np.allclose(motion.q[-1, BASE_Q:], nao.half_sitting[BASE_Q:], atol=0.003)
    assert motion.recipe["steps_done"] == 4
    again = walk_again(nao, motion.recipe)
    assert np.abs(again.q - motion.q).max() <= 1e-9
    assert np.abs(again.tau - motion.tau).max() <= 1e-9


def test_nobody_waits_long_for_the_first_step_or_for_the_end(nao: Robot) -> None:
    motion = walk(nao, "normal", 2)
    touches = motion.contacts.touches
    first_lift = min(touch.end for touch in touches)
    last_landing = max(touch.start for touch in touches)
    assert first_lift < 2.5
    assert motion.duration - last_landing < 3.5


def test_left_and_right_are_mirror_images(nao: Robot) -> None:
    left = walk(nao, "normal", 4, settings={"sideways": 0.012, "step_length": 0.0})
    right = walk(nao, "normal", 4, settings={"sideways": -0.012, "step_length": 0.0})
    mirrored = nao.mirror.sign * right.q[:, BASE_Q:][:, nao.mirror.index]
    assert np.abs(left.q[:, BASE_Q:] - mirrored).max() < 2e-3


@pytest.mark.parametrize("name", ["hoap3", "hrp2", "g1", "talos", "icub", "romeo"])
def test_every_robot_walks_with_the_same_code(name: str) -> None:
    robot = load_robot(name)
    motion = walk(robot, "normal", 2)
    assert motion.recipe["steps_done"] == 2 and motion.recipe["fell_at"] is None


@pytest.mark.parametrize("steps", [0, -1, 2.5, True, 10_000])
def test_a_wrong_number_of_steps_is_told(nao: Robot, steps: object) -> None:
    with pytest.raises(BadInput, match="steps"):
        walk(nao, "normal", steps)  # type: ignore[arg-type]
