import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.errors import BadInput
from poise.trajectories import (
    Polynomial,
    hold,
    lift,
    minimum_jerk,
    quintic,
    spline_through,
    through_waypoints,
)

number = st.floats(-10, 10, allow_nan=False)
triple = st.tuples(number, number, number)


@settings(max_examples=60, deadline=None)
@given(triple, triple, st.floats(-5, 5), st.floats(0.05, 5))
def test_a_quintic_meets_its_six_conditions(first, last, start, duration):
    end = start + duration
    p = quintic(start, end, first[0], last[0], (first[1], last[1]), (first[2], last[2]))
    size = 1 + max(np.abs(first).max(), np.abs(last).max()) * max(1, duration**2, duration**-2)
    for time, state in ((start, first), (end, last)):
        found = [p(time), p.rate(time), p.rate.rate(time)]
        np.testing.assert_allclose(found, state, atol=1e-12 * size)


def test_minimum_jerk_is_the_known_polynomial_and_no_neighbour_jerks_less():
    p = minimum_jerk(0.0, 1.0, 0.0, 1.0)
    s = np.linspace(0, 1, 50)
    np.testing.assert_allclose(p(s), 10 * s**3 - 15 * s**4 + 6 * s**5, atol=1e-14)
    grid = np.linspace(0, 1, 20001)

    def jerk(q):
        return np.trapezoid(q.rate.rate.rate(grid) ** 2, grid)

    bump = Polynomial.of_monomials(0.0, 1.0, [0, 0, 0, 1, -3, 3, -1])
    for amount in (-0.1, 0.1):
        other = p + Polynomial(0.0, 1.0, amount * bump.coefficients)
        assert jerk(other) > jerk(p)
    assert jerk(p) == pytest.approx(720.0, rel=1e-4)


def test_a_lift_reaches_its_height_half_way_and_is_at_rest_at_both_ends():
    bump = lift(2.0, 2.8, 0.05)
    assert bump(2.4) == pytest.approx(0.05)
    for time in (2.0, 2.8):
        np.testing.assert_allclose(
            [bump(time), bump.rate(time), bump.rate.rate(time)], 0, atol=1e-12
        )
    grid = np.linspace(2.0, 2.8, 500)
    assert bump(grid).max() <= 0.05 + 1e-15 and bump(grid).min() >= -1e-15
    s = (grid - 2.0) / 0.8
    np.testing.assert_allclose(bump(grid), 64 * 0.05 * s**3 * (1 - s) ** 3, atol=1e-15)
    np.testing.assert_allclose(lift(0, 1, 0.1, (0, 0, 1))(0.5), [0, 0, 0.1], atol=1e-15)


@settings(max_examples=40, deadline=None)
@given(st.lists(number, min_size=1, max_size=9))
def test_monomials_survive_the_way_there_and_back(coefficients):
    p = Polynomial.of_monomials(1.0, 3.0, coefficients)
    np.testing.assert_allclose(p.monomials, coefficients, atol=1e-9)
    s = np.linspace(0, 1, 7)
    np.testing.assert_allclose(p(1 + 2 * s), np.polyval(coefficients[::-1], s), atol=1e-11)


def test_the_sum_is_the_sum():
    a, b = quintic(0, 2, [1.0, 2.0], [3.0, 0.0]), lift(0, 2, 0.3, (0.0, 1.0))
    t = np.linspace(0, 2, 9)
    np.testing.assert_allclose((a + b)(t), a(t) + b(t), atol=1e-14)
    with pytest.raises(BadInput, match="time span"):
        a + lift(0, 1, 0.3, (0.0, 1.0))


def test_derivatives_end_in_zero():
    p = hold(0.0, 1.0, [1.0, 2.0]).rate.rate.rate
    np.testing.assert_array_equal(p([0.0, 0.5, 1.0]), 0.0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_a_polynomial_through_way_points_meets_every_condition(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 7))
    times = rng.uniform(-3, 3) + np.cumsum(rng.uniform(0.2, 0.5, size=k))
    values = rng.normal(size=(k, 2))
    rates = {int(i): rng.normal(size=2) for i in rng.permutation(k)[: rng.integers(0, 3)]}
    bends = {int(i): rng.normal(size=2) for i in rng.permutation(k)[: rng.integers(0, 3)]}
    p = through_waypoints(times, values, rates, bends)
    assert p.order == k + len(rates) + len(bends) - 1
    np.testing.assert_allclose(p(times), values, atol=1e-9)
    for i, rate in rates.items():
        np.testing.assert_allclose(p.rate(times[i]), rate, atol=1e-7)
    for i, bend in bends.items():
        np.testing.assert_allclose(p.rate.rate(times[i]), bend, atol=1e-5)


