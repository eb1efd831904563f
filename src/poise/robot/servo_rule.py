"""Servo gains for a humanoid of which only limits and masses are known.

Four numbers make the rule, each with a meaning on the machine:

- an error of `FULL_EFFORT_AT` calls for the full torque of the joint, unless the joint would
  then swing what it carries faster than `FASTEST`. It has to be small: the joints of a leg
  give way one above the other, and at 0.02 rad a walk that is planned with 5 cm to spare
  lands its feet so early that a robot of human size rocks itself over;
- the velocity gain damps critically what the joint carries in half-sitting, other joints held;
  yet kd / kp is at least `SWAY`: over a planted foot the joint moves the rest of the robot,
  far more than it carries, and that sway must die out too;
- a motor without load reaches its full speed under full torque in `SPIN_UP`, which is its
  reflected inertia where no rotor inertia is published.

Losses are small: dry and viscous friction each take `LOSS` of the torque limit.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin

from poise.robot.parts import Servos

FULL_EFFORT_AT = 0.005  # [rad]
FASTEST = 1000.0  # [rad/s]
SWAY = 0.02  # [s]
SPIN_UP = 0.005  # [s]; published rotors lie between 1 and 15 ms
LOSS = 0.01  # of the torque limit: dry, and viscous at full speed
LEAST_EFFORT, LEAST_SPEED = 0.1, 0.5  # [N m], [rad/s]: for models that leave limits at zero
MOST_EFFORT, MOST_SPEED = 1e3, 30.0  # [N m], [rad/s]: for models that leave limits open


def servo_gains(
    model: pin.Model,
    q_half_sitting: np.ndarray,
    armature: Mapping[str, float] | None = None,
) -> Servos:
    """Gains of position servos for the joints of any humanoid.

    Args:
        model: with a free-flyer root and joints of one degree of freedom.
        q_half_sitting: (nq,), the posture in which the carried inertia is taken [rad].
        armature: published rotor inertias seen at the joint [kg m^2], by joint name.

    Returns:
        kp [N m/rad], kd [N m s/rad], armature [kg m^2], damping [N m s/rad] and
        friction [N m], each (na,).
    """
    effort = np.clip(model.effortLimit[6:], LEAST_EFFORT, MOST_EFFORT)
    speed = np.clip(model.velocityLimit[6:], LEAST_SPEED, MOST_SPEED)
    rotor = SPIN_UP * effort / speed
    for name, value in (armature or {}).items():
        rotor[model.joints[model.getJointId(name)].idx_v - 6] = value
    carried = carried_inertia(model, q_half_sitting) + rotor
    kp = np.minimum(effort / FULL_EFFORT_AT, carried * FASTEST**2)
    return Servos(
        kp=kp,
        kd=np.maximum(2.0 * np.sqrt(kp * carried), SWAY * kp),
        armature=rotor,
        damping=LOSS * effort / speed,
        friction=LOSS * effort,
    )


def carried_inertia(model: pin.Model, q: np.ndarray) -> np.ndarray:
    """Inertia about each joint of all that it carries, rotors aside [kg m^2], (na,)."""
    M = pin.crba(model, model.createData(), q)
    return np.diag(M)[6:] - model.armature[6:]
