"""IPOPT behind plain functions of arrays."""

import os
import signal

import numpy as np
import pytest

from poise.solvers.interior_point import InteriorPointOptions, Iterate, minimise, violation


class Circle:
    """The point of a circle nearest to (2, 1), with x >= y."""

    x_lower, x_upper = np.full(2, -5.0), np.full(2, 5.0)
    lower, upper = np.array([1.0, 0.0]), np.array([1.0, np.inf])
    # the first place is named twice: what stands there is summed
    jacobian_places = (np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1]))
    hessian_places = (np.array([0, 1]), np.array([0, 1]))

    def values(self, x):
        return float((x[0] - 2.0) ** 2 + (x[1] - 1.0) ** 2), np.array([x @ x, x[0] - x[1]])

    def gradient(self, x):
        return 2.0 * (x - np.array([2.0, 1.0]))

    def jacobian(self, x):
        return np.array([x[0], x[0], 2.0 * x[1], 1.0, -1.0])

    def hessian(self, x, scale, multipliers):
        return np.full(2, 2.0 * scale + 2.0 * multipliers[0])


EXACT = np.array([2.0, 1.0]) / np.sqrt(5.0)


def test_it_finds_the_minimum():
    found = minimise(Circle(), np.array([0.5, 0.2]), InteriorPointOptions(tolerance=1e-9))
    assert found.solved
    assert np.abs(found.x - EXACT).max() < 1e-6
    assert found.violation < 1e-6


def test_every_iterate_is_seen_and_can_be_the_last():
    seen: list[Iterate] = []

    def watch(iterate):
        seen.append(iterate)
        return len(seen) == 3

    found = minimise(Circle(), np.array([0.5, 0.2]), watch=watch)
    assert len(seen) == 3
    assert not found.solved
    assert np.abs(found.x - seen[-1].x).max() < 1e-6


def test_ctrl_c_stops_and_keeps_where_it_is():
    def watch(iterate):
        os.kill(os.getpid(), signal.SIGINT)
        return False

    found = minimise(Circle(), np.array([0.5, 0.2]), watch=watch)
    assert found.interrupted
    assert found.iterations < 4


def test_an_error_of_whoever_watches_is_raised_as_it_is():
    def watch(_):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        minimise(Circle(), np.array([0.5, 0.2]), watch=watch)


def test_violation_is_of_bounds_and_constraints():
    x = np.array([6.0, 0.0])
    assert violation(Circle(), x, np.array([1.0, 0.0])) == pytest.approx(1.0)
    assert violation(Circle(), np.zeros(2), np.array([3.0, -0.5])) == pytest.approx(2.0)
