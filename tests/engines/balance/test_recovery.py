"""Recovery steps: taken when nothing else helps, and only then."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from poise.balancing import Balanced, balance_trial
from poise.engines.balance import Shove
from poise.engines.balance.scenario import Scenario
from poise.engines.balance.stride import CLEARANCE, PRESS, Stride

HEIGHT, OMEGA = 0.8, 3.5


def hit(robot: str, impulse: float, direction: float, **knobs: float) -> Balanced:
    """A push of half a sine in 0.5 s [N s], [deg], and what follows."""
    push = Shove(np.pi * impulse, direction=direction, start=0.3, duration=0.5, shape="sine")
    return balance_trial(robot, Scenario("hit", duration=2.5), knobs, (push,))


@pytest.mark.parametrize(
    ("robot", "impulse", "direction"), [("hoap3", 8.6, 0.0), ("hrp2", 56.0, 180.0)]
)
def test_a_step_saves_a_robot_that_falls_without(
    robot: str, impulse: float, direction: float
) -> None:
    done = hit(robot, impulse, direction)
    assert done.upright and done.figures["recovery_steps"] == 1
    assert not hit(robot, impulse, direction, step=0.0).upright
    ahead = 1.0 if direction == 0.0 else -1.0
    left, right = (done.robot.at(done.motion.q[-1]).pose(part) for part in done.robot.feet)
    height = float(done.robot.at(done.motion.q[0]).com[2])
    assert ahead * (right.translation[0] - left.translation[0]) > 0.25 * height
    # it stands: both feet flat and loaded, the centre of mass hardly moves
    for T in (left, right):
        assert T.rotation[2, 2] > 0.995
    assert (done.motion.signals["loads"][-200:].mean(axis=0) > 0.1 * done.robot.weight).all()
    com = [done.robot.at(q).com for q in done.motion.q[-100::33]]
    assert np.ptp(com, axis=0).max() < 0.03 * height


@pytest.mark.parametrize("robot", ["talos", "hrp2"])
def test_who_falls_slowly_steps_in_time(robot: str) -> None:
    """A little more than ankles can bear: the fall is slow, and a late step is lost."""
    unregulated = {"talos": 47.3, "hrp2": 39.1}[robot]  # [N s]
    for share in (1.0, 1.25, 1.35):
        done = hit(robot, share * unregulated, 180.0)
        assert done.upright, share
        assert (done.figures["recovery_steps"] > 0) == (share > 1.0)


def test_the_lighter_foot_steps() -> None:
    done = hit("hoap3", 10.5, 315.0)  # forward and to its right: the left foot is free
    assert done.upright and done.figures["recovery_steps"] >= 1
    start, end = (done.robot.at(done.motion.q[k]).pose("left_foot") for k in (0, -1))
    assert end.translation[0] - start.translation[0] > 0.05


@pytest.mark.parametrize("direction", [0.0, 135.0])
def test_no_step_where_none_is_needed(direction: float) -> None:
    push = Shove(8.0, direction=direction, start=0.4, duration=0.5)
    done, without = (
        balance_trial("hoap3", "stand", {"duration": 1.6, "step": step}, (push,))
        for step in (1.0, 0.0)
    )
    assert done.upright and done.figures["recovery_steps"] == 0
    np.testing.assert_array_equal(done.motion.q, without.motion.q)


def test_a_robot_that_lifts_its_feet_anyway_takes_no_recovery_steps() -> None:
    from poise.engines.balance import prepare

    robot = balance_trial("hoap3", "stand", {"duration": 1.0}).robot
    assert prepare(robot, "steps", {"feedback": "capture"}).controller.recovery is None
    assert prepare(robot, "stand").controller.recovery is not None
    assert prepare(robot, "stand", {"step": 0.0}).controller.recovery is None
    assert prepare(robot, "stand", {"feedback": "stiff"}).controller.recovery is None


def stride(foot: int = 1, ahead: float = 1.0) -> Stride:
    tilted = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.1, 0.0), np.array([0.0, -0.1, 0.01]))
    pivot = np.array([0.1 * ahead, -0.03])
    return Stride(foot, 1.0, 0.4, tilted, np.eye(3), np.zeros(3), pivot, ahead, HEIGHT, 0.4, OMEGA)


def test_a_foot_leaves_as_it_is_and_lands_level() -> None:
    way = stride()
    way.choose(0.0, np.array([0.12, 0.0]))
    first, middle, last = (way.pose(s) for s in (0.0, 0.5, 1.0))
    np.testing.assert_allclose(first.homogeneous, way.T_floor_start.homogeneous, atol=1e-12)
    np.testing.assert_allclose(last.rotation, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(last.translation[:2], way.target)
    assert middle.translation[2] == pytest.approx(
        0.005 + (CLEARANCE - 0.5 * PRESS) * HEIGHT, abs=1e-9
    )
    assert way.pose(1.3).translation[2] < last.translation[2]  # a late foot goes on down


@pytest.mark.parametrize("ahead", [1.0, -1.0])
def test_a_foot_goes_to_the_capture_point_within_reach_and_never_crosses(ahead: float) -> None:
    way = stride(ahead=ahead)
    way.choose(0.0, np.array([0.14 * ahead, -0.1]))
    grown = np.exp(OMEGA * 0.44)
    assert way.target[1] == pytest.approx(max(-0.03 - 0.07 * grown, -0.1 - 0.2))
    far = [np.array([x * ahead, 0.2]) for x in (0.0, 1.0)]
    for capture, length in zip(far, (0.28, 0.4), strict=True):
        way.choose(0.0, capture)
        np.testing.assert_allclose(way.target, [length * ahead, -0.1])
    before = way.target.copy()
    way.choose(0.9, np.array([0.0, 0.0]))  # too late to think again
    np.testing.assert_array_equal(way.target, before)


def test_a_base_that_gives_way_is_made_up_for() -> None:
    way = stride()
    told = pin.SE3(np.eye(3), np.array([0.0, -0.05, 0.6]))
    seen = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.2, 0.0), np.array([0.03, -0.05, 0.58]))
    foot = pin.SE3(np.eye(3), np.array([0.3, -0.1, 0.0]))
    command = way.making_up(told, seen, 0.001) * foot
    # the leg that takes the told base to the commanded foot takes the seen base to the foot
    np.testing.assert_allclose(
        (seen * told.actInv(command)).homogeneous, foot.homogeneous, atol=1e-3
    )
    assert pin.log6(way.making_up(told, told, 0.001)).vector == pytest.approx(0.0, abs=2e-2)
