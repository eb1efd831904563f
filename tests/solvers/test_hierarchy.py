"""A lower level never disturbs a higher one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.errors import BadInput
from poise.solvers.damped import UNDAMPED, null_projector
from poise.solvers.hierarchy import Level, solve_hierarchy, solve_regular


def random_levels(seed, n=20, singular=False):
    rng = np.random.default_rng(seed)
    levels = []
    for m in rng.integers(1, 9, size=4):
        J = rng.normal(size=(m, n))
        if singular and rng.random() < 0.7:
            above = np.vstack([np.zeros((1, n)), *(level.J for level in levels), J])
            pick = rng.integers(0, m)
            J[pick] = rng.normal(size=len(above)) @ above  # depends on itself or on higher levels
            if m > 1:
                J[(pick + 1) % m] = J[pick] + 10.0 ** rng.uniform(-12, -1) * rng.normal(size=n)
        levels.append(Level(J, rng.normal(size=m)))
    return levels


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_whatever_a_lower_level_asks_the_higher_ones_do_not_notice(seed, singular):
    levels = random_levels(seed, singular=singular)
    rng = np.random.default_rng(seed)
    base = solve_hierarchy(levels)
    for k in range(1, len(levels)):
        others = [Level(level.J, 10 * rng.normal(size=len(level.e))) for level in levels[k:]]
        disturbed = solve_hierarchy(levels[:k] + others)
        for J, _ in levels[:k]:
            np.testing.assert_allclose(J @ disturbed.x, J @ base.x, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_the_first_level_is_served_as_well_as_possible_and_the_next_as_well_as_it_allows(seed):
    levels = random_levels(seed, n=12, singular=False)
    x = solve_hierarchy(levels, UNDAMPED).x
    above = np.zeros((0, 12))
    for J, e in levels:
        N = null_projector(np.vstack([above, np.zeros((1, 12))]))
        gradient = N @ J.T @ (J @ x - e)  # no motion the higher levels allow helps this one
        np.testing.assert_allclose(gradient, 0.0, atol=1e-8)
        above = np.vstack([above, J])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_what_is_left_free_is_the_null_space_of_all_levels_together(seed, singular):
    levels = random_levels(seed, singular=singular)[:3]
    ranked = solve_hierarchy(levels)
    P = ranked.projector
    np.testing.assert_allclose(P @ P, P, atol=1e-10)
    np.testing.assert_allclose(P, P.T, atol=1e-14)
    for J, _ in levels:
        np.testing.assert_allclose(J @ P, 0.0, atol=1e-8)
    if not any(ranked.damped):
        stacked = null_projector(np.vstack([J for J, _ in levels]))
        np.testing.assert_allclose(P, stacked, atol=1e-10)


def test_the_recursion_of_siciliano_and_slotine_gives_the_same():
    rng = np.random.default_rng(2)
    levels = [Level(rng.normal(size=(m, 34)), rng.normal(size=m)) for m in (6, 3, 6, 28)]
    x, P = np.zeros(34), np.eye(34)
    for J, e in levels:
        inverse = np.linalg.pinv(J @ P, 1e-9)
        x = x + inverse @ (e - J @ x)
        P = P - inverse @ (J @ P)
    np.testing.assert_allclose(solve_hierarchy(levels).x, x, atol=1e-11)


def test_the_order_decides_who_gets_a_contested_direction():
    up, down = Level(np.eye(3)[:1], np.array([1.0])), Level(np.eye(3)[:1], np.array([-1.0]))
    assert solve_hierarchy([up, down]).x[0] == pytest.approx(1.0)
    assert solve_hierarchy([down, up]).x[0] == pytest.approx(-1.0)


def test_a_task_that_nearly_depends_on_a_higher_one_moves_little_and_leaves_it_alone():
    """The figures of the balance brief: undamped 1e5, damped below 20, leak below 1e-9."""
    rng = np.random.default_rng(0)
    feet = Level(rng.normal(size=(6, 28)), 0.01 * rng.normal(size=6))
    J = feet.J[:3] + 1e-5 * rng.normal(size=(3, 28))
    com = Level(J, rng.normal(size=3))
    wild = solve_hierarchy([feet, com], UNDAMPED)
    tame = solve_hierarchy([feet, com])
    assert np.linalg.norm(wild.x) > 1e4
    assert np.linalg.norm(tame.x) < 20.0
    assert tame.damped == (False, True)
    np.testing.assert_allclose(feet.J @ tame.x, feet.e, atol=1e-9)


def test_a_wished_posture_is_reached_as_far_as_the_levels_allow():
    rng = np.random.default_rng(3)
    levels = [Level(rng.normal(size=(m, 34)), rng.normal(size=m)) for m in (6, 3)]
    wish = rng.normal(size=34)
    ranked = solve_hierarchy(levels)
    posture = Level(np.eye(34), wish)
    np.testing.assert_allclose(
        ranked.towards(wish), solve_hierarchy([*levels, posture]).x, atol=1e-12
    )


def test_levels_beyond_the_last_free_motion_change_nothing():
    rng = np.random.default_rng(4)
    full = Level(rng.normal(size=(5, 5)), rng.normal(size=5))
    more = Level(rng.normal(size=(7, 5)), rng.normal(size=7))
    ranked = solve_hierarchy([full, more])
    np.testing.assert_allclose(ranked.x, solve_hierarchy([full]).x)
    assert ranked.free.shape == (5, 0)
    assert solve_hierarchy([Level(np.zeros((0, 5)), np.zeros(0)), full]).x == pytest.approx(
        ranked.x
    )


def test_a_level_that_sees_nothing_does_nothing():
    nothing, something = Level(np.zeros((2, 3)), np.ones(2)), Level(np.eye(3), np.ones(3))
    ranked = solve_hierarchy([nothing, something])
    np.testing.assert_allclose(ranked.x, np.ones(3))


def test_bad_levels_are_refused():
    with pytest.raises(BadInput, match="at least one level"):
        solve_hierarchy([])
    with pytest.raises(BadInput, match="level 1"):
        solve_hierarchy([Level(np.eye(3), np.ones(3)), Level(np.eye(2), np.ones(2))])
    with pytest.raises(BadInput, match="level 0 is not finite"):
        solve_hierarchy([Level(np.full((1, 3), np.nan), np.ones(1))])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_levels_that_can_all_be_served_are_served_at_once_alike(seed, singular):
    levels = random_levels(seed, n=60, singular=singular)
    J, e = np.vstack([level.J for level in levels]), np.concatenate([w.e for w in levels])
    wish = np.random.default_rng(seed).normal(size=60)
    at_once = solve_regular(J, e, wish)
    if at_once is not None:
        np.testing.assert_allclose(at_once, solve_hierarchy(levels).towards(wish), atol=1e-9)
    assert singular or at_once is not None
