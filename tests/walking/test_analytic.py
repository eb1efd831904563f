"""The analytical generator: its equations, the reference scenario, and when it refuses."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.walking.analytic import Pair, divergent_before, ready
from poise.walking.analytic_systems import compact, full
from poise.walking.leg_effect import LegEffect
from poise.walking.mismatch import leverage
from poise.walking.orthogonal import preview_correction
from poise.walking.pendulum import pendulum_rate
from poise.walking.replanning import (
    Replan,
    ReplanOptions,
    Request,
    adapt_both,
    adapt_time,
    stakes,
)
from poise.walking.stepping import (
    Stance,
    Timing,
    Walk,
    beginning,
    continue_walking,
    first_pieces,
    stance,
    start_walking,
    still,
)
from poise.walking.swing_foot import Place

HEIGHT = 0.814  # [m], the robot of the paper
OMEGA = pendulum_rate(HEIGHT)
TIMING = Timing()
START_OF_SWING = TIMING.start + TIMING.double  # 2.36 s
PAPER = ReplanOptions(shape="quartic", rule="cancel")


def _feet(step: float, change: Pair = (0.0, 0.0)) -> tuple[Stance, ...]:
    right, left = -0.095, 0.095
    return (
        stance(False, (0.0, right, 0.0)),
        stance(True, (step + change[0], left + change[1], 0.0)),
        stance(False, (2.0 * step + change[0], right + change[1], 0.0)),
    )


def _end(stances: tuple[Stance, ...]) -> Pair:
    """Beside the last foot: the one behind it closes."""
    a, b = stances[-2].zmp, stances[-1].zmp
    return b[0], 0.5 * (a[1] + b[1])


def _walk(step: float) -> Walk:
    feet = _feet(step)
    return start_walking(OMEGA, TIMING, (0.0, 0.0), feet, end=_end(feet))


def _changed(
    step: float, change: Pair, options: ReplanOptions, elapsed: float = 0.0, generator=adapt_time
) -> Replan:
    def follow(place: Place) -> tuple[Stance, ...]:
        return _feet(step, (place[0] - step, place[1] - 0.095))

    wish = (step + change[0], 0.095 + change[1], 0.0)
    now = START_OF_SWING + elapsed * TIMING.single
    return generator(Request(_walk(step), now, wish, follow, _end), options)


# -- the equations --------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    step=st.floats(-0.2, 0.25),
    aside=st.floats(-0.05, 0.05),
    c0=st.tuples(st.floats(-0.05, 0.05), st.floats(-0.05, 0.05)),
    double=st.floats(0.02, 0.3),
    single=st.floats(0.4, 1.0),
    shape=st.sampled_from(["quartic", "plateau"]),
)
def test_closed_form_and_both_linear_systems_agree(step, aside, c0, double, single, shape) -> None:
    timing = Timing(single, double, 3.0 * single, 3.0 * single)
    feet = _feet(step, (aside, aside))
    walk = start_walking(OMEGA, timing, c0, feet, shape=shape)
    for axis in (0, 1):
        end = 0.5 * (feet[-2].zmp[axis] + feet[-1].zmp[axis])
        args = (OMEGA, walk.pattern.pieces, axis, c0[axis], 0.0, end)
        unknown, residual = compact(*args)
        mine = np.array([(piece.V, piece.W) for piece in walk.pattern.axes[axis]])
        assert residual < 1e-9
        assert unknown[0] == pytest.approx(walk.pattern.k_first[axis], abs=1e-8)
        assert np.abs(unknown[1:-1].reshape(-1, 2) - mine).max() < 1e-8
        if shape == "quartic":
            assert np.abs(full(*args) - unknown[1:-1].reshape(-1, 2)).max() < 1e-9


@pytest.mark.parametrize("shape", ["quartic", "plateau"])
def test_zmp_is_smooth_once_and_the_mass_twice_at_every_joint(shape: str) -> None:
    feet = _feet(0.2)
    walk = start_walking(OMEGA, TIMING, (0.01, -0.02), feet, shape=shape)
    changed = continue_walking(walk, START_OF_SWING, _feet(0.2, (0.15, 0.0)), 0.9, shape)
    for pattern in (walk.pattern, changed.pattern):
        ends = np.array([piece.duration for piece in pattern.pieces]).cumsum()
        for t in ends[:-1]:
            before, after = pattern.at(t - 1e-14), pattern.at(t + 1e-14)
            for name in ("com", "velocity", "acceleration", "zmp", "zmp_rate"):
                assert getattr(before, name) == pytest.approx(getattr(after, name), abs=1e-9), name


def test_integrating_the_zmp_forward_gives_the_same_mass() -> None:
    walk = _walk(0.2)
    state, t, dt = np.zeros(4), 0.0, 1e-3

    def rate(time: float, s: np.ndarray) -> np.ndarray:
        p = np.array(walk.at(time).zmp)
        return np.r_[s[2:], OMEGA**2 * (s[:2] - p)]

    while t < 2.5 - 1e-9:
        k1 = rate(t, state)
        k2 = rate(t + dt / 2, state + dt / 2 * k1)
        k3 = rate(t + dt / 2, state + dt / 2 * k2)
        k4 = rate(t + dt, state + dt * k3)
        state, t = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + dt
    assert state[:2] == pytest.approx(walk.at(t).com, abs=1e-9)


def test_the_plan_begins_at_the_state_and_ends_at_rest() -> None:
    walk = _walk(0.2)
    begin, end = walk.at(0.0), walk.at(walk.ends)
    assert (*begin.com, *begin.velocity) == pytest.approx((0.0, 0.0, 0.0, 0.0), abs=1e-12)
    assert (*end.com, *end.velocity) == pytest.approx((0.4, 0.0, 0.0, 0.0), abs=1e-9)


# -- the reference scenario -----------------------------------------------------------------

TABLE = [  # planned step, change, F_x without shift, shift, F_y induced; [m], [m], [mm], [ms], [mm]
    (0.20, 0.15, -22.8, 154.0, 11.9),
    (0.10, 0.15, -22.8, 254.0, 17.4),
    (0.20, 0.05, -7.6, 61.0, 5.4),
    (0.20, -0.05, 7.6, -77.0, -8.6),
]


@pytest.mark.parametrize(("step", "change", "without", "shift", "aside"), TABLE)
def test_reference_table(step, change, without, shift, aside) -> None:
    feet = _feet(step, (change, 0.0))
    unshifted = continue_walking(
        _walk(step), START_OF_SWING, feet, TIMING.single, "quartic", _end(feet)
    )
    assert 1e3 * unshifted.fluctuation[0] == pytest.approx(without, abs=0.2)
    predicted = stakes(_walk(step), START_OF_SWING, feet, "quartic", _end(feet))
    assert predicted.fluctuation(TIMING.single) == pytest.approx(unshifted.fluctuation, abs=2e-6)
    done = _changed(step, (change, 0.0), ReplanOptions("quartic", "cancel", earliest=-0.3))
    assert 1e3 * done.shift == pytest.approx(shift, abs=1.0)
    assert 1e3 * done.fluctuation[0] == pytest.approx(0.0, abs=0.001)
    assert 1e3 * done.fluctuation[1] == pytest.approx(aside, abs=0.2)


def test_on_the_spot_no_time_cancels_a_change() -> None:
    """The third row of the table: the mass is over the foot, and time makes no difference."""
    feet = _feet(0.0, (0.15, 0.0))
    at = stakes(_walk(0.0), START_OF_SWING, feet, "quartic", _end(feet))
    assert 1e3 * at.fluctuation(TIMING.single)[0] == pytest.approx(-22.8, abs=0.2)
    assert at.cancelling(TIMING.single, 0) is None
    nearly = stakes(_walk(1e-3), START_OF_SWING, feet, "quartic", _end(feet))
    assert nearly.cancelling(TIMING.single, 0) is None  # the logarithm would say anything


def test_a_sideways_change_disturbs_the_other_axis() -> None:
    done = _changed(0.2, (0.0, 0.05), PAPER)
    assert 1e3 * done.shift == pytest.approx(69.0, abs=1.0)
    assert 1e3 * done.fluctuation[0] == pytest.approx(7.0, abs=0.2)


@pytest.mark.parametrize(
    ("elapsed", "without", "aside"),
    [(0.1, -30, 15), (0.25, -45, 23), (0.5, -99, 45), (0.65, -176, 73), (0.8, -381, 125)],
)
def test_a_later_change_costs_more_and_the_same_shift(elapsed, without, aside) -> None:
    feet, remaining = _feet(0.2, (0.15, 0.0)), (1.0 - elapsed) * TIMING.single
    now = START_OF_SWING + elapsed * TIMING.single
    at = stakes(_walk(0.2), now, feet, "quartic", _end(feet))
    assert 1e3 * at.fluctuation(remaining)[0] == pytest.approx(without, abs=1.0)
    shift = at.cancelling(remaining, 0)
    assert shift is not None
    assert 1e3 * shift == pytest.approx(154.0, abs=1.0)
    assert 1e3 * at.fluctuation(remaining + shift)[1] == pytest.approx(aside, abs=1.0)


@pytest.mark.parametrize(("most", "shift"), [(20.0, 20.0), (10.0, 80.0), (8.05, 90.0)])
def test_bounds_on_both_axes_are_met_with_the_least_shift(most, shift) -> None:
    options = ReplanOptions(shape="quartic", most_x=1e-3 * most, most_y=1e-3 * most)
    done = _changed(0.2, (0.15, 0.0), options)
    assert 1e3 * done.shift == pytest.approx(shift, abs=5.1)
    assert max(map(abs, done.fluctuation)) <= 1e-3 * most + 1e-6
    assert done.landing == done.wish


def test_what_no_time_can_bound_gives_up_some_of_the_footprint() -> None:
    done = _changed(0.2, (0.15, 0.0), ReplanOptions(shape="quartic", most_x=0.007, most_y=0.007))
    assert done.accepted
    assert 0.2 < done.landing[0] < 0.34
    assert max(map(abs, done.fluctuation)) <= 0.007 + 1e-6
    # and no more of it than has to be: 3 mm further, some is given up again
    further = (done.landing[0] - 0.2 + 0.003, 0.0)
    again = _changed(0.2, further, ReplanOptions(shape="quartic", most_x=0.007, most_y=0.007))
    assert again.landing[0] < again.wish[0] - 1e-3


# -- rules ----------------------------------------------------------------------------------


@pytest.mark.parametrize("generator", [adapt_time, adapt_both])
@pytest.mark.parametrize("shape", ["quartic", "plateau"])
def test_a_centimetre_on_the_spot_does_not_stretch_the_step(generator, shape) -> None:
    for step in (0.0, 1e-3, -1e-3):
        done = _changed(step, (0.01, 0.0), ReplanOptions(shape=shape), generator=generator)
        assert done.accepted
        assert abs(done.shift) <= 0.01


def test_late_changes_and_changes_with_both_feet_down_are_refused() -> None:
    late = _changed(0.2, (0.05, 0.0), ReplanOptions(), elapsed=0.55)
    assert not late.accepted and "land" in late.refused
    walk = _walk(0.2)
    ask = Request(walk, 1.0, (0.3, 0.095, 0.0), lambda place: _feet(0.2), _end)
    both = adapt_time(ask, ReplanOptions())
    assert not both.accepted and both.walk is walk


def test_a_change_is_refused_when_even_the_old_landing_costs_too_much() -> None:
    assert (ReplanOptions().most_x, ReplanOptions().most_y) == (0.015, 0.010)
    rash = _changed(0.2, (0.15, 0.0), ReplanOptions("quartic", most_x=0.03))
    assert abs(rash.fluctuation[0]) > 0.02
    now = START_OF_SWING + 0.2 * TIMING.single

    def follow(place: Place) -> tuple[Stance, ...]:
        return _feet(0.2, (place[0] - 0.2, place[1] - 0.095))

    ask = Request(rash.walk, now, (0.5, 0.095, 0.0), follow, _end)
    strict = adapt_time(ask, ReplanOptions("quartic", most_x=0.002, most_y=0.002, latest=0.01))
    assert "ZMP" in strict.refused and strict.walk is rash.walk
    assert strict.landing == pytest.approx(rash.landing)


@settings(max_examples=60, deadline=None)
@given(
    step=st.floats(-0.15, 0.2),
    change=st.tuples(st.floats(-0.2, 0.2), st.floats(-0.04, 0.1)),
    elapsed=st.floats(0.0, 0.25),
    generator=st.sampled_from([adapt_time, adapt_both]),
)
def test_the_zmp_stays_in_the_sole_for_any_wish_in_the_first_quarter(
    step, change, elapsed, generator
) -> None:
    options = ReplanOptions()
    done = _changed(step, change, options, elapsed, generator)
    walk, foot = done.walk, np.array((0.0, -0.095))
    begin = max(walk.began, START_OF_SWING + elapsed * TIMING.single)
    phase, past = walk.phase(begin)
    times = np.linspace(begin, begin + phase.duration - past - 1e-6, 60)
    off = np.array([walk.at(t).zmp for t in times]) - foot
    assert np.abs(off[:, 0]).max() <= options.most_x + 1e-5 < 0.12 - 0.01
    assert np.abs(off[:, 1]).max() <= options.most_y + 1e-5 < 0.07 - 0.01


@settings(max_examples=25, deadline=None)
@given(
    change=st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2)),
    generator=st.sampled_from([adapt_time, adapt_both]),
)
def test_bounds_hold_too_where_the_next_step_goes_another_way(change, generator) -> None:
    """The step after next goes as far as this one, to the left: x and y depend on each other."""

    def follow(place: Place) -> tuple[Stance, ...]:
        x, y, _ = place
        first, _, _ = _feet(0.2)
        far = 3.0 * (x + y)
        return first, stance(True, place), stance(False, (x - far, y - 0.19 + far, 0.0))

    feet = follow((0.2, 0.095, 0.0))
    walk = start_walking(OMEGA, TIMING, (0.0, 0.0), feet, end=_end(feet))
    wish = (0.2 + change[0], 0.095 + change[1], 0.0)
    options = ReplanOptions()
    done = generator(Request(walk, START_OF_SWING, wish, follow, _end), options)
    if done.accepted:
        assert abs(done.fluctuation[0]) <= options.most_x + 2e-5
        assert abs(done.fluctuation[1]) <= options.most_y + 2e-5


@settings(max_examples=25, deadline=None)
@given(
    change=st.tuples(st.floats(-0.2, 0.2), st.floats(-0.04, 0.1)),
    generator=st.sampled_from([adapt_time, adapt_both]),
)
def test_bounds_hold_too_where_only_some_places_are_allowed(change, generator) -> None:
    """As in a safe set: whoever answers what comes after a landing moves it, too."""

    def follow(place: Place) -> tuple[Stance, ...]:
        x = min(max(place[0], 0.05), 0.25)
        return _feet(0.2, (x - 0.2, min(max(place[1], 0.08), 0.12) - 0.095))

    wish = (min(max(0.2 + change[0], 0.05), 0.25), min(max(0.095 + change[1], 0.08), 0.12), 0.0)
    options = ReplanOptions()
    done = generator(Request(_walk(0.2), START_OF_SWING, wish, follow, _end), options)
    assert done.accepted
    assert abs(done.fluctuation[0]) <= options.most_x + 1e-5
    assert abs(done.fluctuation[1]) <= options.most_y + 1e-5
    assert done.walk.stances[1].place == pytest.approx(done.landing, abs=1e-6)


def test_a_place_that_is_not_allowed_is_not_what_the_second_generator_answers() -> None:
    def follow(place: Place) -> tuple[Stance, ...]:
        return _feet(0.2, (max(place[0], 0.298) - 0.2, place[1] - 0.095))

    ask = Request(_walk(0.2), START_OF_SWING, (0.3, 0.095, 0.0), follow, _end)
    done = adapt_both(ask, ReplanOptions())
    assert done.accepted and done.wish == ask.wish
    assert done.landing == pytest.approx(done.walk.stances[1].place, abs=1e-6)
    assert done.landing[0] == pytest.approx(0.298)  # as near to the best place as may be


@pytest.mark.parametrize("elapsed", [0.0, 0.2])
def test_what_is_to_be_made_up_for_is_that_of_the_pieces(elapsed: float) -> None:
    """The compiled moments and the polynomials, with a swinging leg that counts."""
    leg = LegEffect(0.0045, -0.001, 0.0028)
    feet, lift = _feet(0.2), (-0.2, 0.095, 0.0)
    walk = start_walking(
        OMEGA, TIMING, (0.0, 0.0), feet, end=_end(feet), leg=leg, lift=(0.0, 0.095, 0.0)
    )
    now = START_OF_SWING + elapsed * TIMING.single
    lifts = lift if elapsed == 0.0 else None
    moved = _feet(0.2, (0.07, 0.03))
    for shape in ("quartic", "plateau"):
        at = stakes(walk, now, moved, shape, _end(moved), lifts)
        for remaining in (0.4, 0.78, 1.1):
            pieces = first_pieces(walk, now, moved, remaining, lifts, shape)
            need = divergent_before(ready(pieces, OMEGA), at.wanted)
            mine = at.mismatch(remaining)
            assert mine == pytest.approx((at.now[0] - need[0], at.now[1] - need[1]), abs=1e-12)
            new = continue_walking(walk, now, moved, remaining, shape, _end(moved), lifts)
            assert at.fluctuation(remaining) == pytest.approx(new.fluctuation, abs=2e-5)


def test_nothing_jumps_when_a_plan_is_changed_nor_when_its_correction_ends() -> None:
    for shape, generator in (("quartic", adapt_time), ("plateau", adapt_both)):
        done = _changed(0.2, (0.1, 0.02), ReplanOptions(shape), 0.1, generator)
        before, after = _walk(0.2).at(done.walk.began), done.walk.at(done.walk.began)
        assert after.com == pytest.approx(before.com, abs=1e-12)
        assert after.velocity == pytest.approx(before.velocity, abs=1e-12)
        assert after.zmp == pytest.approx(before.zmp, abs=1e-9)
        again = continue_walking(  # while the ZMP is still on its way
            done.walk, done.walk.began + 0.1, done.walk.stances, 0.6, shape, _end(done.walk.stances)
        )
        before, after = done.walk.at(again.began), again.at(again.began)
        for name in ("com", "velocity", "zmp", "zmp_rate"):
            assert getattr(after, name) == pytest.approx(getattr(before, name), abs=1e-9), name
        # around the landing, where the public version drops its correction
        landing = done.walk.began + done.walk.phases[0].duration
        a, b = done.walk.at(landing - 1e-9), done.walk.at(landing + 1e-9)
        assert b.com == pytest.approx(a.com, abs=1e-8)
        assert b.velocity == pytest.approx(a.velocity, abs=1e-7)


# -- the axis that a shift disturbs ---------------------------------------------------------


def test_the_plateau_stays_near_the_theoretical_bound_and_below_fifteen_millimetres() -> None:
    shifted = _changed(0.2, (0.15, 0.0), ReplanOptions("plateau", "cancel"))
    swing = shifted.walk.phases[0].duration
    feet = _feet(0.2, (0.15, 0.0))
    at = stakes(_walk(0.2), START_OF_SWING, feet, "plateau", _end(feet))
    bound = at.bound(swing)[1]
    off = [shifted.walk.pattern.at(t).zmp[1] + 0.095 for t in np.linspace(0.0, swing, 200)]
    assert 1e3 * bound == pytest.approx(5.1, abs=0.1)
    assert max(map(abs, off)) <= 1.3 * bound
    assert max(map(abs, off)) < 0.015


def test_the_literal_preview_correction_has_a_spike_and_dies_away() -> None:
    shifted = _changed(0.2, (0.15, 0.0), PAPER)
    time, added = preview_correction(shifted.walk)
    off = np.array([shifted.walk.pattern.at(t).zmp[1] + 0.095 for t in time]) + added.zmp[:, 1]
    swing = time < shifted.walk.phases[0].duration
    assert np.abs(off[swing]).max() > 0.1
    assert np.abs(off[swing][14:]).max() < 0.010
    assert np.abs(added.com[-1]).max() < 1e-4


def test_leverage_is_the_integral_it_claims_to_be() -> None:
    for shape in ("quartic", "plateau"):
        pieces = beginning(shape, 0.78, still(0.0), still(0.0))
        total, elapsed = 0.0, 0.0
        for piece in pieces:
            s = np.linspace(0.0, piece.duration, 4001)
            value = np.polyval(piece.first[::-1], s) * np.exp(-OMEGA * (elapsed + s))
            total += OMEGA * np.trapezoid(value, s)
            elapsed += piece.duration
        assert leverage(shape, 0.78, OMEGA) == pytest.approx(total, rel=1e-6)
    peak_ratio = 0.78**4 / 16.0 / leverage("quartic", 0.78, OMEGA)
    assert peak_ratio == pytest.approx(2.36, abs=0.01)
    assert 1.0 / (1.0 - exp(-OMEGA * 0.78)) == pytest.approx(1.07, abs=0.01)
