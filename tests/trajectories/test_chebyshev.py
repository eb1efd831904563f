import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.trajectories.chebyshev import (
    bernstein_basis,
    bernstein_product,
    bernstein_rate,
    bernstein_value,
    bounds,
    chebyshev_nodes,
    monomials_to_bernstein,
    nodes_to_bernstein,
    nodes_to_monomials,
    subdivide,
)

seeds = st.integers(0, 10**6)
GRID = np.linspace(0, 1, 400)


def random_coefficients(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(int(rng.integers(1, 10)), 2))


@pytest.mark.parametrize("order", range(13))
def test_a_polynomial_sampled_at_the_nodes_comes_back(order):
    rng = np.random.default_rng(order)
    powers = rng.normal(size=(order + 1, 3))
    samples = np.vander(chebyshev_nodes(order), order + 1, increasing=True) @ powers
    coefficients = nodes_to_bernstein(order) @ samples
    np.testing.assert_allclose(coefficients, monomials_to_bernstein(order) @ powers, atol=1e-10)
    np.testing.assert_allclose(bernstein_value(coefficients, chebyshev_nodes(order)), samples)
    taylor = nodes_to_monomials(order) @ samples
    values = np.vander(2 * GRID - 1, order + 1, increasing=True) @ taylor
    np.testing.assert_allclose(values, bernstein_value(coefficients, GRID), atol=1e-9)


def test_nodes_rise_from_end_to_end_and_are_shared_read_only():
    nodes = chebyshev_nodes(6)
    assert nodes[0] == 0.0 and nodes[-1] == 1.0 and np.all(np.diff(nodes) > 0)
    np.testing.assert_allclose(nodes + nodes[::-1], 1.0)
    with pytest.raises(ValueError, match="read-only"):
        nodes[0] = 3.0


def test_a_smooth_function_is_met_between_its_samples_ten_times_better_per_two_orders():
    def torque(u):
        return np.exp(np.sin(3 * u)) * np.cos(5 * u)

    errors = []
    for order in (6, 8, 10, 12):
        coefficients = nodes_to_bernstein(order) @ torque(chebyshev_nodes(order))
        errors.append(np.abs(bernstein_value(coefficients, GRID) - torque(GRID)).max())
    assert errors[-1] < 2e-4
    assert np.all(np.array(errors[1:]) < 0.2 * np.array(errors[:-1]))


def test_the_basis_sums_to_one_and_is_positive():
    basis = bernstein_basis(7, GRID)
    np.testing.assert_allclose(basis.sum(axis=1), 1.0)
    assert basis.min() >= 0.0


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(0, 5))
def test_bounds_hold_and_tighten(seed, halvings):
    coefficients = random_coefficients(seed)
    values = bernstein_value(coefficients, GRID)
    low, high = bounds(coefficients, halvings)
    assert np.all(low <= values.min(axis=0) + 1e-12)
    assert np.all(high >= values.max(axis=0) - 1e-12)
    tighter_low, tighter_high = bounds(coefficients, halvings + 1)
    assert np.all(tighter_low >= low - 1e-12) and np.all(tighter_high <= high + 1e-12)


def test_each_halving_makes_bounds_about_four_times_tighter():
    coefficients = nodes_to_bernstein(8) @ np.sin(6 * chebyshev_nodes(8))
    truth = bernstein_value(coefficients, np.linspace(0, 1, 200001)).max()
    gaps = [bounds(coefficients, halvings)[1] - truth for halvings in range(6)]
    assert gaps[5] < gaps[1] / 100 and gaps[5] >= -1e-12


@settings(max_examples=40, deadline=None)
@given(seeds, st.floats(0, 1))
def test_the_halves_are_the_whole(seed, at):
    coefficients = random_coefficients(seed)
    left, right = subdivide(coefficients, at)
    np.testing.assert_allclose(
        bernstein_value(left, GRID), bernstein_value(coefficients, at * GRID), atol=1e-12
    )
    rest = at + (1 - at) * GRID
    np.testing.assert_allclose(
        bernstein_value(right, GRID), bernstein_value(coefficients, rest), atol=1e-12
    )


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_rates_and_products(seed):
    a, b = random_coefficients(seed), random_coefficients(seed + 1)
    product = bernstein_value(bernstein_product(a, b), GRID)
    np.testing.assert_allclose(
        product, bernstein_value(a, GRID) * bernstein_value(b, GRID), atol=1e-11
    )
    step = 1e-6
    inner = GRID[1:-1]
    slope = (bernstein_value(a, inner + step) - bernstein_value(a, inner - step)) / (2 * step)
    np.testing.assert_allclose(bernstein_value(bernstein_rate(a), inner), slope, atol=1e-6)


def test_it_is_linear_so_jacobians_of_samples_become_jacobians_of_coefficients():
    rng = np.random.default_rng(1)
    samples, change = rng.normal(size=(6, 4)), rng.normal(size=(6, 4, 9))
    T = nodes_to_bernstein(5)
    p = rng.normal(size=9)
    np.testing.assert_allclose(
        T @ (samples + change @ p), T @ samples + np.tensordot(T, change, axes=1) @ p, atol=1e-12
    )
