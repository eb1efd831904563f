"""A push is told as it grows, whatever the robot does meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from poise.engines.balance.push_observer import PushObserver

OMEGA, DT, BELIEVE, MOST = 5.8, 0.001, 1e-3, 0.2


def told(push: np.ndarray, noise: float = 0.0, offset: float = 0.0) -> np.ndarray:
    """Pushes [m] as believed, of a pendulum that sways about, turns, and is pushed."""
    observer, x, y_rate = PushObserver(OMEGA, DT, BELIEVE), 0.01, 0.0
    random, answers, before = np.random.default_rng(0), [], 0.0
    for k, d in enumerate(push):
        zmp = 3.0 * (x + y_rate / OMEGA) + 0.005 * np.sin(0.01 * k)  # it is kept from falling
        turns = 0.02 * np.sin(0.013 * k)
        against = 0.03 * np.cos(0.02 * k)  # the centre of mass against the IMU
        y_rate += DT * OMEGA**2 * (x - zmp + d)
        rate = y_rate - turns
        x += DT * rate
        flown = rate - against
        flies, before = (flown - before) / DT + offset, flown
        wrong = noise * random.standard_normal(3)
        observer.step(
            x + 0.01 * wrong[0], x - zmp, turns, against + wrong[1], flies + 10 * wrong[2], MOST
        )
        answers.append(observer.push)
    return np.array(answers)


def test_nobody_pushes_nothing_is_told() -> None:
    assert np.abs(told(np.zeros(2000))).max() < 2e-3
    assert np.abs(told(np.zeros(3000), offset=0.05)[1000:]).max() < 3e-3  # of an IMU that is off


def test_a_push_that_begins_at_once_is_told_within_a_fiftieth_of_a_second() -> None:
    push = np.where(np.arange(1000) >= 500, 0.03, 0.0)
    found = told(push)
    assert found[520] == pytest.approx(0.03, rel=0.2)
    np.testing.assert_allclose(found[560:], 0.03, rtol=0.1)


def test_a_push_that_grows_is_told_a_hundredth_of_a_second_late_at_most() -> None:
    time = DT * np.arange(1000)
    push = np.where(time > 0.5, 0.06 * np.sin(2.0 * np.pi * (time - 0.5)), 0.0)
    found = told(push, noise=1e-3)
    np.testing.assert_allclose(found[530:], push[530:], atol=0.004)


def test_feet_that_land_are_no_push() -> None:
    """Nothing is believed to be stronger than it may be, nor to come from nowhere."""
    observer = PushObserver(OMEGA, DT, BELIEVE)
    for flies in (*np.zeros(50), *np.full(5, 30.0), *np.zeros(45)):
        before = observer.push
        observer.step(0.0, 0.0, 0.0, 0.0, float(flies), 0.05)
        assert abs(observer.push) <= 0.05 + 1e-3
        assert abs(observer.push - before) < 0.05 * 0.02
    observer.move()
    assert observer.push == observer.growth == 0.0
