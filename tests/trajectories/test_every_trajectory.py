"""What every trajectory promises, asked of all of them. A new kind is one more line in the list."""

import numpy as np
import pinocchio as pin
import pytest

from poise.trajectories import (
    Along,
    BSpline,
    Delayed,
    Piecewise,
    RotationPath,
    Stacked,
    Trajectory,
    hold,
    lift,
    minimum_jerk,
    move,
    move_through,
    quintic,
    spline_through,
    still,
    through_waypoints,
    turn,
    turn_through,
)

rng = np.random.default_rng(11)
STEP = np.cbrt(np.finfo(float).eps)
WAYS = np.sort(rng.uniform(1.2, 2.8, size=5)), rng.normal(size=(5, 3))


def pose(seed):
    r = np.random.default_rng(seed)
    return pin.SE3(pin.exp3(r.normal(size=3)), r.normal(size=3))


reach = quintic(1.0, 3.0, np.zeros(3), np.ones(3), (np.ones(3), -np.ones(3)), (0.5, 2.0))
VECTORS = {
    "hold": hold(1.0, 3.0, [1.0, 2.0]),
    "scalar quintic": quintic(1.0, 3.0, 0.3, -2.0, (1.0, 2.0), (3.0, -1.0)),
    "vector quintic": reach,
    "lift": lift(1.0, 3.0, 0.07, (0.0, 0.0, 1.0)),
    "sum": reach + lift(1.0, 3.0, 0.07, (0.0, 0.0, 1.0)),
    "way-points": through_waypoints(*WAYS, rates={0: 0.0, -1: 0.0}, accelerations={2: 1.0}),
    "matrix": minimum_jerk(1.0, 3.0, np.zeros((2, 2)), np.ones((2, 2))),
    "cubic B-spline": BSpline.uniform(1.0, 3.0, rng.normal(size=(9, 3))),
    "quintic B-spline": BSpline.uniform(1.0, 3.0, rng.normal(size=(9, 3)), degree=5),
    "scalar B-spline": BSpline.uniform(1.0, 3.0, rng.normal(size=7)),
    "cubic through": spline_through(*WAYS),
    "quintic through": spline_through(*WAYS, degree=5),
    "piecewise": Piecewise([quintic(0, 1, [0.0], [1.0]), quintic(1, 3, [1.0], [0.0])]),
    "stacked": Stacked([lift(0.0, 2.0, 1.0), reach]),
    "along": Along(np.array([1.0, 2.0, 3.0]), lift(0.0, 2.0, 1.0)),
    "delayed": Delayed(reach, 0.7),
    "swept angle": RotationPath(np.eye(3), reach).rate,
    "twist": move(0.5, 2.0, pose(1), pose(2)).rate,
}
EVERY = VECTORS | {
    "turn": turn(1.0, 2.5, pose(1).rotation, pose(2).rotation),
    "turn through": turn_through([0.0, 1.0, 2.0], [pose(k).rotation for k in (1, 2, 4)]),
    "rotation path": RotationPath(pose(3).rotation, reach),
    "still": still(0.0, 1.0, pose(1)),
    "move": move(0.5, 2.0, pose(1), pose(2)),
    "moves": move_through([0.0, 1.0, 2.5], [pose(1), pose(2), pose(3)]),
}
RATES = ("swept angle", "twist")  # rates are zero outside, where what they are the rate of rests
HELD = [trajectory for name, trajectory in EVERY.items() if name not in RATES]
any_trajectory = pytest.mark.parametrize("trajectory", EVERY.values(), ids=EVERY.keys())
any_vector = pytest.mark.parametrize("trajectory", VECTORS.values(), ids=VECTORS.keys())


def numbers(value):
    """Any value as an array."""
    if isinstance(value, list):
        return np.array([numbers(each) for each in value])
    return value.homogeneous if isinstance(value, pin.SE3) else np.asarray(value)


def inner_times(trajectory, count=23):
    """Times away from where pieces meet, as far as those are known."""
    times = np.linspace(trajectory.start, trajectory.end, count)[1:-1] + 1.234e-3
    pieces = getattr(trajectory, "pieces", [])
    return np.array([t for t in times if all(abs(t - piece.end) > 1e-3 for piece in pieces)])


@any_trajectory
def test_it_signs_the_contract(trajectory):
    assert isinstance(trajectory, Trajectory)
    assert trajectory.start < trajectory.end
    assert trajectory.rate.start == trajectory.start and trajectory.rate.end == trajectory.end


@any_vector
def test_the_rate_is_the_derivative(trajectory):
    rate = trajectory.rate
    for t in inner_times(trajectory):
        slope = (trajectory(t + STEP) - trajectory(t - STEP)) / (2 * STEP)
        np.testing.assert_allclose(rate(t), slope, atol=1e-7, rtol=1e-7)


@any_trajectory
def test_many_times_at_once_give_the_same_as_one_by_one(trajectory):
    times = np.linspace(trajectory.start - 0.3, trajectory.end + 0.3, 17)
    for each in (trajectory, trajectory.rate):
        together = numbers(each(times))
        alone = np.array([numbers(each(t)) for t in times])
        np.testing.assert_allclose(together, alone, atol=1e-14)


@any_trajectory
def test_outside_it_holds_its_ends_and_does_not_move(trajectory):
    for t, end in ((-1.0, trajectory.start), (100.0, trajectory.end)):
        if trajectory in HELD:
            np.testing.assert_allclose(numbers(trajectory(t)), numbers(trajectory(end)), atol=1e-14)
        np.testing.assert_array_equal(trajectory.rate(t), 0.0)


@any_trajectory
def test_a_time_just_outside_is_no_surprise(trajectory):
    if trajectory not in HELD:
        return
    just = numbers(trajectory(trajectory.end + 1e-12))
    np.testing.assert_allclose(just, numbers(trajectory(trajectory.end)), atol=1e-9)
