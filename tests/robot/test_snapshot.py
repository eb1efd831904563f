"""A snapshot against Pinocchio's own answers, in place and afresh."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from poise.errors import NotFound
from poise.robot import Robot, Snapshot, load_robot, robot_names


def state(robot: Robot, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = pin.integrate(robot.model, robot.half_sitting, 0.3 * rng.normal(size=robot.nv))
    return q, rng.normal(size=robot.nv)


def agrees(at: Snapshot, q: np.ndarray, v: np.ndarray) -> None:
    """Everything the snapshot says is what separate Pinocchio calls say."""
    model, data = at.model, at.model.createData()
    zero = np.zeros(model.nv)
    pin.computeAllTerms(model, data, q, v)
    H = np.triu(data.M) + np.triu(data.M, 1).T
    close = {"rtol": 1e-9, "atol": 1e-9}
    assert np.allclose(at.mass_matrix, H, **close)
    assert np.allclose(at.bias, data.nle, **close)
    assert np.allclose(at.com, data.com[0], **close)
    assert np.allclose(at.com_jacobian, data.Jcom, **close)
    assert np.allclose(at.momentum_matrix, data.Ag, **close)
    assert np.allclose(at.momentum, data.hg.vector, **close)
    pin.dccrba(model, data, q, v)
    assert np.allclose(at.momentum_drift, data.dAg @ v, **close)
    pin.centerOfMass(model, data, q, v, zero)
    assert np.allclose(at.com_velocity, data.vcom[0], **close)
    assert np.allclose(at.com_drift, data.acom[0], **close)
    pin.forwardKinematics(model, data, q, v, zero)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for frame in ("left_foot", "right_hand", "head"):
        index = model.getFrameId(frame)
        aligned = pin.LOCAL_WORLD_ALIGNED
        assert at.pose(frame).isApprox(data.oMf[index], 1e-12)
        assert np.allclose(at.position(frame), data.oMf[index].translation)
        assert np.allclose(at.rotation(frame), data.oMf[index].rotation)
        J = pin.getFrameJacobian(model, data, index, aligned)
        assert np.allclose(at.jacobian(frame), J, **close)
        assert np.allclose(at.velocity(frame), J @ v, **close)
        drift = pin.getFrameClassicalAcceleration(model, data, index, aligned).vector
        assert np.allclose(at.drift(frame), drift, **close)


@pytest.mark.parametrize("name", robot_names())
def test_a_snapshot_says_what_pinocchio_says(name: str) -> None:
    robot = load_robot(name)
    q, v = state(robot, 1)
    agrees(robot.at(q, v), q, v)


def test_refreshing_in_place_forgets_everything_of_before() -> None:
    robot = load_robot("hrp2")
    at = robot.at(*state(robot, 2))
    place = at.position("left_foot")
    for seed in (3, 4):
        q, v = state(robot, seed)
        at.refresh(q, v)
        agrees(at, q, v)
    assert np.shares_memory(place, at.position("left_foot"))


def test_a_snapshot_without_velocity_is_at_rest() -> None:
    robot = load_robot("nao")
    at = robot.at(robot.half_sitting)
    assert not at.v.any()
    assert np.allclose(at.momentum_drift, 0.0, atol=1e-9)


def test_an_unknown_frame_is_answered_with_the_nearest_name() -> None:
    at = load_robot("nao").at(load_robot("nao").half_sitting)
    with pytest.raises(NotFound, match="left_foot"):
        at.pose("left_fot")
    with pytest.raises(NotFound, match="left_foot"):
        at.position("left_fot")


@pytest.mark.parametrize("name", ["nao", "g1"])
def test_a_robot_at_rest_is_seen_alike_in_less_time(name: str) -> None:
    robot = load_robot(name)
    still = robot.still(robot.half_sitting)
    q, v = state(robot, 11)
    still.refresh(q, v)
    agrees(still, q, np.zeros(robot.nv))
    q[:] = robot.half_sitting  # the snapshot has its own
    agrees(still, still.q, np.zeros(robot.nv))
