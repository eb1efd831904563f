"""Balance feedback by the ankles: which way a foot is turned, and by how much."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import poise
from poise.contacts import ContactPlan, Touch
from poise.engines.multicontact import Steadied
from poise.engines.multicontact.playing import AHEAD, GAIN, GIVING, limb_of
from poise.motion import Motion, Observation
from poise.robot.robot import BASE_Q

MOMENT, STIFFNESS = 20.0, 800.0  # [N m] about y on the left foot, [N m/rad]


@pytest.fixture(scope="module")
def robot():
    return poise.load_robot("hrp2")


@pytest.fixture(scope="module")
def standing(robot):
    """Two seconds on both feet, a moment about y at the left ankle."""
    q = np.tile(robot.half_sitting, (5, 1))
    wrench = np.tile([0.0, 0.0, 0.5 * robot.weight, 0.0, MOMENT, 0.0], (5, 1))
    at = robot.at(robot.half_sitting)
    frame = robot.frame_id("left_foot")
    ankle = robot.model.frames[frame].parentJoint
    pin.forwardKinematics(robot.model, data := robot.model.createData(), robot.half_sitting)
    arm = at.pose("left_foot").translation - data.oMi[ankle].translation
    wrench[:, 3:] -= np.cross(arm, wrench[:, :3])
    touches = [
        Touch(part, 0.0, 2.0, at.pose(part), robot.soles[part].points) for part in robot.feet
    ]
    return Motion(
        robot=robot.name,
        model_hash=robot.model_hash,
        time=np.linspace(0.0, 2.0, 5),
        q=q,
        v=np.zeros((5, robot.nv)),
        joint_names=robot.joint_names,
        contacts=ContactPlan.of(touches),
        forces={"left_foot": wrench},
    )


def turned(robot, controller, tilt):
    """How the commanded soles are turned about y against the planned ones, trunk tilted [rad]."""
    base = pin.Quaternion(robot.half_sitting[3:7])
    seen = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, tilt, 0.0) @ base.matrix()).coeffs()
    zero = np.zeros(3)
    for time in (0.5, 1.5):  # the correction acts after a moment
        told = controller.command(
            Observation(time, robot.half_sitting[BASE_Q:], zero, zero, seen, zero, zero)
        )
    q = robot.half_sitting.copy()
    q[BASE_Q:] = told.joints
    plain, now = robot.at(robot.half_sitting), robot.at(q)
    return {
        part: pin.log3(now.pose(part).rotation @ plain.pose(part).rotation.T)[1]
        for part in robot.feet
    }


def test_feet_turn_the_way_the_trunk_leans(robot, standing):
    found = turned(robot, Steadied(robot, standing), 0.02)
    for angle in found.values():
        assert np.isclose(angle, GAIN * 0.02, rtol=1e-2)


def test_what_a_planned_moment_will_bend_is_turned_back_ahead(robot, standing):
    rigid = turned(robot, Steadied(robot, standing), 0.0)
    known = turned(robot, Steadied(robot, standing, ankle_stiffness=STIFFNESS), 0.0)
    assert np.allclose(list(rigid.values()), 0.0, atol=1e-9)
    assert np.isclose(known["left_foot"], -MOMENT / STIFFNESS, rtol=1e-2)
    assert np.isclose(known["right_foot"], 0.0, atol=1e-9)


@pytest.mark.parametrize("name", ["hrp2", "talos"])
def test_a_limb_moves_a_hand_but_neither_the_trunk_nor_a_foot(name):
    robot = poise.load_robot(name)
    limb = limb_of(robot, "left_hand")
    q = robot.half_sitting.copy()
    q[BASE_Q + limb] += 0.1
    before, after = robot.at(robot.half_sitting), robot.at(q)
    for part in ("chest", "right_hand", *robot.feet):
        assert np.allclose(before.pose(part).homogeneous, after.pose(part).homogeneous)
    assert not np.allclose(
        before.pose("left_hand").translation, after.pose("left_hand").translation
    )
    assert len(limb) >= 5
    assert not len(limb_of(robot, "left_foot"))


def test_an_arm_that_leans_gives_way_and_no_other_joint_does(robot, standing):
    """It has the planned torque, and a share of the servo's stiffness that is left."""
    at = robot.at(robot.half_sitting)
    hand = Touch("left_hand", 1.0, 1.6, at.pose("left_hand"), np.zeros((1, 3)))
    tau = np.tile(np.linspace(1.0, 2.0, robot.na), (5, 1))
    contacts = ContactPlan.of([*standing.contacts.touches, hand])
    controller = Steadied(robot, replace(standing, contacts=contacts, tau=tau))
    off, zero = 0.01, np.zeros(3)
    limb = limb_of(robot, "left_hand")

    def told(time):
        seen = Observation(
            time, robot.half_sitting[BASE_Q:] - off, zero, zero, robot.half_sitting[3:7], zero, zero
        )
        command = controller.command(seen)
        joints = command.joints - seen.joints
        return joints, robot.servos.kp * joints + command.torques

    for time in (0.5, 1.9):
        joints, torque = told(time)
        assert np.allclose(torque, robot.servos.kp * joints)
    for time in (1.0 - 0.5 * AHEAD, 1.3):
        joints, torque = told(time)
        stiff = robot.servos.kp * joints
        rest = np.setdiff1d(np.arange(robot.na), limb)
        assert np.allclose(torque[rest], stiff[rest])
        assert np.allclose(torque[limb], tau[0, limb] + (1.0 - GIVING) * stiff[limb])
