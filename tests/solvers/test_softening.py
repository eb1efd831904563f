"""The softest constraint gives way, the others do not notice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.errors import BadInput, Infeasible, NotFound
from poise.solvers.qp import QuadraticProgram, Rows, soften, solve_qp


def one(value):
    return np.array([float(value)])


def demands(*levels):
    """One variable that several blocks want at different values."""
    blocks = tuple(Rows(name, np.ones((1, 1)), one(v), one(v)) for name, v in levels)
    return QuadraticProgram(np.eye(1), np.zeros(1), blocks)


def test_the_least_weight_gives_way_whatever_the_order_of_the_blocks():
    problem = demands(("surface", 0.0), ("torque", 1.0))
    softened = soften(problem, {"surface": 1.0, "torque": 10.0})
    assert softened.gave_way == {"surface": pytest.approx(1.0, abs=1e-6)}
    assert softened.x == pytest.approx([1.0], abs=1e-6)
    softened = soften(problem, {"surface": 10.0, "torque": 1.0})
    assert softened.gave_way == {"torque": pytest.approx(1.0, abs=1e-6)}


def test_the_next_gives_way_only_when_the_softest_is_not_enough():
    problem = demands(("a", 0.0), ("b", 1.0), ("c", 3.0))
    softened = soften(problem, {"a": 1.0, "b": 10.0})
    assert set(softened.gave_way) == {"a", "b"}
    assert softened.x == pytest.approx([3.0], abs=1e-9)


def test_nothing_gives_way_when_nothing_must():
    problem = demands(("a", 1.0), ("b", 1.0))
    softened = soften(problem, {"a": 1.0})
    assert softened.gave_way == {} and softened.x == pytest.approx([1.0])


def test_bounds_of_variables_can_be_soft_too():
    reach = Rows("reach", np.ones((1, 2)), one(4), one(4))
    problem = QuadraticProgram(np.eye(2), np.zeros(2), (reach,), -np.ones(2), np.ones(2))
    softened = soften(problem, {"bounds": 1.0})
    assert softened.gave_way == {"bounds": pytest.approx(1.0, abs=1e-6)}
    np.testing.assert_allclose(softened.x, [2.0, 2.0], atol=1e-6)


def test_hard_blocks_in_conflict_are_named():
    with pytest.raises(Infeasible, match="in conflict: b, c"):
        soften(demands(("a", 0.0), ("b", 1.0), ("c", 3.0)), {"a": 1.0})


def test_weights_must_be_positive_and_name_a_block():
    with pytest.raises(BadInput, match="positive number"):
        soften(demands(("a", 0.0)), {"a": 0.0})
    with pytest.raises(NotFound, match="block"):
        soften(demands(("a", 0.0)), {"torque": 1.0})


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_the_hard_block_holds_and_no_less_violation_is_possible(seed):
    rng = np.random.default_rng(seed)
    n = 6
    W, A, H = rng.normal(size=(n, n)), rng.normal(size=(4, n)), rng.normal(size=(3, n))
    hard = Rows("hard", H, -0.2 * np.ones(3), 0.2 * np.ones(3))
    centre = 5 * rng.normal(size=4)
    wish = Rows("wish", A, centre - 0.1, centre + 0.1)
    P = W.T @ W + 0.1 * np.eye(n)
    problem = QuadraticProgram(P, rng.normal(size=n), (hard, wish), -np.ones(n), np.ones(n))
    softened = soften(problem, {"wish": 1.0})
    assert np.abs(H @ softened.x).max() < 0.2 + 1e-6
    assert np.abs(softened.x).max() < 1 + 1e-6
    # The least sum of violations and half squares, without any other cost.
    least = solve_qp(
        QuadraticProgram(
            np.diag(np.r_[1e-8 * np.ones(n), np.ones(8)]),
            np.r_[np.zeros(n), np.ones(8)],
            (
                Rows("hard", np.hstack([H, np.zeros((3, 8))]), hard.lower, hard.upper),
                Rows("wish", np.hstack([A, np.eye(4), -np.eye(4)]), wish.lower, wish.upper),
            ),
            np.r_[-np.ones(n), np.zeros(8)],
            np.r_[np.ones(n), np.full(8, np.inf)],
        )
    ).x

    def violation(x):
        over = A @ x - np.clip(A @ x, wish.lower, wish.upper)
        return np.abs(over).sum() + 0.5 * over @ over

    assert violation(softened.x) <= violation(least[:n]) * (1 + 1e-2) + 1e-6
