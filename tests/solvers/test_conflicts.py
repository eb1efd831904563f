"""A conflict is a list from which nothing can be left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from poise.solvers.qp import QuadraticProgram, Rows, conflict


def can_hold(A, lower, upper):
    A = np.vstack([A[np.isfinite(upper)], -A[np.isfinite(lower)]])
    b = np.r_[upper[np.isfinite(upper)], -lower[np.isfinite(lower)]]
    return linprog(np.zeros(A.shape[1]), A, b, bounds=(None, None)).status == 0


def random_program(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 15)), int(rng.integers(1, 20))
    A, centre = rng.normal(size=(m, n)), 2 * rng.normal(size=m)
    half = rng.random(m) * (rng.random(m) < 0.7)
    rows = Rows("rows", A, centre - half, centre + half)
    limits = -2 * rng.random(n), 2 * rng.random(n)
    return QuadraticProgram(np.eye(n), np.zeros(n), (rows,), *limits)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_conflict_cannot_hold_and_every_part_of_it_can(seed):
    problem = random_program(seed)
    rows = problem.stacked
    names = conflict(problem)
    if can_hold(rows.A, rows.lower, rows.upper):
        assert names == ()
        return
    place = [rows.labels.index(name) for name in names]
    assert not can_hold(rows.A[place], rows.lower[place], rows.upper[place])
    for left_out in place:
        rest = [i for i in place if i != left_out]
        assert not rest or can_hold(rows.A[rest], rows.lower[rest], rows.upper[rest])


def reach(upper=1.0):
    """Three joints of at most `upper` each that must sum to five, and an idle row."""
    total = Rows("reach", np.ones((1, 3)), np.array([5.0]), np.array([5.0]))
    idle = Rows("idle", np.eye(3)[:1], np.array([-9.0]), np.array([9.0]))
    limits = -np.ones(3), upper * np.ones(3)
    return QuadraticProgram(
        np.eye(3), np.zeros(3), (idle, total), *limits, variables=("hip", "knee", "ankle")
    )


def test_names_are_those_a_person_gave():
    assert conflict(reach()) == ("bounds[hip]", "bounds[knee]", "bounds[ankle]", "reach")
    assert conflict(reach(), by_block=True) == ("bounds", "reach")
    assert conflict(reach(upper=2.0)) == ()


def test_a_row_that_contradicts_itself_stands_alone():
    crossed = Rows("crossed", np.ones((1, 3)), np.array([2.0]), np.array([1.0]))
    empty = Rows("empty", np.zeros((1, 3)), np.array([2.0]), np.array([3.0]))
    for block in (crossed, empty):
        problem = QuadraticProgram(np.eye(3), np.zeros(3), (*reach().blocks, block))
        assert conflict(problem) == (block.name,)


def test_equalities_that_disagree_are_found_among_those_that_agree():
    A = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    b = np.array([1.0, 2.0, 5.0, -1.5])
    problem = QuadraticProgram(np.eye(3), np.zeros(3), (Rows("e", A, b, b),))
    names = conflict(problem)
    assert len(names) == 2 and "e[3]" in names and "e[2]" not in names


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_the_unit_of_a_row_does_not_change_the_verdict(unit):
    rows = Rows("far", unit * np.eye(2), unit * np.array([2.0, -1.0]), unit * np.array([3.0, 1.0]))
    problem = QuadraticProgram(np.eye(2), np.zeros(2), (rows,), -np.ones(2), np.ones(2))
    assert conflict(problem) == ("bounds[0]", "far[0]")
    near = Rows("near", rows.A, unit * np.array([0.9, -1.0]), rows.upper)
    within = QuadraticProgram(np.eye(2), np.zeros(2), (near,), -np.ones(2), np.ones(2))
    assert conflict(within) == ()
