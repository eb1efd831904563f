"""Somebody changes their mind while a foot is in the air: the landing follows, or says why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.engines.interact.gait import Gait
from poise.engines.interact.leader import Leader, Stretch
from poise.engines.interact.options import InteractOptions
from poise.engines.interact.safe_area import SafeArea, known_area
from poise.engines.interact.trial import bench
from poise.leading import interacted
from poise.walking.swing_foot import Place

DT = 0.005
AHEAD: Place = (0.1, -0.19, 0.0)  # the next foot seen from the one that stands, mirrored


def _swinging(area: SafeArea | None = None, **settings: str) -> tuple[Gait, float]:
    """The paper's robot, a tenth of a second after its second lift-off, going ahead."""
    b = bench("hrp2")
    at = b.robot.at(b.rest.q)
    places = [(*at.position(part)[:2].tolist(), 0.0) for part in b.robot.feet]
    options = replace(InteractOptions().on(b.robot), **settings)
    com = (float(b.rest.com[0]), float(b.rest.com[1]))
    gait = Gait(b.walker, options, area or known_area(b.robot), places[0], places[1], com)
    gait.start(0.0, left_first=False)
    time = 0.0
    while len(gait.steps) < 2 or time < gait.steps[1].time + 0.1:
        gait.advance(time, lambda support, left: _from(support, left, *AHEAD))
        time += DT
    return gait, time


def _from(support: Place, left: bool, x: float, y: float, turn: float) -> Place:
    return (support[0] + x, support[1] + (y if left else -y), support[2] + turn)


def _until_landing(gait: Gait, time: float, x: float) -> Place:
    """Go on with another wish; where the foot really lands."""
    swings = gait.swinging
    assert swings is not None
    before = gait.feet(time)[swings][0].translation.copy()
    while gait.swinging is not None:
        gait.advance(time, lambda support, left: _from(support, left, *AHEAD))
        gait.revise(time, lambda support, left: _from(support, left, x, -0.19, 0.0))
        now = gait.feet(time)[swings][0].translation.copy()
        assert np.abs(now - before).max() < 0.02  # the foot does not leap
        before, time = now, time + DT
    return gait.places[swings]


def test_the_foot_in_the_air_lands_where_it_is_wanted_now() -> None:
    gait, time = _swinging()
    end, wished = gait.swing.end, gait.steps[-1].replan.landing[0]
    landed = _until_landing(gait, time, AHEAD[0] + 0.03)
    assert landed[0] == pytest.approx(wished + 0.03, abs=2e-3)
    assert [step.replan.accepted for step in gait.revised].count(True) >= 1
    assert gait.swings[gait.revised[0].left_swings][-1][1:] == (end, landed)


def test_without_it_the_foot_lands_where_it_was_sent() -> None:
    gait, time = _swinging(in_flight="no")
    wished = gait.steps[-1].replan.landing[0]
    assert _until_landing(gait, time, AHEAD[0] + 0.03)[0] == pytest.approx(wished)
    assert not gait.revised


def test_small_changes_are_left_to_the_next_step() -> None:
    gait, time = _swinging()
    _until_landing(gait, time, AHEAD[0] + 0.01)
    assert not gait.revised


def test_a_stop_in_mid_swing_brings_the_foot_beside_the_other_and_that_is_all() -> None:
    gait, time = _swinging()
    steps = len(gait.steps)
    gait.stop()
    while gait.moving:
        gait.advance(time, lambda support, left: _from(support, left, *AHEAD))
        gait.revise(time, lambda support, left: _from(support, left, *AHEAD))
        time += DT
    assert len(gait.steps) - steps <= 1
    left, right = gait.places[True], gait.places[False]
    assert left[0] - right[0] == pytest.approx(0.0, abs=0.1 * 0.095)
    late, late_time = _swinging(in_flight="no")
    late.stop()
    while late.moving:
        late.advance(late_time, lambda support, left: _from(support, left, *AHEAD))
        late_time += DT
    # it stops shorter than one that finishes its step first
    assert max(left[0], right[0]) < max(p[0] for p in late.places.values()) - 0.02


def test_a_led_robot_moves_its_landings_in_flight() -> None:
    leader = Leader("starts", wait=1.5, settle=1.0, stretches=(Stretch(5.0, forward=0.2),))
    done = interacted("hrp2", leader, duration=5.0)
    assert done.figures["upright"] and done.figures["revised"] > 0
    assert done.figures["zmp_within_2cm"] > 0.95
    for step in done.led.controller.gait.revised:
        assert abs(step.replan.fluctuation[0]) <= 0.0155
        assert abs(step.replan.fluctuation[1]) <= 0.0105