def test_high_orders_stay_exact():
    """Sixteen way-points at rest: order 19, where monomials would have lost all digits."""
    rng = np.random.default_rng(0)
    source = Polynomial(0.0, 4.0, rng.normal(size=20) / np.arange(1, 21))
    times = 2 - 2 * np.cos(np.linspace(0, np.pi, 16))
    p = through_waypoints(
        times,
        source(times),
        {0: source.rate(0.0), -1: source.rate(4.0)},
        {0: source.rate.rate(0.0), -1: source.rate.rate(4.0)},
    )
    t = np.linspace(0, 4, 400)
    np.testing.assert_allclose(p(t), source(t), atol=1e-9)


def test_two_way_points_at_rest_are_the_quintic():
    p = through_waypoints([0.0, 1.5], [0.0, 1.0], {0: 0, -1: 0}, {0: 0, -1: 0})
    np.testing.assert_allclose(p.coefficients, quintic(0.0, 1.5, 0.0, 1.0).coefficients, atol=1e-13)


@pytest.mark.parametrize("degree, smooth", [(3, 2), (5, 4)])
def test_splines_go_through_their_way_points_and_bend_smoothly(degree, smooth):
    rng = np.random.default_rng(1)
    times, values = np.array([0.0, 0.5, 1.2, 2.0, 2.2]), rng.normal(size=(5, 3))
    rates, bends = (rng.normal(size=3), rng.normal(size=3)), (rng.normal(size=3), np.zeros(3))
    spline = spline_through(times, values, degree, rates, bends)
    np.testing.assert_allclose(spline(times), values, atol=1e-12)
    np.testing.assert_allclose(spline.rate(times[[0, -1]]), rates, atol=1e-9)
    if degree == 5:
        np.testing.assert_allclose(spline.rate.rate(times[[0, -1]]), bends, atol=1e-8)
    derivative = spline
    for _ in range(smooth + 1):
        before, after = derivative(times[1:-1] - 1e-9), derivative(times[1:-1] + 1e-9)
        np.testing.assert_allclose(before, after, atol=1e-4)
        derivative = derivative.rate
    assert np.abs(derivative(times[1:-1] - 1e-9) - derivative(times[1:-1] + 1e-9)).max() > 1e-2


def test_a_natural_spline_does_not_bend_at_its_ends():
    spline = spline_through([0.0, 1.0, 3.0, 4.0], [0.0, 1.0, -1.0, 0.5], rates=None)
    np.testing.assert_allclose(spline.rate.rate([0.0, 4.0]), 0.0, atol=1e-12)
    straight = spline_through([0.0, 1.0, 3.0], [0.0, 2.0, 6.0], rates=None)
    np.testing.assert_allclose(straight([0.3, 2.7]), [0.6, 5.4], atol=1e-12)
    quintic_one = spline_through([0.0, 1, 2, 3, 4, 5, 6], np.arange(7.0) ** 2, 5, rates=None)
    np.testing.assert_allclose(quintic_one(2.5), 6.25, atol=1e-10)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: quintic(1.0, 1.0, 0, 1), "time span"),
        (lambda: Polynomial(0.0, 1.0, np.array([np.nan])), "coefficients"),
        (lambda: through_waypoints([0.0, 1.0], [1.0]), "values"),
        (lambda: through_waypoints([1.0, 0.0], [1.0, 2.0]), "times"),
        (lambda: through_waypoints([0.0, 1.0], [1.0, 2.0], {5: 0.0}), "condition"),
        (lambda: spline_through([0.0, 1.0], [1.0, 2.0], degree=4), "degree"),
    ],
)
def test_bad_requests_are_refused_in_one_sentence(call, says):
    with pytest.raises(BadInput, match=says):
        call()
