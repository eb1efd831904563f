"""Angular velocity and acceleration are those of the orientation itself."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.errors import BadInput
from poise.trajectories import (
    Piecewise,
    PoseTrajectory,
    RotationPath,
    lift,
    minimum_jerk,
    move,
    move_through,
    quintic,
    still,
    turn,
    turn_through,
)
from poise.trajectories.turning import rotations

seeds = st.integers(0, 10**6)
STEP = 1e-5


def rotation(rng, angle=None):
    vector = rng.normal(size=3)
    vector *= (rng.uniform(0, np.pi - 0.01) if angle is None else angle) / np.linalg.norm(vector)
    return pin.exp3(vector)


def pose(rng):
    return pin.SE3(rotation(rng), rng.normal(size=3))


def spin(orientation, t):
    """Angular velocity in world axes by central differences."""
    return pin.log3(orientation(t + STEP) @ orientation(t - STEP).T) / (2 * STEP)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_a_turn_takes_the_shortest_way_with_the_right_velocity(seed):
    rng = np.random.default_rng(seed)
    R_from, R_to = rotation(rng), rotation(rng)
    orientation = turn(0.0, 1.3, R_from, R_to)
    np.testing.assert_allclose(orientation(0.0), R_from, atol=1e-12)
    np.testing.assert_allclose(orientation(1.3), R_to, atol=1e-9)
    whole = np.linalg.norm(pin.log3(R_from.T @ R_to))
    half = np.linalg.norm(pin.log3(R_from.T @ orientation(0.65)))
    assert half == pytest.approx(whole / 2, abs=1e-7)
    for t in (0.2, 0.65, 1.1):
        np.testing.assert_allclose(orientation.rate(t), spin(orientation, t), atol=1e-6)
        slope = (orientation.rate(t + STEP) - orientation.rate(t - STEP)) / (2 * STEP)
        np.testing.assert_allclose(orientation.rate.rate(t), slope, atol=1e-6)
    np.testing.assert_allclose(orientation.rate([0.0, 1.3]), 0.0, atol=1e-12)
    np.testing.assert_allclose(orientation.rate.rate([0.0, 1.3]), 0.0, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([1e-6, 1e-2, 0.4, 0.6, 2.0, 3.5]))
def test_a_rotation_path_has_the_right_velocity_and_acceleration(seed, size):
    rng = np.random.default_rng(seed)
    curve = quintic(0, 1, size * rng.normal(size=3), size * rng.normal(size=3), (size, -size))
    orientation = RotationPath(rotation(rng), curve)
    for t in (0.1, 0.5, 0.9):
        R = orientation(t)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-13)
        np.testing.assert_allclose(
            orientation.rate(t), spin(orientation, t), atol=1e-5 * (1 + size)
        )
        slope = (orientation.rate(t + STEP) - orientation.rate(t - STEP)) / (2 * STEP)
        found = orientation.rate.rate(t)
        np.testing.assert_allclose(found, slope, atol=1e-6 * (1 + np.abs(slope).max()))


def test_series_and_quotients_agree_where_they_meet():
    for angle in (0.4999999, 0.5000001):
        axis = np.array([0.6, 0.0, 0.8])
        curve = quintic(0, 1, 2 * angle * axis - [1, 0, 0], np.array([1.0, 0.0, 0.0]))
        orientation = RotationPath(np.eye(3), curve)
        value = np.r_[orientation.rate(0.5), orientation.rate.rate(0.5)]
        if angle < 0.5:
            below = value
    np.testing.assert_allclose(value, below, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_turning_through_orientations_meets_them_without_jumps(seed):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.3, 1.0, size=5))
    base = rotation(rng)
    R = np.array([base @ rotation(rng, angle=rng.uniform(0, 1.2)) for _ in times])
    orientation = turn_through(times, R)
    np.testing.assert_allclose(orientation(times), R, atol=1e-9)
    for each in (orientation.rate, orientation.rate.rate):
        before, after = each(times[1:-1] - 1e-9), each(times[1:-1] + 1e-9)
        np.testing.assert_allclose(before, after, atol=1e-5)
    np.testing.assert_allclose(orientation.rate(times[[0, -1]]), 0.0, atol=1e-9)


def test_orientations_too_far_apart_are_refused():
    R = [pin.exp3(np.array([0, 0, a])) for a in (3.0, -3.0, 0.0, 0.1)]
    with pytest.raises(BadInput, match="half a turn"):
        turn_through([0.0, 1.0, 2.0, 3.0], R)
    assert turn_through([0.0, 1.0, 2.0], R[1:])(1.0) == pytest.approx(np.eye(3), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_rotations_are_pinocchios(seed):
    vectors = np.random.default_rng(seed).normal(size=(4, 3)) * 10.0 ** np.arange(-9, 3, 3)[:, None]
    expected = [pin.exp3(vector) for vector in vectors]
    np.testing.assert_allclose(rotations(vectors), expected, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_the_twist_carries_every_point_of_the_body(seed):
    rng = np.random.default_rng(seed)
    T_from, T_to = pose(rng), pose(rng)
    swing = PoseTrajectory(
        minimum_jerk(0, 1, T_from.translation, T_to.translation) + lift(0, 1, 0.1, (0, 0, 1)),
        turn(0, 1, T_from.rotation, T_to.rotation),
    )
    assert np.allclose(swing(0.0).homogeneous, T_from.homogeneous)
    assert np.allclose(swing(1.0).homogeneous, T_to.homogeneous)
    p_body = rng.normal(size=3)
    for t in (0.2, 0.7):
        v, w = np.split(swing.twist(t), 2)
        arm = swing(t).rotation @ p_body
        velocity = (swing(t + STEP).act(p_body) - swing(t - STEP).act(p_body)) / (2 * STEP)
        np.testing.assert_allclose(v + np.cross(w, arm), velocity, atol=1e-6)
        a, b = np.split(swing.acceleration(t), 2)
        second = swing(t + 1e-4).act(p_body) - 2 * swing(t).act(p_body)
        second = (second + swing(t - 1e-4).act(p_body)) / 1e-8
        carried = a + np.cross(b, arm) + np.cross(w, np.cross(w, arm))
        np.testing.assert_allclose(carried, second, atol=1e-4 * (1 + np.abs(second).max()))


def test_poses_one_after_the_other_rest_in_each():
    rng = np.random.default_rng(0)
    times, poses = [0.0, 1.0, 2.5, 3.0], [pose(rng) for _ in range(4)]
    path = move_through(times, poses)
    for t, T in zip(times, poses, strict=True):
        np.testing.assert_allclose(path(t).homogeneous, T.homogeneous, atol=1e-9)
        np.testing.assert_allclose(path.rate(t), 0.0, atol=1e-9)
    assert len(path([0.0, 1.7, 9.0])) == 3
    assert path.rate.jumps().max() < 1e-9 and path.rate.rate.jumps().max() < 1e-8


def test_standing_still_is_standing_still():
    T = pose(np.random.default_rng(1))
    path = Piecewise([still(0, 1, T), move(1, 2, T, pin.SE3.Identity())])
    np.testing.assert_allclose(path(0.4).homogeneous, T.homogeneous)
    np.testing.assert_array_equal(path.rate([0.2, 0.7]), 0.0)
    assert np.abs(path.rate(1.5)).max() > 0.1
