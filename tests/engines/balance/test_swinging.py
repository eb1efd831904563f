"""Swinging trunk and arms against a fall."""

from __future__ import annotations

import numpy as np
import pytest

from poise.balancing import balance_trial
from poise.engines.balance import BalanceController, BalanceOptions, Shove
from poise.engines.balance.swinging import MOST_LEAN, swings
from poise.robot import load_robot

ROOM, UPRIGHT = np.array([0.1, 0.15]), np.zeros(2)


@pytest.mark.parametrize("name", ["hoap3", "nao", "talos"])
def test_swings_turn_the_body_and_leave_feet_and_mass_alone(name: str) -> None:
    robot = load_robot(name)
    controller = BalanceController(robot, BalanceOptions(feedback="none"))
    rooted, joints = controller.rooted, controller.joints
    found = swings(rooted, joints, robot.lower, robot.upper, 0.8)
    A = rooted.reduced(np.ascontiguousarray(rooted.at.data.Ag), np.zeros((6, robot.na)))
    feet = rooted.reduced(rooted.at.jacobian(robot.feet[1]).copy(), np.zeros((6, robot.na)))
    momenta = found.rates @ A[3:].T
    for k, (axis, sign) in enumerate(((1, 1.0), (1, -1.0), (0, -1.0), (0, 1.0))):
        turned = momenta[k]
        assert sign * turned[axis] == pytest.approx(found.momenta[k])
        # at least as much as the whole robot turning at half a radian a second
        assert found.momenta[k] > 0.5 * rooted.at.data.Ig.inertia[axis, axis]
        assert np.abs(np.delete(turned, axis)).max() < 1e-6 * found.momenta[k]
    assert np.abs(found.rates @ feet.T).max() < 1e-6
    assert np.abs(found.rates @ A[:3].T).max() < 1e-6 * robot.mass
    assert (np.abs(found.rates) <= 0.8 * robot.velocity_limit + 1e-9).all()
    assert np.abs(robot.coupling_rows[:, 6:] @ found.rates.T).max(initial=0.0) < 1e-9


def test_a_swing_begins_beyond_the_soles_ends_smoothly_and_never_bends_too_far() -> None:
    robot = load_robot("hoap3")
    controller = BalanceController(robot, BalanceOptions())
    swinging = controller.swinging
    assert swinging is not None
    rates = np.zeros(robot.na)
    swinging.step(np.zeros(2), ROOM, UPRIGHT)
    swinging.add(rates)
    assert not rates.any()
    swinging.step(np.array([0.02, 0.0]), ROOM, UPRIGHT)
    assert 0.0 < swinging.drive[0] < 0.1  # a body is not jerked
    for _ in range(100):
        swinging.step(np.array([0.02, 0.0]), ROOM, UPRIGHT)
    np.testing.assert_allclose(swinging.drive, [1.0, 0.0, 0.0, 0.0], atol=1e-3)
    swinging.add(rates)
    assert np.abs(rates).max() > 1.0
    swinging.step(np.zeros(2), ROOM, UPRIGHT)
    assert 0.9 < swinging.drive[0] < 1.0
    bent = np.array([MOST_LEAN, 0.0])
    for _ in range(200):
        swinging.step(np.array([0.02, 0.0]), ROOM, bent)
    assert swinging.drive[0] == 0.0
    for _ in range(100):
        swinging.step(np.array([0.0, -0.05]), ROOM, bent)
    np.testing.assert_allclose(swinging.drive, [0.0, 0.0, 0.0, 1.0])


def test_a_robot_that_swings_survives_what_one_that_does_not_falls_from() -> None:
    push = Shove(25.3, start=0.4, duration=0.5, shape="sine")
    stood = [
        balance_trial("hoap3", "stand", {"duration": 2.4, **knobs}, (push,)).upright
        for knobs in ({"step": 0.0}, {"step": 0.0, "swing": 0.0}, {"feedback": "none"})
    ]
    assert stood == [True, False, False]


def test_a_robot_that_knows_it_tips_survives_more_to_its_side_than_one_at_rest() -> None:
    push = Shove(28.3, direction=90.0, start=0.4, duration=0.5, shape="sine")
    stood = [
        balance_trial("hoap3", "stand", {"duration": 2.4, "feedback": law}, (push,)).upright
        for law in ("capture", "none")
    ]
    assert stood == [True, False]


def test_no_swing_without_a_fall() -> None:
    push = Shove(8.0, start=0.4, duration=0.5)
    done = balance_trial("hoap3", "stand", {"duration": 1.6}, (push,))
    assert done.upright and not done.trial.controller.swinging.drive.any()
    still = balance_trial("hoap3", "stand", {"duration": 1.6, "swing": 0.0}, (push,))
    np.testing.assert_array_equal(done.motion.q, still.motion.q)
