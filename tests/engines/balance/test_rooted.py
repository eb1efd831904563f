"""What IMU and encoders tell of a robot that moves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest

from poise.engines.balance.rooted import Rooted
from poise.robot import load_robot
from poise.robot.robot import BASE_Q, BASE_V

GRAVITY = np.array([0.0, 0.0, -9.81])


@pytest.mark.parametrize("name", ["hoap3", "nao", "hrp2", "talos"])
@pytest.mark.parametrize("foot", [0, 1])
def test_flight_is_told_by_imu_and_joints_wherever_the_robot_is(name: str, foot: int) -> None:
    robot, random = load_robot(name), np.random.default_rng(foot)
    q = robot.half_sitting.copy()
    q[BASE_Q:] += random.uniform(-0.2, 0.2, robot.na)
    q[:3] = 1.0, -2.0, 0.5
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.05, -0.1, 1.0)).coeffs()
    v = random.uniform(-1.0, 1.0, robot.nv)
    at = robot.at(q, v)
    imu = next(s for s in robot.sensors if s.kind == "imu")
    T_world_imu = at.pose(imu.link) * imu.T_link_sensor
    twist, pulls = at.velocity(imu.link), np.array([0.7, -0.4, 0.2])  # [m/s²], world
    lever = T_world_imu.translation - at.position(imu.link)
    seen = SimpleNamespace(
        rates=v[BASE_V:],
        gyro=T_world_imu.rotation.T @ twist[3:],
        accelerometer=T_world_imu.rotation.T @ (pulls - GRAVITY),
    )
    R_world_foot = at.rotation(robot.feet[foot])
    rooted = Rooted(robot, robot.feet[foot])
    rooted.see(q[BASE_Q:])
    momentum, against, flies = rooted.fly(seen, rooted.axes, R_world_foot[2])  # type: ignore[arg-type]
    data = robot.model.createData()
    h = pin.computeCentroidalMomentum(robot.model, data, q, v)
    about = R_world_foot.T @ h.angular
    np.testing.assert_allclose(momentum, [about[1], -about[0]], atol=1e-9 * robot.weight)
    slides = h.linear / robot.mass - twist[:3] - np.cross(twist[3:], lever)
    np.testing.assert_allclose(against, (R_world_foot.T @ slides)[:2], atol=1e-9)
    level = pulls - [0.0, 0.0, pulls[2]]
    np.testing.assert_allclose(flies, (R_world_foot.T @ level)[:2], atol=1e-9)
