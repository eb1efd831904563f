import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.errors import BadInput
from poise.trajectories import BSpline
from poise.trajectories.chebyshev import bernstein_value
from poise.trajectories.spline_maps import (
    basis_matrix,
    clamped_knots,
    leading_points,
    rate_matrix,
    roughness_matrix,
    span_matrices,
    trailing_points,
)

seeds = st.integers(0, 10**6)


def random_spline(seed, degree=None):
    rng = np.random.default_rng(seed)
    degree = int(rng.integers(1, 6)) if degree is None else degree
    spans = int(rng.integers(1, 8))
    start = rng.uniform(-2, 2)
    control = rng.normal(size=(spans + degree, 2))
    return BSpline.uniform(start, start + rng.uniform(0.1, 3), control, degree)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_a_spline_stays_in_the_hull_of_its_control_points_and_so_does_its_rate(seed):
    spline = random_spline(seed)
    times = np.linspace(spline.start, spline.end, 500)
    for each in (spline, spline.rate):
        low, high = each.hull
        assert np.all(each(times) >= low - 1e-12) and np.all(each(times) <= high + 1e-12)
    np.testing.assert_allclose(spline(spline.start), spline.control[0])
    np.testing.assert_allclose(spline(spline.end), spline.control[-1])


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_pieces_in_powers_and_in_bernsteins_basis_are_the_spline(seed):
    spline = random_spline(seed)
    u = np.linspace(0, 1, 9)
    breaks = spline.breaks
    for i in range(len(breaks) - 1):
        times = breaks[i] + u * (breaks[i + 1] - breaks[i])
        powers = np.vander(u, spline.degree + 1, increasing=True) @ spline.monomials[i]
        np.testing.assert_allclose(powers, spline(times), atol=1e-11)
        np.testing.assert_allclose(bernstein_value(spline.bernstein[i], u), powers, atol=1e-11)
    assert np.all(spline.bernstein.min(axis=(0, 1)) >= spline.hull[0] - 1e-9)
    assert np.all(spline.bernstein.max(axis=(0, 1)) <= spline.hull[1] + 1e-9)


def test_the_ends_of_a_cubic_in_closed_form():
    """The formulas of the multicontact brief, section 2.1."""
    rng = np.random.default_rng(0)
    for spans in (2, 3, 5, 8):
        P, T = rng.normal(size=spans + 3), 1.7
        h = T / spans
        q = BSpline.uniform(0.0, T, P)
        v, a = q.rate, q.rate.rate
        assert v(0.0) == pytest.approx(3 * (P[1] - P[0]) / h)
        assert a(0.0) == pytest.approx(6 / h**2 * (P[0] - 1.5 * P[1] + 0.5 * P[2]))
        assert v(T) == pytest.approx(3 * (P[-1] - P[-2]) / h)
        assert a(T) == pytest.approx(6 / h**2 * (P[-1] - 1.5 * P[-2] + 0.5 * P[-3]))


def test_control_points_of_the_rate_in_closed_form():
    P, h = np.random.default_rng(1).normal(size=8), 0.4
    V = BSpline.uniform(0.0, 5 * h, P).rate.control
    expected = np.diff(P) / h * np.array([3, 1.5, 1, 1, 1, 1.5, 3])
    np.testing.assert_allclose(V, expected, atol=1e-12)


def test_an_inner_span_has_the_known_matrix():
    B = span_matrices(7)[3]
    known = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6
    np.testing.assert_allclose(B, known, atol=1e-12)


