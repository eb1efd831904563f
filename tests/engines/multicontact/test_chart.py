"""Flat coordinates describe the same robot."""

import numpy as np
import pinocchio as pin
import pytest

from poise import load_robot
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.dynamics import Dynamics, load, moved_by
from poise.engines.multicontact.sharing import Grip, share


@pytest.fixture(scope="module")
def chart():
    return Chart(load_robot("hrp2"))


def states(chart: Chart, n: int = 4):
    rng = np.random.default_rng(0)
    q = chart.flat(chart.robot.half_sitting) + 0.2 * rng.normal(size=(n, chart.nv))
    return q, rng.normal(size=(n, chart.nv)), rng.normal(size=(n, chart.nv))


def test_there_and_back(chart):
    q, _, _ = states(chart)
    for row, full in zip(q, chart.full(q), strict=True):
        assert np.abs(chart.flat(full) - row).max() < 1e-12


def test_velocities_are_those_of_the_configurations(chart):
    q, v, _ = states(chart)
    h = 1e-6
    ahead, behind = chart.full(q + h * v), chart.full(q - h * v)
    for k, rate in enumerate(chart.rates(q, v)):
        difference = pin.difference(chart.robot.model, behind[k], ahead[k]) / (2 * h)
        R = pin.Quaternion(chart.full(q)[k, 3:7]).matrix()
        assert np.abs(difference[6:] - rate[6:]).max() < 1e-6
        assert np.abs(difference[3:6] - rate[3:6]).max() < 1e-6
        moved = (ahead[k, :3] - behind[k, :3]) / (2 * h)
        assert np.abs(R.T @ moved - rate[:3]).max() < 1e-6


def test_torques_and_wrench_are_those_of_the_free_flyer(chart):
    q, v, a = states(chart)
    at = Dynamics(chart, [])(q, v, a)
    model, data, h = chart.robot.model, chart.robot.model.createData(), 1e-6
    full, rates = chart.full(q), chart.rates(q, v)
    bend = (chart.rates(q + h * v, v + h * a) - chart.rates(q - h * v, v - h * a)) / (2 * h)
    for k in range(len(q)):
        tau = pin.rnea(model, data, full[k], rates[k], bend[k])
        pin.forwardKinematics(model, data, full[k])
        wrench = data.oMi[1].act(pin.Force(tau[:6])).vector
        assert np.abs(tau[6:] - at.tau[k, 6:]).max() < 1e-5
        assert np.abs(wrench - at.wrench[k]).max() < 1e-4


def test_a_robot_at_rest_needs_its_weight_under_its_centre_of_mass(chart):
    q = chart.flat(chart.robot.half_sitting)[None]
    at = Dynamics(chart, [])(q, 0 * q, 0 * q)
    com, weight = chart.robot.at(chart.robot.half_sitting).com, chart.robot.weight
    expected = [0.0, 0.0, weight, com[1] * weight, -com[0] * weight, 0.0]
    assert np.abs(at.wrench[0] - expected).max() < 1e-6


def test_contact_forces_leave_nothing_for_the_base(chart):
    """Joint torques and contact forces together make the motion: forward dynamics agrees."""
    robot = chart.robot
    q = chart.flat(robot.half_sitting)[None]
    rng = np.random.default_rng(5)
    a = 0.5 * rng.normal(size=q.shape)
    at = Dynamics(chart, [])(q, 0 * q, a)
    pose = robot.at(robot.half_sitting)
    grips, chains = [], []
    for part in robot.feet:
        points = robot.soles[part].points + pose.pose(part).translation
        grips.append(Grip(np.eye(3), points, 0.5, np.zeros((0, 4, 3))))
        chains.append(chart.chain(chart.carrier(part)[0]))
    loaded = load(at, share(grips, np.zeros(2)), moved_by(chains, chart.nv))
    model, data = chart.model, chart.model.createData()
    pull = np.zeros(chart.nv)
    pin.computeJointJacobians(model, data, q[0])
    for chain, w in zip(chains, share(grips, np.zeros(2)).wrenches, strict=True):
        pull[chain] += data.J.T[chain] @ (w @ at.wrench[0])
    tau = np.concatenate([np.zeros(6), loaded.tau[0]]) + pull
    back = pin.aba(model, data, q[0], np.zeros(chart.nv), tau)
    assert np.abs(back - a[0]).max() < 1e-6
