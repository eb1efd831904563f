"""The live walk keeps its time, and answers a little ahead of it."""

import numpy as np
import pytest

from poise.engines.expressive import Style
from poise.robot import load_robot
from poise.studio.live_walk import GIVEN_BACK, HEAD_START, LiveWalk

NAO = load_robot("nao")
PICTURE = 1.0 / 30.0  # [s]


@pytest.fixture
def live() -> LiveWalk:
    walk = LiveWalk(NAO, Style())
    walk.order("start")
    walk.advance(1.0)
    return walk


def test_an_order_is_answered_ahead_of_time_and_the_time_is_given_back(live):
    walked = live.ticks * live.dt
    live.hurry()
    assert live.ticks * live.dt - walked == pytest.approx(HEAD_START)
    pictures = int(1.2 * HEAD_START / GIVEN_BACK / PICTURE) + 1
    for _ in range(pictures):
        before = live.ticks
        live.advance(PICTURE)
        assert live.ticks > before  # it never stands still for it
    assert live.ticks * live.dt - walked == pytest.approx(pictures * PICTURE, abs=2.0 * live.dt)


def test_a_hand_that_drags_on_does_not_make_the_robot_faster(live):
    walked, steps = live.ticks * live.dt, 300
    for _ in range(steps):
        live.advance(0.5 * PICTURE)
        live.hurry()
    ahead = live.ticks * live.dt - walked - 0.5 * PICTURE * steps
    assert 0.0 <= ahead <= HEAD_START + live.dt


def test_a_head_start_is_enough_for_the_answer_to_be_seen(live):
    """A leaning chest moves by more than half a picture point within it."""
    live.order("stop")
    live.advance(5.0)
    before = NAO.at(live.last.q).position("head")
    live.set_style(Style(chest_pitch=-0.15))
    live.hurry()
    gone = np.linalg.norm(NAO.at(live.last.q).position("head") - before)
    assert gone > 5e-4 * NAO.height
