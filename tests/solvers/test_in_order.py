"""The compiled recursion of levels answers as the careful one does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.solvers.damped import DAMPING, UNDAMPED, Damping
from poise.solvers.hierarchy import InOrder, Level, solve_carefully


def stacked(levels):
    J, e = np.concatenate([w.J for w in levels]), np.concatenate([w.e for w in levels])
    return J, e, InOrder(np.cumsum([len(w.e) for w in levels]), J.shape[1])


def levels_with(random, n, spectrum):
    """Levels of any height, with repeated rows and singular values of any size among them."""
    levels = []
    for m in random.integers(0, 2 * n // 3, size=random.integers(1, 6)):
        J = random.normal(size=(m, n))
        if m > 1:
            U, s, Vt = np.linalg.svd(J, full_matrices=False)
            few = random.integers(0, min(3, len(s)) + 1)
            s[len(s) - few :] = spectrum(random, few)
            J = U * s @ Vt
        if m > 2 and random.random() < 0.5:
            J[0], J[-1] = J[1] - J[2], 0.0  # says again what others say, and nothing
        if levels and m and random.random() < 0.5 and len(levels[-1].J):
            J[0] = levels[-1].J[0]  # what a higher level has said
        levels.append(Level(J, random.normal(size=m)))
    return levels


SPECTRA = {
    "regular": lambda random, k: random.uniform(0.3, 1.0, size=k),
    "near the threshold": lambda random, k: random.uniform(0.02, 0.08, size=k),
    "nearly singular": lambda random, k: 10.0 ** random.uniform(-5, -2, size=k),
    "in pairs": lambda random, k: np.full(k, 0.01),
    "singular": lambda random, k: np.zeros(k),
}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 30), st.sampled_from(sorted(SPECTRA)))
def test_any_levels_are_served_as_the_careful_recursion_serves_them(seed, n, kind):
    levels = levels_with(np.random.default_rng(seed), n, SPECTRA[kind])
    J, e, in_order = stacked(levels)
    found, wanted = in_order.solve(J, e, DAMPING), solve_carefully(levels)
    assert found is not None
    np.testing.assert_allclose(found, wanted.x, atol=1e-9)
    assert tuple(in_order.damped) == wanted.damped
    free = in_order.free
    np.testing.assert_allclose(free @ free.T, wanted.projector, atol=1e-8)
    np.testing.assert_allclose(free.T @ free, np.eye(free.shape[1]), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_a_wish_gets_what_the_levels_leave(seed):
    random = np.random.default_rng(seed)
    levels = levels_with(random, 15, SPECTRA["near the threshold"])
    wish, (J, e, in_order) = random.normal(size=15), stacked(levels)
    wanted = solve_carefully(levels).towards(wish)
    np.testing.assert_allclose(in_order.solve(J, e, DAMPING, wish), wanted, atol=1e-9)


def test_without_damping_the_step_is_exact_as_far_as_numbers_go():
    random = np.random.default_rng(3)
    levels = levels_with(random, 12, SPECTRA["near the threshold"])
    J, e, in_order = stacked(levels)
    wanted = solve_carefully(levels, UNDAMPED)
    np.testing.assert_allclose(in_order.solve(J, e, UNDAMPED), wanted.x, rtol=1e-8)


def test_the_memory_of_one_solve_is_nothing_to_the_next():
    random = np.random.default_rng(4)
    J, e = random.normal(size=(9, 12)), random.normal(size=9)
    in_order, damping = InOrder([3, 9], 12), Damping(0.2, 0.2)
    first = in_order.solve(J, e, damping)
    in_order.solve(np.zeros((9, 12)), e, damping)
    assert in_order.damped.tolist() == [True, True]
    np.testing.assert_array_equal(in_order.solve(J, e, damping), first)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_left_to_the_careful(bad):
    J, e = np.eye(3), np.ones(3)
    for array in (J, e):
        before, array.flat[1] = array.flat[1], bad
        assert InOrder([2, 3], 3).solve(J, e, DAMPING) is None
        array.flat[1] = before
    assert InOrder([2, 3], 3).solve(J, e, DAMPING) is not None
