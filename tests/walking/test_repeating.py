"""What comes again with every step is learnt, expected in time, and turned with the walk."""

from __future__ import annotations

import numpy as np
import pytest

from poise.walking.repeating import EARLY, Repeating, Stride

DT, T, W = 0.005, 0.9, 3.3  # [s], [s], [1/s]


def _off(left: bool, share: float) -> np.ndarray:
    """An offset of both axes that differs between the feet [m]."""
    angle = np.pi * (float(left) + share)
    return np.array([0.008 * np.sin(2.0 * angle), 0.006 * np.cos(angle)])


def _walked(heading: float = 0.0, steps: int = 40) -> Repeating:
    known = Repeating(0.03, DT)
    c, s = np.cos(heading), np.sin(heading)
    for k in range(steps):
        for t in np.arange(0.0, T, DT):
            stride = Stride(k % 2 == 1, t / T, T, heading)
            x, y = _off(stride.left, stride.share)
            known.learn(stride, (c * x - s * y, s * x + c * y))
            known.expect(stride, W)
    return known


def test_what_came_with_every_step_is_expected_in_time() -> None:
    known = _walked()
    for left in (False, True):
        for share in np.linspace(0.1, 0.9, 9):
            x, y, _, _ = known.expect(Stride(left, share, T, 0.0), W)
            assert (x, y) == pytest.approx(_off(left, share + EARLY / T), abs=8e-4)


def test_what_is_ahead_is_the_integral_that_a_falling_mass_meets() -> None:
    known, s = _walked(), np.arange(0.0, 8.0 / W, 1e-3)
    for share in (0.2, 0.7):
        ahead = []
        for later in share + (EARLY + s) / T:
            ahead.append(_off(int(later) % 2 == 1, later % 1.0))
        wish = np.trapezoid(W * np.exp(-W * s)[:, None] * np.array(ahead), s, axis=0)
        _, _, x, y = known.expect(Stride(False, share, T, 0.0), W)
        assert (x, y) == pytest.approx(wish, abs=8e-4)


def test_a_walk_that_has_turned_expects_the_same_in_its_own_axes() -> None:
    known = _walked()
    straight = known.expect(Stride(True, 0.4, T, 0.0), W)
    turned = known.expect(Stride(True, 0.4, T, 0.5 * np.pi), W)
    assert turned == pytest.approx((-straight[1], straight[0], -straight[3], straight[2]))
    again = _walked(heading=1.0).expect(Stride(True, 0.4, T, 0.0), W)
    assert again == pytest.approx(straight, abs=1e-9)


def test_a_blow_is_cut_and_nothing_is_expected_of_a_robot_that_never_walked() -> None:
    known = Repeating(0.03, DT)
    assert known.expect(Stride(True, 0.5, T, 0.0), W) == (0.0, 0.0, 0.0, 0.0)
    for _ in range(1000):
        known.learn(Stride(True, 0.5, T, 0.0), (1.0, -1.0))
    known.expect(Stride(False, 0.0, T, 0.0), W)
    assert max(map(abs, known.expect(Stride(True, 0.5, T, 0.0), W))) <= 0.03
