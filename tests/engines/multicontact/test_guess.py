"""Where a guess starts: postures that every contact can carry, on limbs that can move."""

import numpy as np
import pytest

from poise import load_robot
from poise.engines.multicontact import read_scene
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.collisions import Obstacles
from poise.engines.multicontact.guess import (
    Postures,
    key_goal,
    pressing_at_rest,
    settled_posture,
)
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.staging import BENT, lying, set_stage
from poise.robot.robot import BASE_Q, BASE_V


@pytest.fixture(scope="module")
def chart():
    return Chart(load_robot("hrp2"))


@pytest.fixture(scope="module")
def sitting(chart):
    scene = read_scene("sit")
    stage = set_stage(chart, scene)
    return stage, Postures(chart, stage, Obstacles(chart, scene, stage, PlanOptions()))


def test_contacts_at_rest_carry_the_weight_under_the_centre_of_mass(sitting):
    stage, postures = sitting
    com = np.array([-0.03, 0.01, 0.6])
    stance = stage.phases[0].holds  # the feet
    value, by_com = pressing_at_rest(stage, stance, np.zeros(postures.floats), com)
    holds = [stage.holds[h] for h in stance]
    enough = np.concatenate([np.full(len(h.points), 2.0 * h.least_force) for h in holds])
    grips = [hold.grip(np.zeros(len(hold.free))) for hold in holds]
    points = np.concatenate([grip.points for grip in grips])
    force = value + enough / stage.weight
    assert np.isclose(force.sum(), 1.0)
    assert np.allclose(force @ points[:, :2], com[:2], atol=1e-9)
    moved, _ = pressing_at_rest(stage, stance, np.zeros(postures.floats), com + [0.01, -0.02, 0.0])
    assert np.allclose(moved - value, by_com @ [0.01, -0.02], atol=1e-12)


def test_who_sits_down_leans_forward_until_the_chair_is_there(sitting):
    stage, postures = sitting
    floats = np.zeros(postures.floats)
    start = postures.find(key_goal(stage, 0, stage.start, floats), stage.start, floats, True)
    goal = key_goal(stage, 1, stage.start, floats)
    q, floats = postures.find(goal, *start, True, 120)
    assert max(postures.misses(goal, q, floats).values()) < 3e-3
    for stance in (stage.phases[1].holds, stage.phases[2].holds):
        value, _ = pressing_at_rest(stage, stance, floats, postures.com(q))
        assert value.min() * stage.weight > -15.0  # before it leant, hands had to pull with 33 N


def test_a_thigh_lies_on_points_on_the_side_of_the_hip(chart):
    robot = chart.robot
    points = lying(robot, "LLEG_LINK2", np.array([-1.0, 0.0, 0.0]))
    shape = next(s for s in robot.shapes if s.link == "LLEG_LINK2")
    middle = shape.T_link_shape.translation
    assert (np.abs(points[:, 2]) < np.abs(middle[2])).all()  # the hip is the link's origin
    assert np.ptp(points[:, 2]) > 0.05


@pytest.mark.parametrize("name", ["hrp2", "talos", "nao", "icub"])
def test_knees_never_straighten(name):
    robot = load_robot(name)
    chart = Chart(robot)
    stage = set_stage(chart, read_scene("kick"))
    at = robot.at(robot.half_sitting)
    assert ((stage.start >= stage.lower) & (stage.start <= stage.upper))[BASE_V:].all()
    changed = np.flatnonzero((stage.lower > chart.lower) | (stage.upper < chart.upper)) - BASE_V
    assert len(changed) == 2
    for knee in changed:
        q = robot.half_sitting.copy()
        bend = robot.half_sitting[BASE_Q + knee]
        nearest = stage.lower[BASE_V + knee] if bend > 0.0 else stage.upper[BASE_V + knee]
        assert 0.5 * BENT < abs(nearest) < 1.5 * BENT
        q[BASE_Q + knee] = nearest
        foot = robot.feet[0] if knee == changed[0] else robot.feet[1]
        # nearer to straight the leg is longer
        hip = robot.groups["left_leg" if foot == robot.feet[0] else "right_leg"][0]
        lengths = [
            np.linalg.norm(p.pose(foot).translation - p.pose(hip).translation)
            for p in (at, robot.at(q))
        ]
        assert lengths[1] > lengths[0]


def test_a_posture_is_sought_from_the_hint_too(chart):
    """Standing straight, a search does not find the lunge that it is told of."""
    scene = read_scene("reach-over-desk")
    stage = set_stage(chart, scene)
    postures = Postures(chart, stage)
    hint, settled = settled_posture(postures, stage)
    floats = np.array([0.0, -0.05, 0.0])
    assert np.abs(settled - floats).max() > 0.02
    goal = key_goal(stage, 1, stage.start, floats)
    alone = postures.search(goal, stage.start, floats, False)
    told = postures.search(goal, stage.start, floats, False, hint)
    assert postures.score(goal, *told) < postures.score(goal, *alone)
