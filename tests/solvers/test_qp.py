"""A question as a value, an answer that proves itself."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.errors import BadInput, Infeasible, NotFound
from poise.solvers.qp import QuadraticProgram, Rows, conflict, solve_qp


def box(n, half=1.0):
    return -half * np.ones(n), half * np.ones(n)


def random_program(seed, n=8, equalities=2, inequalities=6):
    rng = np.random.default_rng(seed)
    W, inside = rng.normal(size=(n, n)), 0.5 * rng.normal(size=n)
    E, G = rng.normal(size=(equalities, n)), rng.normal(size=(inequalities, n))
    blocks = (
        Rows("motion", E, E @ inside, E @ inside),
        Rows("friction", G, G @ inside - 0.1, G @ inside + 0.3),
    )
    limits = inside - 0.4, inside + 0.4
    return QuadraticProgram(W.T @ W + 0.01 * np.eye(n), 5 * rng.normal(size=n), blocks, *limits)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_an_answer_proves_itself(seed):
    solution = solve_qp(random_program(seed))
    assert solution.primal_residual < 1e-9
    assert solution.dual_residual < 1e-8
    assert solution.duality_gap < 1e-8
    assert solution.is_optimal(1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_no_feasible_neighbour_is_cheaper(seed):
    problem = random_program(seed)
    solution = solve_qp(problem)
    rng = np.random.default_rng(seed)
    other = solve_qp(replace(problem, r=rng.normal(size=8))).x  # feasible, as the set is the same
    for share in (1e-3, 0.1, 1.0):
        there = solution.x + share * (other - solution.x)
        assert problem.cost(there) >= problem.cost(solution.x) - 1e-9


def test_the_projection_of_a_point_on_a_plane_is_the_closed_form():
    normal, point = np.array([1.0, 2.0, 2.0]), np.array([3.0, -1.0, 4.0])
    plane = Rows("plane", normal[None], np.array([1.0]), np.array([1.0]))
    x = solve_qp(QuadraticProgram(np.eye(3), -point, (plane,))).x
    np.testing.assert_allclose(x, point - (normal @ point - 1) / 9 * normal, atol=1e-12)


def test_the_force_of_a_constraint_is_the_price_of_moving_it():
    problem = random_program(4)
    base, step = solve_qp(problem), 1e-6
    motion = problem.blocks[0]
    for row, force in enumerate(base.force("motion")):
        moved = motion.upper + step * (np.arange(2) == row)
        shifted = replace(motion, lower=moved, upper=moved)
        blocks = (shifted, problem.blocks[1])
        cost = problem.cost(solve_qp(replace(problem, blocks=blocks)).x)
        assert (cost - problem.cost(base.x)) / step == pytest.approx(-force, rel=1e-3, abs=1e-4)


def test_the_active_set_says_which_side_pushes():
    lower, upper = np.array([-1.0, -1.0, -1.0]), np.array([1.0, 1.0, 1.0])
    solution = solve_qp(QuadraticProgram(np.eye(3), np.array([5.0, -5.0, 0.5]), (), lower, upper))
    np.testing.assert_array_equal(solution.active, [-1, 1, 0])
    np.testing.assert_allclose(solution.force("bounds"), [-4.0, 4.0, 0.0])


def test_a_start_from_the_answer_needs_one_pivot_and_gives_the_same():
    problem = random_program(9)
    cold = solve_qp(problem)
    warm = solve_qp(problem, start=cold)
    np.testing.assert_allclose(warm.x, cold.x, atol=1e-12)
    assert warm.iterations <= 2 < cold.iterations


def test_a_wrong_answer_does_not_prove_itself():
    solution = solve_qp(random_program(2))
    assert not replace(solution, x=solution.x + 1e-3).is_optimal(1e-5)
    assert not replace(solution, multipliers=1.01 * solution.multipliers).is_optimal(1e-5)


def test_each_residual_measures_its_own_fault():
    limits = -np.ones(2), np.ones(2)
    problem = QuadraticProgram(np.eye(2), np.array([3.0, 0.0]), (), *limits)
    right = solve_qp(problem)
    np.testing.assert_allclose(right.x, [-1.0, 0.0])
    assert replace(right, x=np.array([-1.5, 0.0])).primal_residual == pytest.approx(0.5)
    assert replace(right, x=np.array([-1.0, 0.7])).dual_residual == pytest.approx(0.7)
    pushed = replace(
        right,
        x=np.array([0.5, 0.0]),
        multipliers=np.array(
            [
                -3.5,
                0,
            ]
        ),
    )
    assert pushed.dual_residual == pytest.approx(0.0)
    assert pushed.duality_gap == pytest.approx(1.5 * 3.5)  # a bound pushes from afar


def test_a_contradiction_is_named():
    torque = Rows("torque", np.eye(3)[1:], *box(2), labels=("hip", "knee"))
    push = Rows("push", np.array([[0.0, 0.0, 1.0]]), np.array([2.0]), np.array([np.inf]))
    with pytest.raises(Infeasible, match=r"in conflict: torque\[knee\], push") as caught:
        solve_qp(QuadraticProgram(np.eye(3), np.zeros(3), (torque, push)))
    assert caught.value.conflict == ("torque[knee]", "push")


@pytest.mark.parametrize(
    "change, says",
    [
        (dict(P=np.eye(3)), "P is of shape"),
        (dict(P=np.array([[1.0, 0.0], [0.5, 1.0]])), "not symmetric"),
        (dict(r=np.array([1.0, np.nan])), "r is nan"),
        (dict(x_lower=np.array([0.0, np.inf])), "lower is inf"),
        (dict(x_lower=np.zeros(3)), "lower is of shape"),
        (dict(variables=("a",)), "labels is 1 names"),
    ],
)
def test_bad_questions_are_refused_in_one_sentence(change, says):
    good = dict(P=np.eye(2), r=np.zeros(2))
    with pytest.raises(BadInput, match=says):
        QuadraticProgram(**(good | change))


def test_a_bad_number_is_refused_with_the_name_of_its_block():
    with pytest.raises(BadInput, match=r"block 'friction': A is nan at \[1, 0\]"):
        Rows("friction", np.array([[1.0], [np.nan]]), *box(2))


def test_two_blocks_may_not_share_a_name():
    block = Rows("torque", np.eye(2), *box(2))
    with pytest.raises(BadInput, match="a name of its own"):
        QuadraticProgram(np.eye(2), np.zeros(2), (block, block))


def test_a_block_that_does_not_exist_is_answered_with_the_nearest_one():
    with pytest.raises(NotFound, match="Did you mean 'friction'"):
        random_program(0).place("frictoin")


def test_a_feasible_program_has_no_conflict():
    assert conflict(random_program(1)) == ()
