"""Ankles that sink: how far they do under a load."""

import numpy as np
import pytest

from poise.errors import BadInput
from poise.robot import load_robot
from poise.simulation import SimulatedWorld, sagging_ankles
from poise.simulation.model import build
from simulation.worlds import hold

SAG = 0.01  # [m], under 1.25 weights


def sunk(robot, options, load):
    """Height that the base loses when a load presses on it [m]."""
    world = SimulatedWorld(robot, options=options)
    heights, seen = [], world.reset(robot.half_sitting)
    for force in (0.0, load):
        world.pull("base", (0.0, 0.0, -force))
        for _ in range(300):
            seen = world.step(hold(robot))
        heights.append(float(seen.q[2]))
    return robot.half_sitting[2] - heights[0], heights[0] - heights[1]


def test_two_ankles_share_a_load_and_sink_half_as_far():
    robot = load_robot("hrp2")
    load = 0.25 * robot.weight
    rigid, springy = sunk(robot, None, load), sunk(robot, sagging_ankles(robot, SAG), load)
    expected = 0.5 * load / (1.25 * robot.weight / SAG)
    assert np.isclose(springy[1] - rigid[1], expected, rtol=0.1)
    # as tall as its facts say under its own weight, springs or not
    assert abs(springy[0] - rigid[0]) < 1e-3


def test_the_edge_of_a_sole_sinks_as_far_as_the_whole():
    robot = load_robot("hrp2")
    options = sagging_ankles(robot, SAG)
    length = np.ptp(robot.soles["left_foot"].points[:, 0])
    load = 1.25 * robot.weight
    angle = load * 0.5 * length / options.ankle_stiffness
    assert np.isclose(angle * 0.5 * length, SAG)
    assert np.isclose(load / options.ankle_spring, SAG)
    plain, springy = build(robot), build(robot, options)
    assert springy.model.nv == plain.model.nv + 6  # sink, roll and pitch of two feet
    assert np.isclose(plain.model.body_mass.sum(), springy.model.body_mass.sum())


def test_a_sag_of_nothing_is_refused():
    with pytest.raises(BadInput, match="a positive number"):
        sagging_ankles(load_robot("hrp2"), 0.0)