@pytest.mark.parametrize("degree", [2, 3, 4, 5])
@pytest.mark.parametrize("spans", [1, 2, 3, 6])
def test_span_matrices_give_the_pieces(spans, degree):
    P = np.random.default_rng(2).normal(size=(spans + degree, 3))
    pieces = BSpline.uniform(2.0, 5.0, P, degree).monomials
    for i, B in enumerate(span_matrices(spans, degree)):
        np.testing.assert_allclose(B @ P[i : i + degree + 1], pieces[i], atol=1e-11)


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(0, 3))
def test_the_basis_matrix_gives_values_and_derivatives(seed, order):
    rng = np.random.default_rng(seed)
    spans, T = int(rng.integers(1, 8)), rng.uniform(0.5, 3)
    P, share = rng.normal(size=(spans + 3, 2)), rng.uniform(size=20)
    curve = BSpline.uniform(0.0, T, P)
    for _ in range(order):
        curve = curve.rate
    B = basis_matrix(spans, share, 3, order)
    np.testing.assert_allclose(B @ P / T**order, curve(share * T), atol=1e-8)
    assert np.all(np.diff(B.indptr) <= 4)  # four control points act at any time
    if order == 0:
        np.testing.assert_allclose(B.sum(axis=1), 1.0)
    np.testing.assert_allclose(
        rate_matrix(spans, 3, order) @ P / T**order, curve.control, atol=1e-8
    )


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_phases_joined_by_leading_points_are_smooth_to_the_second_derivative(seed):
    rng = np.random.default_rng(seed)
    first = random_spline(seed, degree=3)
    spans, T = int(rng.integers(1, 6)), rng.uniform(0.2, 2)
    state = [each(first.end) for each in (first, first.rate, first.rate.rate)]
    lead = leading_points(*state, T / spans, spans)
    control = np.vstack([lead, rng.normal(size=(spans, 2))])
    second = BSpline.uniform(first.end, first.end + T, control)
    scale = 1 + max(np.abs(each).max() for each in state)
    for each, value in zip((second, second.rate, second.rate.rate), state, strict=True):
        np.testing.assert_allclose(each(second.start), value, atol=1e-10 * scale)


def test_leading_points_in_closed_form_and_trailing_ones_mirrored():
    q, v, a, h = 0.3, -1.2, 4.0, 0.25
    expected = [q, q + v * h / 3, q + v * h + a * h * h / 3]
    np.testing.assert_allclose(leading_points(q, v, a, h, 5), expected, atol=1e-14)
    lead, trail = leading_points(0, 0, 0, h, 4), trailing_points(q, v, a, h, 4)
    spline = BSpline.uniform(0.0, 4 * h, np.r_[lead, 0.7, trail])
    found = [each(4 * h) for each in (spline, spline.rate, spline.rate.rate)]
    np.testing.assert_allclose(found, [q, v, a], atol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_roughness_is_the_integral_of_the_squared_derivative(order):
    spans, T = 5, 1.7
    P = np.random.default_rng(3).normal(size=spans + 3)
    curve = BSpline.uniform(0.0, T, P)
    for _ in range(order):
        curve = curve.rate
    h = T / spans
    nodes, weights = np.polynomial.legendre.leggauss(6)
    times = (np.arange(spans)[:, None] + (nodes + 1) / 2) * h
    exact = np.sum(weights * h / 2 * curve(times.ravel()).reshape(times.shape) ** 2)
    G = roughness_matrix(spans, 3, order)
    assert P @ G @ P / T ** (2 * order - 1) == pytest.approx(exact)


def test_a_fit_of_values_of_a_spline_gives_its_control_points_back():
    spline = random_spline(5, degree=3)
    spans = len(spline.breaks) - 1
    times = np.linspace(spline.start, spline.end, 60)
    fit = BSpline.fitted(spline.start, spline.end, spans, times, spline(times))
    np.testing.assert_allclose(fit.control, spline.control, atol=1e-9)


def test_matrices_that_are_shared_cannot_be_written():
    for shared in (clamped_knots(3), span_matrices(3), roughness_matrix(3)):
        with pytest.raises(ValueError, match="read-only"):
            shared[0] = 1.0


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: BSpline.uniform(0, 1, np.zeros(3)), "number of control points"),
        (lambda: BSpline.uniform(1, 0, np.zeros(5)), "falling"),
        (lambda: BSpline.uniform(1, 1, np.zeros(5)), "time span"),
        (lambda: BSpline.uniform(0, 1, np.full(5, np.nan)), "control points"),
        (lambda: basis_matrix(3, 1.2), "share"),
        (lambda: clamped_knots(0), "at least one span"),
    ],
)
def test_bad_requests_are_refused_in_one_sentence(call, says):
    with pytest.raises(BadInput, match=says):
        call()
