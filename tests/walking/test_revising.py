"""A landing that moves while the foot is in the air: nothing jumps, bounds hold, late is late."""

from __future__ import annotations

import numpy as np
import pytest

from poise.walking.leg_effect import LegEffect
from poise.walking.pendulum import pendulum_rate
from poise.walking.replanning import ReplanOptions
from poise.walking.revising import Revision, revise
from poise.walking.stepping import Stance, Timing, Walk, continue_walking, stance, start_walking
from poise.walking.swing_foot import Place

OMEGA = pendulum_rate(0.9)
TIMING = Timing(0.7, 0.2, 1.4, 1.6)
LEG = LegEffect(0.0045, 0.001, 0.0028)
LIFT_OFF = TIMING.start + TIMING.double
LIFT: Place = (0.0, 0.095, 0.0)
OPTIONS = ReplanOptions()


def _follow(place: Place) -> tuple[Stance, ...]:
    x, y, _ = place
    return (
        stance(False, (0.0, -0.095, 0.0)),
        stance(True, place),
        stance(False, (2.0 * x, y - 0.19, 0.0)),
        stance(True, (2.0 * x, y, 0.0)),
    )


def _walk(landing: Place) -> Walk:
    """From standing, just after lift-off."""
    start = start_walking(
        OMEGA, TIMING, (0.0, 0.0), _follow(landing), shape="plateau", leg=LEG, lift=LIFT
    )
    return continue_walking(start, LIFT_OFF, _follow(landing), 0.7, "plateau", lift=LIFT)


def _ask(wish: Place, share: float, landing: Place = (0.1, 0.095, 0.0)) -> Revision:
    arrival = LIFT_OFF + (1.0 - LEG.still) * 0.7
    return Revision(_walk(landing), LIFT_OFF + share * 0.7, landing, wish, arrival, _follow)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.4])
def test_nothing_jumps_and_the_foot_lands_where_and_when_it_should(share: float) -> None:
    ask = _ask((0.12, 0.1, 0.0), share)
    done = revise(ask, OPTIONS)
    assert done.accepted and done.landing == pytest.approx(ask.wish)
    old, new = ask.walk, done.walk
    a, b = old.at(ask.time), new.at(ask.time)
    assert b.com == pytest.approx(a.com, abs=1e-9)
    assert b.velocity == pytest.approx(a.velocity, abs=1e-9)
    assert new.zmp(ask.time) == pytest.approx(old.zmp(ask.time), abs=1e-9)
    assert ask.time + new.phases[0].duration == pytest.approx(LIFT_OFF + 0.7)
    assert new.at(new.ends).velocity == pytest.approx((0.0, 0.0), abs=1e-9)
    times = np.linspace(ask.time, new.ends, 400)
    zmp = np.array([new.at(t).zmp for t in times])  # the pendulum's: one smooth curve
    assert np.abs(np.diff(zmp, axis=0)).max() < 0.02


def test_a_leg_that_goes_further_is_counted() -> None:
    """What the leg adds is its old share and that of the way on top of the old swing."""
    ask = _ask((0.14, 0.095, 0.0), 0.2)
    new = revise(ask, OPTIONS).walk
    T = ask.arrival - ask.time
    for s in (0.1, 0.3, 0.6, 0.9):
        t = ask.time + s * T
        bend = (60.0 * s - 180.0 * s**2 + 120.0 * s**3) / T**2  # of a quintic from 0 to 1
        old = ask.walk.pattern.leg(t - ask.walk.began)
        more = LEG.along * 0.04 * bend
        assert new.pattern.leg(t - new.began) == pytest.approx((old[0] + more, old[1]), abs=1e-9)


@pytest.mark.parametrize("wish", [(0.4, 0.095, 0.0), (0.1, 0.25, 0.0), (-0.2, 0.05, 0.0)])
def test_what_is_too_much_is_given_up_and_the_zmp_keeps_its_bounds(wish: Place) -> None:
    ask = _ask(wish, 0.3)
    done = revise(ask, OPTIONS)
    assert done.accepted
    way, all_of_it = np.subtract(done.landing, ask.landing), np.subtract(wish, ask.landing)
    share = np.linalg.norm(way) / np.linalg.norm(all_of_it)
    assert 0.05 < share < 0.9
    assert way == pytest.approx(share * all_of_it, abs=1e-9)
    foot = done.walk.stances[0].zmp
    end = ask.time + done.walk.phases[0].duration
    off = np.array([done.walk.zmp(t) for t in np.linspace(ask.time, end, 200)[:-1]]) - foot
    assert np.abs(off[:, 0]).max() <= OPTIONS.most_x + 2e-4
    assert np.abs(off[:, 1]).max() <= OPTIONS.most_y + 2e-4


def test_a_foot_that_is_about_to_land_or_stands_is_left_alone() -> None:
    late = revise(_ask((0.12, 0.095, 0.0), 0.55), OPTIONS)
    assert not late.accepted and "about to land" in late.refused
    ask = _ask((0.12, 0.095, 0.0), 1.1)
    assert "no foot is in the air" in revise(ask, OPTIONS).refused
