"""A robot that is led, in physics: it follows, steps on the spot, and stops when it should."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import poise
from poise.engines.interact.leader import Leader, Stretch, Tug, Wander
from poise.leading import Interaction, interacted, led_world
from poise.motion import Observation

AHEAD = Leader("ahead", wait=1.5, settle=3.0, stretches=(Stretch(4.0, forward=0.2),))
NOBODY = Leader("nobody", wait=0.0, settle=3.0, strength=0.0, stretches=(Stretch(10.0),))
BACK = Leader("back", wait=1.5, settle=3.0, stretches=(Stretch(4.0, forward=-0.1),))
TURNS = Leader("turns", wait=1.5, settle=3.0, stretches=(Stretch(7.0, forward=0.1, turn=0.08),))
WANDERER = Leader("wanderer", settle=3.0, wander=Wander(8.0, 0.08, 0.025, 0.03, seed=3))


@pytest.fixture(scope="module")
def led() -> Interaction:
    return interacted("hrp2", AHEAD)


def test_the_robot_follows_the_hand_and_stops(led: Interaction) -> None:
    f = led.figures
    assert f["upright"] and f["followed"]
    assert f["distance"] == pytest.approx(f["distance_led"], abs=0.12)
    assert f["hand_lead_max"] < f["hand_lead_limit"]
    assert np.abs(led.motion.v[-20:, 6:]).max() < 0.05


def test_the_real_zmp_is_near_the_reference(led: Interaction) -> None:
    # a short pull: the mass leans into it once and out of it again
    assert led.figures["zmp_error_p50"] < 0.007
    assert led.figures["zmp_within_2cm"] > 0.95


def test_pulls_that_come_and_go_leave_the_zmp_near_the_reference() -> None:
    f = interacted("hrp2", WANDERER).figures
    assert f["upright"] and f["followed"]
    assert f["zmp_within_2cm"] > 0.95


def test_the_plan_keeps_its_bounds(led: Interaction) -> None:
    assert led.figures["fluctuation_x_max"] <= 0.0155
    assert led.figures["fluctuation_y_max"] <= 0.0105
    controller = led.led.controller
    for step in controller.gait.steps:
        assert step.replan.accepted


def test_the_motion_has_what_others_need(led: Interaction) -> None:
    motion = led.motion
    assert motion.recipe["engine"] == "interact"
    for name in ("zmp", "zmp_ref", "com_ref", "hand_force", "lead", "partner"):
        assert len(motion.signals[name]) == len(motion)
    assert {"left_foot", "right_foot"} == set(motion.contacts.parts)


@pytest.mark.parametrize(("name", "leader"), [("talos", BACK), ("nao", AHEAD)])
def test_other_robots_follow_with_the_zmp_near_the_reference(name: str, leader: Leader) -> None:
    """Sizes are scaled; the 2 cm are not."""
    f = interacted(name, leader).figures
    assert f["upright"] and f["followed"]
    assert f["zmp_within_2cm"] > 0.95


def test_a_robot_whose_arm_cannot_turn_its_hand_is_led_into_a_turn() -> None:
    f = interacted("nao", TURNS).figures
    assert f["upright"] and f["followed"] and not f["stopped_because"]
    assert f["turned"] == pytest.approx(f["turn_led"], abs=0.12)
    assert f["hand_lead_max"] < 0.5 * f["hand_lead_limit"]


def test_a_small_robot_is_led_in_a_world_that_is_looked_at_more_often() -> None:
    nao, hrp2, talos = (led_world(poise.load_robot(n)) for n in ("nao", "hrp2", "talos"))
    assert nao.physics_step < 0.65 * hrp2.physics_step
    assert hrp2.physics_step == pytest.approx(talos.physics_step, rel=0.01)


def test_nobody_pulls_and_the_robot_stays() -> None:
    done = interacted("hrp2", NOBODY)
    assert done.figures["upright"]
    assert done.figures["distance"] < 0.02
    assert done.figures["steps"] >= 3


def _until(time: float, spoilt: Callable[[Observation], Observation]):
    return lambda seen: spoilt(seen) if seen.time >= time else seen


def _nan(seen: Observation) -> Observation:
    return replace(seen, wrenches={**seen.wrenches, "right_hand": np.full(6, np.nan)})


def _silent(seen: Observation) -> Observation:
    return replace(seen, wrenches={k: w for k, w in seen.wrenches.items() if "hand" not in k})


@pytest.mark.parametrize(
    ("spoilt", "tugs", "settings", "word"),
    [
        (_nan, (), {}, "no numbers"),
        (_silent, (), {}, "silent"),
        (None, (Tug(4.0, 0.3, (45.0, 0.0, 0.0)),), {}, "pulled"),
        (None, (), {"most_lead": 0.12}, "from its place"),
    ],
)
def test_the_robot_stops_within_two_steps_and_says_why(spoilt, tugs, settings, word) -> None:
    leader = Leader("far", wait=1.5, settle=1.0, stretches=(Stretch(6.0, forward=0.2),), tugs=tugs)
    spoil = None if spoilt is None else _until(4.0, spoilt)
    done = interacted("hrp2", leader, settings, spoil=spoil, duration=8.0)
    f = done.figures
    assert f["upright"]
    assert word in f["stopped_because"]
    assert f["steps_to_stop"] <= 2
    assert not done.led.controller.gait.moving


@pytest.mark.parametrize("way", [{"forward": 0.6}, {"forward": -0.6}, {"sideways": -0.4}])
def test_a_partner_who_runs_away_leads_to_a_stop_and_not_to_a_fall(way) -> None:
    leader = Leader("runs", wait=1.5, settle=1.0, stretches=(Stretch(6.0, **way),))
    done = interacted("hrp2", leader, duration=7.0)
    f = done.figures
    assert f["upright"]
    assert "right hand" in f["stopped_because"]
    assert f["steps_to_stop"] <= 2
    assert not done.led.controller.gait.moving


def test_both_hands_and_the_second_generator() -> None:
    done = interacted("hrp2", AHEAD, {"hands": "both", "generator": "both"})
    assert done.figures["upright"]
    assert done.figures["distance"] == pytest.approx(done.figures["distance_led"], abs=0.15)


def test_the_front_door_returns_a_motion() -> None:
    motion = poise.interact("nao", NOBODY)
    assert motion.robot == "nao"
    assert motion.recipe["figures"]["upright"]
