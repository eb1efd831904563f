"""Squats, a lifted foot and steps in place, in the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from poise.balancing import balance_trial
from poise.engines.balance.scenario import Lift, Reach, Scenario, Squat, Steps

STIFF = {"feedback": "stiff"}


def test_gentle_squats_are_smooth_and_come_again_alike() -> None:
    squat = Squat(start=0.6, depth=0.02, period=2.5, cycles=5)
    done = balance_trial("hoap3", Scenario("squat", 13.3, 20.0, squats=(squat,)), STIFF)
    (told,), figures = done.figures["squats"], done.figures
    assert done.upright and told["done"]
    assert told["com_z_rms_mm"] < 1.0 and told["com_error_max_mm"] < 2.0
    for side in ("left", "right"):
        assert max(told["pressure_off_max_mm"][side]) < 10.0
    assert told["cycle_rms_rad"] < 0.01
    assert told["load_sum_off_max"] < 0.02
    assert told["share_off_max"] < 0.05
    assert figures["feet_error_max_mm"] < 0.1 and figures["feet_error_max_deg"] < 0.02
    assert figures["com_error_end_mm"] < 0.5


def test_deep_and_fast_squats_stay_up() -> None:
    squat = Squat(start=0.6, depth=0.04, period=2.0, cycles=2)
    done = balance_trial("hoap3", Scenario("squat", 4.8, 20.0, squats=(squat,)), STIFF)
    assert done.upright and done.figures["squats"][0]["com_z_rms_mm"] < 2.0


@pytest.mark.parametrize("feedback", ["stiff", "capture"])
def test_a_lifted_foot_is_no_event_for_the_feedback(feedback: str) -> None:
    lift = Lift("right", start=0.5, shift=1.0, duration=1.5)
    done = balance_trial("hoap3", Scenario("lift", 4.6, lifts=(lift,)), {"feedback": feedback})
    assert done.upright
    assert done.figures["share_max"] > 0.99  # the left foot carried everything
    assert done.figures["zmp_error_step_max_mm"] < 5.0
    contacts = done.motion.contacts
    alone = [t for t in np.arange(0.5, 4.0, 0.01) if contacts.at(float(t)) == {"left_foot"}]
    assert len(alone) > 80 and contacts.at(4.5) == {"left_foot", "right_foot"}


def test_steps_in_place_go_on_without_a_switch() -> None:
    steps = Steps(count=4, start=0.4)
    done = balance_trial("hoap3", Scenario("steps", 7.2, lifts=(steps,)))
    assert done.upright
    assert done.figures["share_max"] > 0.99 and done.figures["share_min"] < 0.01
    drift = done.motion.q[-1, :2] - done.motion.q[0, :2]
    assert np.linalg.norm(drift) < 0.01


def test_a_hand_reaches_while_the_robot_balances() -> None:
    reach = Reach("right_hand", (0.05, 0.0, 0.05), start=0.3, duration=0.8)
    done = balance_trial("hoap3", Scenario("reach", 2.0, levels=(reach,)))
    assert done.upright
    start, end = (done.robot.at(done.motion.q[k]) for k in (0, -1))
    way = end.position("right_hand") - start.position("right_hand")
    np.testing.assert_allclose(way, reach.by, atol=3e-3)
    assert done.figures["com_error_end_mm"] < 1.0
