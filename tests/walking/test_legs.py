"""Legs: knees are found, height falls with stride and lean; footsteps keep heels apart."""

from __future__ import annotations

import numpy as np
import pytest

from poise.robot import load_robot
from poise.robot.robot import BASE_Q
from poise.walking.footsteps import clear_spacing
from poise.walking.legs import Legs, knee_of
from poise.walking.stature import Stature

ROBOTS = ["nao", "hoap3", "hrp2", "g1", "talos", "icub", "romeo"]


@pytest.mark.parametrize("name", ROBOTS)
def test_knees_are_bent_in_half_sitting_alike_on_both_sides(name: str) -> None:
    robot = load_robot(name)
    joints = robot.half_sitting[BASE_Q:]
    bends = [knee_of(robot, group).bend(joints) for group in ("left_leg", "right_leg")]
    assert bends[0] == pytest.approx(bends[1], abs=1e-2)
    assert 0.2 < bends[0] < 1.7


@pytest.mark.parametrize("name", ROBOTS)
def test_a_body_stands_no_higher_than_its_legs_reach(name: str) -> None:
    robot = load_robot(name)
    legs, stature = Legs.of(robot), Stature.of(robot)

    def highest(stride: float, sway: float) -> float:
        return legs.highest_com(stature.sole_centre[0], 0.0, stride, sway, stature.half_spacing)

    heights = [highest(s * stature.leg_length, 0.0) for s in (0.0, 0.2, 0.4, 0.6)]
    assert (np.diff(heights) < 0.0).all()
    assert highest(0.0, 0.2 * stature.leg_length) < heights[0]
    assert heights[0] > 0.95 * stature.com_height


def test_heels_stay_apart_when_a_step_opens() -> None:
    sole = np.array([[0.1, 0.05], [-0.05, 0.05], [-0.05, -0.04], [0.1, -0.04]])
    for turn in (0.0, 0.1, 0.3):
        half = clear_spacing(sole, turn, 0.01)
        c, s = np.cos(2.0 * turn), np.sin(2.0 * turn)
        # the left sole turned about the middle between the feet, the right one mirrored
        left = (sole + [0.0, half]) @ np.array([[c, s], [-s, c]])
        right = sole * [1.0, -1.0] - [0.0, half]
        assert _gap(left, right) > 0.0
    assert clear_spacing(sole, 0.3, 0.01) > clear_spacing(sole, 0.0, 0.01)


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    """Distance of two convex polygons along the best axis; negative when they overlap."""
    best = -np.inf
    for p in (a, b):
        edges = np.roll(p, -1, axis=0) - p
        for normal in np.column_stack([edges[:, 1], -edges[:, 0]]):
            n = normal / np.linalg.norm(normal)
            best = max(best, (b @ n).min() - (a @ n).max(), (a @ n).min() - (b @ n).max())
    return float(best)
