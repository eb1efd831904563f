"""The robot's bodies and joints as a MuJoCo specification: mechanics alone, nothing to touch.

One body per Pinocchio joint, in Pinocchio's order, with Pinocchio's inertia and placement, so
that the two programs compute the same joint-space inertia to the last digits.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin

from poise.errors import BadInput
from poise.robot import Robot
from poise.robot.quaternion import quat_of


def skeleton(robot: Robot) -> tuple[mujoco.MjSpec, list[mujoco.MjsBody]]:
    """A specification with the robot's bodies and joints, and the body of each Pinocchio joint.

    The list starts with the world's body, which stands for Pinocchio's universe. Inertias are
    placeholders until `give_inertia` has been called on the compiled model.
    """
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.autolimits = False
    spec.compiler.alignfree = False  # the base frame stays where Pinocchio has it
    model = robot.model
    bodies = [spec.worldbody]
    for k in range(1, model.njoints):
        placement = model.jointPlacements[k]
        body = bodies[model.parents[k]].add_body(
            name=model.names[k],
            pos=placement.translation,
            quat=wxyz(placement.rotation),
            mass=1.0,
            inertia=np.ones(3),
            ipos=np.full(3, 1e-3),  # off centre: a centred body would be treated as diagonal
            iquat=wxyz(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3)),
            explicitinertial=True,
            simple=0,
        )
        if k == 1:
            body.add_freejoint(name=model.names[k])
        else:
            kind, axis = joint_axis(robot, k)
            body.add_joint(name=model.names[k], type=kind, axis=axis)
        bodies.append(body)
    return spec, bodies


def joint_axis(robot: Robot, joint: int) -> tuple[mujoco.mjtJoint, np.ndarray]:
    """Kind and axis of a joint, from the motion it allows."""
    model = robot.model.joints[joint]
    data = model.createData()
    model.calc(data, np.zeros(model.nq))
    motion = np.asarray(data.S).reshape(6)
    sliding, turning = motion[:3], motion[3:]
    if np.allclose(turning, 0.0):
        return mujoco.mjtJoint.mjJNT_SLIDE, sliding
    if np.allclose(sliding, 0.0):
        return mujoco.mjtJoint.mjJNT_HINGE, turning
    raise BadInput(
        robot.name,
        f"joint '{robot.model.names[joint]}'",
        f"a {model.shortname()}",
        "a joint that turns about or slides along one axis",
    )


def give_inertia(
    robot: Robot, model: mujoco.MjModel, shares: dict[str, tuple[int, float]] | None = None
) -> None:
    """Put the robot's masses and inertias into a compiled model.

    They are set here and not in the specification because MuJoCo's compiler refuses inertias
    that no real body could have, and some published models have such links.

    Args:
        robot: whose inertias they are.
        model: compiled from the robot's skeleton.
        shares: bodies that take a share of another's inertia: name -> (Pinocchio joint, share).
    """
    taken = dict.fromkeys(range(robot.model.njoints), 0.0)
    for name, (joint, share) in (shares or {}).items():
        _put(model, model.body(name).id, robot.model.inertias[joint], share)
        taken[joint] += share
    for k in range(1, robot.model.njoints):
        body = model.body(robot.model.names[k]).id
        _put(model, body, robot.model.inertias[k], 1.0 - taken[k])
    mujoco.mj_setConst(model, mujoco.MjData(model))


def _put(model: mujoco.MjModel, body: int, inertia: pin.Inertia, share: float) -> None:
    moments, axes = np.linalg.eigh(inertia.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    model.body_mass[body] = share * inertia.mass
    model.body_ipos[body] = inertia.lever
    model.body_iquat[body] = wxyz(axes)
    model.body_inertia[body] = share * moments


def wxyz(rotation: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation matrix in MuJoCo's order, (4,)."""
    return np.roll(quat_of(rotation), 1)
