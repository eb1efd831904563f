"""Joint torques of a robot that stands on two feet and does not move."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.robot.robot import BASE_V, GRAVITY


def foot_forces_torque(
    model: pin.Model, q: np.ndarray, feet: list[tuple[int, np.ndarray]], upright: np.ndarray
) -> np.ndarray:
    """Torques of the joints, each foot carrying half the weight below the CoM [N m], (na,).

    Args:
        model: of the robot.
        q: configuration, with a level base wherever it is.
        feet: joint of each foot, and the point below its ankle in world axes [m].
        upright: world axes of the robot: columns forward, left, up.
    """
    data = model.createData()
    model_gravity = model.gravity.linear.copy()
    try:
        model.gravity.linear = -GRAVITY * upright[:, 2]
        torque = pin.computeGeneralizedGravity(model, data, q)
    finally:
        model.gravity.linear = model_gravity
    com = pin.centerOfMass(model, data, q)
    pin.computeJointJacobians(model, data, q)
    half = 0.5 * pin.computeTotalMass(model) * GRAVITY * upright[:, 2]
    for joint, ankle in feet:
        point = ankle + upright[:, 0] * (upright[:, 0] @ (com - ankle))
        J = pin.getJointJacobian(model, data, joint, pin.LOCAL_WORLD_ALIGNED)
        arm = point - data.oMi[joint].translation
        torque = torque - J[:3].T @ half - J[3:].T @ np.cross(arm, half)
    return torque[BASE_V:]
