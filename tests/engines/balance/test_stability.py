"""Which gains are stable, and what is said of those that are not."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.engines.balance import BalanceOptions
from poise.engines.balance.stability import Loop, least_filter, require_stable, strongest
from poise.errors import BadInput
from poise.robot import load_robot

OMEGA = 35.0**0.5
PAPER = Loop(k=5.0, push_back=1.5, brake=0.0, filter_time=0.1, servo_time=0.0, omega=OMEGA)


def loop(Kp: float, Kd: float, tau: float, servo: float) -> Loop:
    return Loop(5.0, 5.0 * Kp, 5.0 * Kd, tau, servo, OMEGA)


@given(st.floats(0.5, 1000.0), st.floats(0.01, 5.0), st.floats(0.0, 0.5), st.floats(2.0, 10.0))
@settings(max_examples=50, deadline=None)
def test_without_a_filter_leaning_against_a_push_is_never_stable(k, Kp, Kd, omega) -> None:
    assert Loop(k, k * Kp, k * Kd, 0.0, 0.0, omega).slowest() > 0.0


def test_the_unfiltered_root_is_the_one_of_the_closed_form() -> None:
    assert Loop(5.0, 1.5, 0.0, 0.0, 0.0, OMEGA).slowest() == pytest.approx(28.7, abs=0.1)


def test_the_polynomial_is_that_of_the_closed_form() -> None:
    k, Kp, Kd, tau, w2 = 7.0, 0.4, 0.03, 0.09, 35.0
    found = Loop(k, k * Kp, k * Kd, tau, 0.0, OMEGA).characteristic()
    expected = [
        k * (1 + Kp),
        1 + 2 * k * tau + k * Kd,
        2 * tau + k * tau**2 - k * Kp / w2,
        tau**2 - k * Kd / w2,
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("Kp", "Kd", "rigid", "servo"),
    [
        (0.3, 0.0, 0.022, 0.012),
        (0.6, 0.0, 0.044, 0.054),
        (1.0, 0.0, 0.076, 0.105),
        (0.3, 0.02, 0.054, 0.041),
        (0.6, 0.02, 0.054, 0.058),
        (1.0, 0.05, 0.085, 0.105),
    ],
)
def test_the_shortest_filters_are_those_of_the_design_chart(Kp, Kd, rigid, servo) -> None:
    for lag, expected in ((0.0, rigid), (0.02, servo)):
        taus = np.arange(0.001, 0.3, 0.001)
        # the chart does not say how far from the axis it wants the roots
        stable = [loop(Kp, Kd, float(t), lag).slowest() for t in taus]
        barely = taus[np.argmax(np.array(stable) < 0.0)]
        well = taus[np.argmax(np.array(stable) < -0.5)]
        assert barely - 0.001 <= expected <= well + 0.001


def test_giving_way_is_stable_without_a_filter_up_to_the_pull_of_the_reference() -> None:
    for kz in (0.5, 2.0, 4.9):
        assert Loop(5.0, -kz, 0.0, 0.0, 0.0, OMEGA).slowest() < 0.0
    assert Loop(5.0, -5.1, 0.0, 0.0, 0.0, OMEGA).slowest() > 0.0


@given(st.floats(2.0, 20.0), st.floats(0.1, 2.0), st.floats(0.001, 0.2))
@settings(max_examples=25, deadline=None)
def test_the_values_offered_instead_are_stable(k: float, Kp: float, tau: float) -> None:
    one = Loop(k, k * Kp, 0.0, tau, 0.02, OMEGA)
    if one.stable:
        return
    shortest = least_filter(one)
    assert shortest is None or replace(one, filter_time=shortest).stable
    factor = strongest(one)
    assert factor == 0.0 or one.stronger(factor).stable


def test_unstable_gains_are_refused_with_the_reason_and_what_would_do() -> None:
    robot = load_robot("hoap3")
    with pytest.raises(BadInput) as caught:
        BalanceOptions(feedback="stiff", Kp=1.0, zmp_filter=0.05).require_stable(robot)
    words = str(caught.value)
    assert "Kp is 1" in words and "unstable, a root at +" in words and words.count("\n") == 0
    tau = float(re.search(r"zmp_filter ([\d.]+) s or longer", words)[1])
    gain = float(re.search(r"Kp ([\d.]+) or less", words)[1])
    BalanceOptions(feedback="stiff", Kp=1.0, zmp_filter=tau).require_stable(robot)
    BalanceOptions(feedback="stiff", Kp=gain, zmp_filter=0.05).require_stable(robot)


def test_a_whole_step_each_millisecond_cannot_be_run_on_a_stiff_robot() -> None:
    unscaled = Loop(1000.0, 300.0, 0.0, 0.1, 0.02, OMEGA)
    assert not unscaled.stable and least_filter(unscaled) is None


def test_gains_within_six_decibels_of_unstable_are_refused() -> None:
    near = replace(PAPER, filter_time=0.030, servo_time=0.02)
    assert near.slowest() < -0.5 and not near.stable
    with pytest.raises(BadInput, match="within 6 dB"):
        require_stable(near, "here", "Kp", "0.3")
