"""Torques that may change by a little only: the band, and what gives way where it is too tight."""

from __future__ import annotations

import numpy as np
import pytest

from poise.contacts import Touch
from poise.control import DynamicsOptions, Footing, InverseDynamics
from poise.control.torque_band import TorqueBand
from poise.robot import Robot, Snapshot, load_robot
from poise.tasks import CenterOfMass, FramePose, Posture, Task

STEP = 0.02


@pytest.fixture(scope="module")
def nao() -> Robot:
    return load_robot("nao")


def footings(robot: Robot, at: Snapshot, ceilings: tuple[float, float]) -> list[Footing]:
    return [
        Footing(Touch(part, 0.0, 1e9, at.pose(part), robot.soles[part].points), 0.6, ceiling)
        for part, ceiling in zip(robot.feet, ceilings, strict=True)
    ]


def tasks(robot: Robot, at: Snapshot, aside: float) -> list[Task]:
    feet = [Task(p, FramePose(p, at.pose(p)), weight=100.0, gain=1000.0) for p in robot.feet]
    com = CenterOfMass(at.com + np.array([0.0, aside, 0.0]), np.zeros(3), np.zeros(3))
    posture = Posture(robot.half_sitting[7:])
    return [*feet, Task("com", com, weight=10.0, gain=100.0), Task("rest", posture, 0.01, 25.0)]


def shares(robot: Robot, tau: np.ndarray) -> np.ndarray:
    return robot.motor_map @ tau / robot.effort_limit


def test_the_band_is_around_the_last_torques_and_within_the_limits(nao: Robot) -> None:
    band = TorqueBand(nao, step=STEP)
    assert not band.follows and np.array_equal(band.high, nao.effort_limit)
    tau = 0.99 * nao.effort_limit
    tau[nao.index("LKneePitch")] = 0.0
    band.centre(tau)
    assert band.follows
    k = nao.index("LKneePitch")
    assert band.high[k] == pytest.approx(STEP * nao.effort_limit[k]) == -band.low[k]
    assert (band.high <= nao.effort_limit).all() and (band.low < band.high).all()
    free = TorqueBand(nao)
    free.centre(tau)
    assert not free.follows and np.array_equal(free.low, -nao.effort_limit)


@pytest.mark.parametrize(("step", "kept"), [(STEP, True), (np.inf, False)])
def test_a_wish_that_jumps_moves_the_torques_step_by_step(
    nao: Robot, step: float, kept: bool
) -> None:
    at = nao.at(nao.half_sitting)
    feet = footings(nao, at, (nao.weight, nao.weight))
    control = InverseDynamics(nao, DynamicsOptions(torque_step=step))
    before = shares(nao, control.solve(at, tasks(nao, at, 0.0), feet).tau)
    changes = []
    for _ in range(5):  # the robot is held where it is: only the torques move
        answer = control.solve(at, tasks(nao, at, 0.05), feet)
        assert not answer.gave_way
        now = shares(nao, answer.tau)
        changes.append(np.abs(now - before).max())
        before = now
    assert (max(changes) <= STEP * (1.0 + 1e-6)) == kept


def test_the_feet_keep_their_loads_where_the_motors_cannot_follow(nao: Robot) -> None:
    at = nao.at(nao.half_sitting)
    control = InverseDynamics(nao, DynamicsOptions(torque_step=STEP))
    both = footings(nao, at, (nao.weight, nao.weight))
    before = shares(nao, control.solve(at, tasks(nao, at, 0.0), both).tau)
    one = footings(nao, at, (nao.weight, 1e-3))  # the right foot shall not carry any more
    answer = control.solve(at, tasks(nao, at, 0.0), one)
    assert answer.gave_way == ("loads of the feet",)
    assert np.abs(shares(nao, answer.tau) - before).max() <= STEP * (1.0 + 1e-6)
    assert answer.forces["right_foot"][2] > 5.0


def test_torques_leap_by_name_and_within_their_limits_where_nothing_else_is_left(
    nao: Robot,
) -> None:
    at = nao.at(nao.half_sitting)
    control = InverseDynamics(nao, DynamicsOptions(torque_step=0.001))
    feet = footings(nao, at, (nao.weight, nao.weight))
    control.solve(at, tasks(nao, at, 0.0), feet)
    rates, arm = np.zeros(nao.nv), nao.indices("left_arm")
    rates[6 + arm] = 1.5 * nao.velocity_limit[arm]  # too fast: it has to brake at once
    at.refresh(nao.half_sitting, rates)
    answer = control.solve(at, tasks(nao, at, 0.0), feet)
    assert any(name.endswith("torque change") for name in answer.gave_way)
    assert not any(name.endswith("torque limit") for name in answer.gave_way)
    assert np.abs(shares(nao, answer.tau)).max() <= 1.0 + 1e-6
    net = at.mass_matrix @ answer.a + at.bias - np.r_[np.zeros(6), answer.tau]
    for part in nao.feet:
        net -= at.jacobian(part).T @ answer.forces[part]
    assert np.abs(net).max() < 1e-5
