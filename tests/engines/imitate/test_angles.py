"""Rotations taken apart and put together."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.engines.imitate.angles import axis_rotation, composed, decomposed, joint_angles
from poise.engines.imitate.rigid import rigid_fit

SEQUENCES = ["".join(p) for p in permutations("xyz")]
angle = st.floats(-3.1, 3.1)
middle = st.floats(-1.5, 1.5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(angle, middle, angle), min_size=1, max_size=5))
def test_angles_become_rotations_and_the_same_angles_again(angles: list) -> None:
    wanted = np.array(angles)
    for sequence in SEQUENCES:
        R = composed(wanted, sequence)
        assert np.abs(decomposed(R, sequence) - wanted).max() < 1e-9, sequence


@settings(max_examples=60, deadline=None)
@given(st.tuples(angle, st.floats(-np.pi, np.pi), angle))
def test_rotations_become_angles_and_the_same_rotations_again(angles: tuple) -> None:
    for sequence in SEQUENCES:
        R = composed(np.array([angles]), sequence)
        assert np.abs(composed(decomposed(R, sequence), sequence) - R).max() < 1e-9, sequence


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("quarter", [-np.pi / 2, np.pi / 2])
def test_a_locked_rotation_is_still_made_of_its_angles(sequence: str, quarter: float) -> None:
    R = composed(np.array([[0.7, quarter, -0.4]]), sequence)
    assert np.abs(composed(decomposed(R, sequence), sequence) - R).max() < 1e-7


def test_flexion_brings_the_far_end_ahead() -> None:
    knee = axis_rotation("z", np.array([0.3]))[0] @ [0.0, -1.0, 0.0]
    assert knee[0] > 0.0
    found = joint_angles(axis_rotation("z", np.linspace(0.0, 0.6, 7)))
    assert found.flexion == pytest.approx(np.linspace(0.0, 0.6, 7))
    assert np.abs(found.rotation).max() < 1e-12


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 8), st.integers(0, 10_000))
def test_a_rigid_body_is_found_where_it_is(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.normal(size=(count, 3))
    R = composed(rng.uniform(-1.5, 1.5, (6, 3)))
    t = rng.normal(size=(6, 3))
    found_R, found_t = rigid_fit(shape, np.einsum("nij,fj->nfi", R, shape) + t[:, None])
    assert np.abs(found_R - R).max() < 1e-6
    assert np.abs(found_t - t).max() < 1e-6
    eye = found_R @ found_R.transpose(0, 2, 1)
    assert np.abs(eye - np.eye(3)).max() < 1e-9
    assert np.abs(np.linalg.det(found_R) - 1.0).max() < 1e-9


def test_points_in_a_plane_do_not_turn_into_their_mirror_image() -> None:
    shape = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    R = composed(np.array([[0.4, -0.2, 1.0]]))
    found, _ = rigid_fit(shape, np.einsum("nij,fj->nfi", R, shape))
    assert np.abs(found - R).max() < 1e-9
