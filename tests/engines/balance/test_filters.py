"""Filters against their closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from poise.engines.balance.filters import LowPass, SecondOrder

DT = 0.001


def test_a_step_through_the_second_order_filter_is_the_closed_form() -> None:
    tau, u = 0.05, np.array([1.0, -2.0])
    one = SecondOrder(tau, DT)
    for k in range(1, 400):
        one.step(u)
        h = k * DT / tau
        np.testing.assert_allclose(one.value, u * (1.0 - (1.0 + h) * np.exp(-h)), atol=1e-12)
        np.testing.assert_allclose(one.rate, u * h / tau * np.exp(-h), atol=1e-9)


def test_without_a_time_constant_the_filter_lets_everything_pass() -> None:
    one = SecondOrder(0.0, DT)
    one.step(np.array([3.0, 4.0]))
    np.testing.assert_array_equal(one.value, [3.0, 4.0])
    np.testing.assert_allclose(one.rate, [3000.0, 4000.0])


def test_a_low_pass_follows_in_its_time() -> None:
    one = LowPass(0.05, DT)
    for _ in range(50):
        one.step(1.0)
    assert float(one.value) == pytest.approx(1.0 - np.exp(-1.0), abs=1e-9)
