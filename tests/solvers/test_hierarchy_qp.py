"""Strict priorities within limits: every level is optimal among what the higher ones allow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from poise.errors import Infeasible
from poise.solvers.damped import UNDAMPED, Damping
from poise.solvers.hierarchy import Level, solve_hierarchy
from poise.solvers.hierarchy_qp import Goal, HierarchyQP, solve_hierarchy_qp


def point(J, e):
    return Goal(J, e, e)


def random_goals(seed, n=12, ranges=False):
    rng = np.random.default_rng(seed)
    goals = []
    for m in rng.integers(1, 6, size=3):
        J, e = rng.normal(size=(m, n)), 2 * rng.normal(size=m)
        if rng.random() < 0.3 and goals:
            J[0] = goals[-1].A[0]  # in open conflict with the level above
        width = np.where(rng.random(m) < 0.5, 0.3, 0.0) if ranges else np.zeros(m)
        goals.append(Goal(J, e - width, e + width))
    return goals


def pull(goal, x):
    """Gradient of half the squared distance of a goal from its range."""
    reach = goal.A @ x
    return goal.A.T @ (reach - np.clip(reach, goal.lower, goal.upper))


def unopposed(gradient, x, fixed, sided):
    """What is left of a gradient after the best push of the constraints that hold at x."""
    pushes = [fixed.T, -fixed.T]
    for A, lower, upper in sided:
        reach = A @ x
        pushes += [A[reach > upper - 1e-7].T, -A[reach < lower + 1e-7].T]
    columns = np.hstack(pushes)
    return nnls(columns, -gradient)[1] if columns.shape[1] else np.linalg.norm(gradient)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.2, 0.5, 1.0]), st.booleans())
def test_every_level_is_optimal_among_what_limits_and_higher_levels_allow(seed, limit, ranges):
    goals = random_goals(seed, ranges=ranges)
    n = goals[0].A.shape[1]
    bound = limit * np.ones(n)
    answer = solve_hierarchy_qp(goals, (), -bound, bound, UNDAMPED)
    x = answer.x
    assert np.abs(x).max() <= limit + 1e-6
    fixed, sided = np.zeros((0, n)), [(np.eye(n), -bound, bound)]
    for goal in goals:
        assert unopposed(pull(goal, x), x, fixed, sided) < 1e-5
        exact = goal.lower == goal.upper
        fixed = np.vstack([fixed, goal.A[exact]])
        reach = goal.A[~exact] @ x
        lower = np.minimum(goal.lower[~exact], reach)
        upper = np.maximum(goal.upper[~exact], reach)
        sided.append((goal.A[~exact], lower, upper))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_where_no_limit_is_touched_it_is_the_plain_hierarchy(seed):
    rng = np.random.default_rng(seed)
    levels = [Level(rng.normal(size=(m, 20)), rng.normal(size=m)) for m in (6, 3, 6, 14)]
    plain = solve_hierarchy(levels)
    wide = 1.01 * np.abs(plain.x).max() * np.ones(20) + 10
    answer = solve_hierarchy_qp([point(*level) for level in levels], (), -wide, wide)
    np.testing.assert_allclose(answer.x, plain.x, atol=1e-12)
    assert not any(answer.constrained)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1e-9, 1e-4, 0.01, 1.0]))
def test_the_quadratic_program_agrees_with_the_recursion_when_its_limits_are_idle(seed, apart):
    """A limit on another variable forces the slow way, which must find the same answer."""
    rng = np.random.default_rng(seed)
    levels = [Level(rng.normal(size=(m, 20)), rng.normal(size=m)) for m in (5, 3, 4)]
    levels[1].J[0] = levels[0].J[1] + apart * levels[1].J[0]  # singular together, or nearly
    plain = solve_hierarchy(levels)
    padded = [point(np.hstack([J, np.zeros((len(e), 1))]), e) for J, e in levels]
    lower, upper = -100 * np.ones(21), 100 * np.ones(21)
    lower[20] = 3.0  # the plain answer, zero, is out of bounds
    answer = solve_hierarchy_qp(padded, (), lower, upper)
    assert answer.constrained[0]
    for (J, e), missed in zip(levels, answer.missed, strict=True):
        np.testing.assert_allclose(J @ answer.x[:20], J @ plain.x, atol=1e-9)
        np.testing.assert_allclose(missed, J @ plain.x - e, atol=1e-9)
    assert answer.x[20] == pytest.approx(3.0, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_whatever_a_lower_level_asks_the_higher_ones_do_not_notice(seed, ranges):
    goals = random_goals(seed, ranges=ranges)
    bound = 0.5 * np.ones(12)
    rng = np.random.default_rng(seed)
    base = solve_hierarchy_qp(goals, (), -bound, bound)
    for k in range(1, len(goals)):
        others = []
        for goal in goals[k:]:
            shift = 5 * rng.normal(size=len(goal.A))
            others.append(Goal(goal.A, goal.lower + shift, goal.upper + shift))
        disturbed = solve_hierarchy_qp(goals[:k] + others, (), -bound, bound)
        for before, after in zip(base.missed[:k], disturbed.missed[:k], strict=True):
            assert np.linalg.norm(after) <= np.linalg.norm(before) + 1e-8
        for goal in goals[:k]:
            exact = goal.lower == goal.upper
            higher = goal.A[exact]
            np.testing.assert_allclose(higher @ disturbed.x, higher @ base.x, atol=1e-9)


def test_the_order_decides_who_gets_the_last_bit_of_a_limited_joint():
    left, right = np.array([[1.0, 1.0]]), np.array([[1.0, -1.0]])
    goals = [point(left, np.array([2.0])), point(right, np.array([2.0]))]
    bound = np.ones(2)
    first = solve_hierarchy_qp(goals, (), -bound, bound)
    np.testing.assert_allclose(first.x, [1.0, 1.0], atol=1e-8)
    second = solve_hierarchy_qp(goals[::-1], (), -bound, bound)
    np.testing.assert_allclose(second.x, [1.0, -1.0], atol=1e-8)
    np.testing.assert_allclose(second.missed[1], [-2.0], atol=1e-8)


def test_a_range_leaves_its_inside_to_lower_levels():
    corridor = Goal(np.eye(2)[:1], np.array([-1.0]), np.array([1.0]))
    for wish, expected in ((0.5, 0.5), (3.0, 1.0), (-3.0, -1.0)):
        answer = solve_hierarchy_qp([corridor, point(np.eye(2), np.array([wish, 7.0]))])
        np.testing.assert_allclose(answer.x, [expected, 7.0], atol=1e-8)


def test_a_range_out_of_reach_does_not_stand_in_the_way_of_other_motions():
    far = Goal(np.eye(2)[:1], np.array([2.0]), np.array([3.0]))
    other = point(np.eye(2)[1:], np.array([0.5]))
    answer = solve_hierarchy_qp([far, other], (), -np.ones(2), np.ones(2))
    np.testing.assert_allclose(answer.x, [1.0, 0.5], atol=1e-8)
    assert answer.constrained == (True, False)


def test_limits_given_as_rows_hold():
    limit = Goal(np.array([[1.0, 1.0]]), np.array([-np.inf]), np.array([1.0]), "hands together")
    answer = solve_hierarchy_qp([point(np.eye(2), np.array([2.0, 0.0]))], (limit,))
    np.testing.assert_allclose(answer.x, [1.5, -0.5], atol=1e-8)


def test_a_damped_direction_gives_way_to_a_limit_at_its_damped_price():
    """Cost (x - 1)^2 + (s^2 + d^2) (y - y_damped)^2, with x + y = 0.5 in closed form."""
    damping = Damping(threshold=0.5, most=0.4)
    s, d = 0.1, 0.4 * (1 - 0.2**2)
    price, wish = s**2 + d**2, s * 2.0 / (s**2 + d**2)
    limit = Goal(np.ones((1, 2)), np.array([-np.inf]), np.array([0.5]))
    goal = point(np.diag([1.0, s]), np.array([1.0, 2.0]))
    answer = solve_hierarchy_qp([goal], (limit,), damping=damping)
    push = (1.0 + wish - 0.5) / (1.0 + 1.0 / price)
    np.testing.assert_allclose(answer.x, [1.0 - push, wish - push / price], atol=1e-7)


def test_limits_in_conflict_are_named():
    limit = Goal(np.array([[1.0, 1.0]]), np.array([5.0]), np.array([np.inf]), "hands together")
    goal = point(np.eye(2), np.zeros(2))
    with pytest.raises(Infeasible, match="hands together"):
        solve_hierarchy_qp([goal], (limit,), -np.ones(2), np.ones(2))


def test_a_loop_that_remembers_gives_the_same_as_one_that_forgets():
    rng = np.random.default_rng(8)
    loop, J = HierarchyQP(), [rng.normal(size=(m, 34)) for m in (6, 3, 6)]
    J.append(np.eye(34)[6:])
    bound = 0.4 * np.ones(34)
    for _ in range(30):
        J = [Jk + 0.02 * rng.normal(size=Jk.shape) for Jk in J]
        goals = [point(Jk, rng.normal(size=len(Jk))) for Jk in J]
        warm = loop.solve(goals, (), -bound, bound)
        cold = solve_hierarchy_qp(goals, (), -bound, bound)
        np.testing.assert_allclose(warm.x, cold.x, atol=1e-6)
