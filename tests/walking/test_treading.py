"""What a foot carried too much in every step alike is summed up over the strides."""

from __future__ import annotations

import numpy as np
import pytest

from poise.robot import load_robot
from poise.walking.estimating import Felt
from poise.walking.repeating import Stride
from poise.walking.stabiliser import Stabiliser
from poise.walking.treading import EARLY, MOST, Treading

DT, T = 0.005, 0.77  # [s]


def _excess(left: bool, share: float) -> float:
    return 0.2 * np.sin(np.pi * (float(left) + share))


def _walked(strides: int) -> Treading:
    known = Treading(DT)
    for k in range(2 * strides):
        for t in np.arange(0.0, T, DT):
            stride = Stride(k % 2 == 1, t / T, T, 0.0)
            known.learn(stride, _excess(stride.left, stride.share))
            known.excess(stride)
    known.excess(Stride(False, 0.0, T, 0.0))
    return known


def test_an_excess_that_stays_is_summed_up_and_told_a_little_early() -> None:
    once, thrice = _walked(1), _walked(3)
    for left in (False, True):
        for share in (0.2, 0.5, 0.8):
            stride = Stride(left, share, T, 0.0)
            told = _excess(left, share + EARLY / T)
            assert once.excess(stride) == pytest.approx(0.4 * told, abs=0.01)
            assert thrice.excess(stride) == pytest.approx(3.0 * 0.4 * told, abs=0.03)
        # the same before and after the middle of a step, but for being told early
        first, last = (thrice.excess(Stride(left, share, T, 0.0)) for share in (0.1, 0.9))
        assert abs(first) > abs(last) + 0.01


def test_a_sum_does_not_grow_for_ever_and_nothing_is_told_at_first() -> None:
    stride = Stride(True, 0.5, T, 0.0)
    assert Treading(DT).excess(stride) == 0.0
    known = Treading(DT)
    for _ in range(10000):
        known.learn(stride, 1.0)
    known.excess(Stride(False, 0.0, T, 0.0))
    assert 0.0 < known.excess(Stride(True, 0.49, T, 0.0)) <= MOST


def test_a_foot_yields_to_what_it_carried_in_the_strides_before() -> None:
    robot = load_robot("hrp2")
    stabiliser, (left, right) = Stabiliser(robot), robot.feet
    middle, none = np.zeros(2), np.zeros(3)
    loads = {left: 0.7 * robot.weight, right: 0.3 * robot.weight}
    felt = Felt(none, none, middle, loads, {left: middle, right: middle}, middle)
    stabiliser._soles.shares = {left: 0.5, right: 0.5}
    for k in range(6):
        for t in np.arange(0.0, T, DT):
            before = stabiliser._tread(felt, Stride(k % 2 == 1, t / T, T, 0.0))
    assert before[left] == -before[right] > 0.1
    foot = stabiliser._state.feet[left]
    foot.load = 0.5  # now it carries its share
    assert stabiliser._yield(foot, 0.5, 0.0) == 0.0
    assert stabiliser._yield(foot, 0.5, before[left]) > 0.0
