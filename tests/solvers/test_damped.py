import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.solvers.damped import UNDAMPED, Damping, damped_inverse, null_basis, null_projector


def jacobian(seed, rank=None):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 8)), int(rng.integers(1, 20))
    k = int(rng.integers(0, min(m, n) + 1)) if rank is None else rank
    return rng.normal(size=(m, k)) @ rng.normal(size=(k, n))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_the_projector_is_symmetric_idempotent_and_invisible(seed):
    J = jacobian(seed)
    N = null_projector(J)
    np.testing.assert_allclose(N, N.T, atol=1e-14)
    np.testing.assert_allclose(N @ N, N, atol=1e-12)
    np.testing.assert_allclose(J @ N, 0.0, atol=1e-12 * (1 + np.abs(J).max()))
    assert np.trace(N) == pytest.approx(J.shape[1] - np.linalg.matrix_rank(J))


def test_of_nothing_everything_is_null():
    np.testing.assert_array_equal(null_projector(np.zeros((2, 3))), np.eye(3))
    assert null_basis(np.eye(3)).shape == (3, 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_away_from_singularities_the_inverse_is_exact(seed):
    rng = np.random.default_rng(seed)
    U, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    V, _ = np.linalg.qr(rng.normal(size=(9, 9)))
    J = U @ np.diag(rng.uniform(0.05, 2.0, size=5)) @ V[:5]
    np.testing.assert_allclose(damped_inverse(J), np.linalg.pinv(J), atol=1e-10)


def test_without_damping_it_is_the_pseudo_inverse_at_any_rank():
    for seed in range(20):
        J = jacobian(seed)
        np.testing.assert_allclose(damped_inverse(J, UNDAMPED), np.linalg.pinv(J, 1e-9), atol=1e-8)


def test_near_a_singularity_the_inverse_is_bounded_and_only_that_direction_suffers():
    for s in (0.0, 1e-9, 1e-5, 1e-3, 0.01, 0.04):
        J = np.diag([1.0, 0.3, s])
        inverse = damped_inverse(J)
        assert np.abs(inverse).max() < 1 / 0.03
        np.testing.assert_allclose(np.diag(inverse)[:2], [1.0, 1 / 0.3], atol=1e-12)


def test_damping_in_closed_form():
    damping = Damping(threshold=0.2, most=0.04)
    assert damping.invert(np.array([0.1]))[0] == pytest.approx(0.1 / (0.1**2 + 0.03**2))


def test_damping_sets_in_smoothly():
    damping = Damping(threshold=0.1, most=0.05)
    s = np.linspace(0.05, 0.15, 2001)
    gain = damping.invert(s)
    slope = np.gradient(gain, s)
    assert np.abs(np.diff(slope)).max() < 0.02 * np.abs(slope).max()
    np.testing.assert_allclose(gain[s >= 0.1], 1 / s[s >= 0.1])
    assert damping.invert(np.array([0.0]))[0] == 0.0
