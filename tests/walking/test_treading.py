"""What a foot carried too much in every step alike is summed up over the strides."""

from __future__ import annotations

import numpy as np
import pytest

from poise.walking.repeating import Stride
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


def test_a_sum_does_not_grow_for_ever_and_nothing_is_told_at_first() -> None:
    stride = Stride(True, 0.5, T, 0.0)
    assert Treading(DT).excess(stride) == 0.0
    known = Treading(DT)
    for _ in range(10000):
        known.learn(stride, 1.0)
    known.excess(Stride(False, 0.0, T, 0.0))
    assert 0.0 < known.excess(Stride(True, 0.49, T, 0.0)) <= MOST
