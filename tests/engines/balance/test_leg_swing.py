"""The free leg against a fall to the side."""

from __future__ import annotations

import numpy as np
import pytest

from poise.balancing import balance_trial
from poise.engines.balance import BalanceController, BalanceOptions, Shove
from poise.engines.balance.leg_swing import MOST_OUT
from poise.engines.balance.rooted import Rooted
from poise.robot import load_robot


@pytest.mark.parametrize("name", ["hoap3", "talos"])
def test_a_leg_swings_out_above_a_centre_of_mass_that_stays(name: str) -> None:
    robot = load_robot(name)
    controller = BalanceController(robot, BalanceOptions())
    assert controller.leg is not None and controller.swinging is not None
    for side, way in enumerate(controller.leg.ways):
        stands, free = robot.feet[side], robot.feet[1 - side]
        rooted = Rooted(robot, stands)
        rooted.refresh(controller.joints)
        com, foot = rooted.at.com.copy(), rooted.at.position(free).copy()
        for offsets in way.offsets[1:]:
            rooted.refresh(controller.joints + offsets)
            assert np.abs(rooted.at.com - com)[:2].max() < 0.01 * com[2]
            assert rooted.at.position(free)[2] > foot[2]
        outwards = (rooted.at.position(free) - foot)[1] * (-1.0 if side == 0 else 1.0)
        assert outwards > 0.3 * com[2]
        assert np.arccos(rooted.at.rotation(free)[2, 2]) < 1.4 * MOST_OUT
        # several times the momentum of trunk and arms alone, feet held
        assert way.momentum > 2.0 * controller.swinging.ways.momenta[2 + side]


def test_a_leg_waits_for_its_foot_to_be_free_and_comes_home() -> None:
    robot = load_robot("hoap3")
    leg = BalanceController(robot, BalanceOptions()).leg
    assert leg is not None
    weight = robot.weight
    leg.step(0.05, 1.5, 0.08, np.array([0.8, 0.2]) * weight)
    assert not leg.busy
    for _ in range(250):
        leg.step(0.05, 1.5, 0.08, np.array([1.0, 0.0]) * weight)
    assert leg.busy and leg.side == 0 and leg.out > 0.5 * leg.ways[0].duration
    for _ in range(600):
        leg.step(0.0, 0.2, 0.08, np.array([1.0, 0.0]) * weight)
    assert not leg.busy and leg.rate == 0.0


@pytest.mark.parametrize(
    ("robot", "force", "direction"), [("hoap3", 41.4, 90.0), ("hrp2", 230.0, 270.0)]
)
def test_a_robot_that_swings_its_leg_survives_what_others_fall_from(
    robot: str, force: float, direction: float
) -> None:
    push = Shove(force, direction=direction, start=0.4, duration=0.5, shape="sine")
    done = balance_trial(robot, "stand", {"duration": 3.2}, (push,))
    assert done.upright
    assert not balance_trial(robot, "stand", {"duration": 3.2, "swing": 0.0}, (push,)).upright
    loads = done.motion.signals["loads"][-200:].mean(axis=0)
    assert (loads > 0.2 * done.robot.weight).all()  # on both feet again
