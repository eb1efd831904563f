"""Pinocchio and MuJoCo must agree about every robot: same inertia, same forces, same motion."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from poise.robot import load_robot, robot_names
from poise.simulation.bridge import q_of, qpos_of, qvel_of, v_of
from poise.simulation.skeleton import give_inertia, skeleton

EVERY_ROBOT = pytest.mark.parametrize("name", robot_names())


def bare(name):
    """The robot in both worlds, nothing but its mechanics."""
    robot = load_robot(name)
    spec, _ = skeleton(robot)
    model = spec.compile()
    give_inertia(robot, model)
    model.opt.gravity[:] = robot.model.gravity.linear
    return robot, model, mujoco.MjData(model)


def random_states(robot, count=6, seed=0):
    random = np.random.default_rng(seed)
    for _ in range(count):
        q = np.array(robot.half_sitting)
        q[:3] = random.normal(size=3)
        q[3:7] = random.normal(size=4)
        q[3:7] /= np.linalg.norm(q[3:7])
        q[7:] = random.uniform(np.maximum(robot.lower, -3.0), np.minimum(robot.upper, 3.0))
        yield q, random.normal(size=robot.nv)


def put(robot, model, data, q, v):
    data.qpos[:], data.qvel[:] = qpos_of(q), qvel_of(q, v)
    mujoco.mj_forward(model, data)


def world_axes(robot, q):
    """T with MuJoCo's velocity = T Pinocchio's."""
    T = np.eye(robot.nv)
    T[:3, :3] = pin.Quaternion(q[3:7]).matrix()
    return T


def full_inertia(model, data):
    H = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, H)
    return H


@EVERY_ROBOT
def test_the_joints_stand_in_the_same_order(name):
    robot, model, _ = bare(name)
    assert [model.joint(k).name for k in range(1, model.njnt)] == list(robot.joint_names)
    assert (model.nq, model.nv) == (robot.nq, robot.nv)


@EVERY_ROBOT
def test_the_joint_space_inertia_is_the_same_to_1e_9(name):
    robot, model, data = bare(name)
    rotors = np.diag(robot.model.armature)
    for q, v in random_states(robot):
        put(robot, model, data, q, v)
        T = world_axes(robot, q)
        H = robot.at(q, v).mass_matrix - rotors
        assert np.abs(T.T @ full_inertia(model, data) @ T - H).max() < 1e-9


@EVERY_ROBOT
def test_gravity_coriolis_and_centrifugal_terms_are_the_same_to_1e_9(name):
    robot, model, data = bare(name)
    for q, v in random_states(robot):
        put(robot, model, data, q, v)
        T = world_axes(robot, q)
        # velocity in turning axes: dv_world/dt = R (dv_base/dt + w x v_base)
        turning = np.zeros(robot.nv)
        turning[:3] = T[:3, :3] @ np.cross(v[3:6], v[:3])
        bias = T.T @ (data.qfrc_bias + full_inertia(model, data) @ turning)
        assert np.abs(bias - robot.at(q, v).bias).max() < 1e-9 * max(1.0, robot.weight)


@EVERY_ROBOT
def test_parts_and_the_centre_of_mass_are_in_the_same_places(name):
    robot, model, data = bare(name)
    for q, v in random_states(robot):
        put(robot, model, data, q, v)
        at = robot.at(q, v)
        assert np.abs(data.subtree_com[1] - at.com).max() < 1e-9
        for part in robot.parts:
            frame = robot.model.frames[robot.frame_id(part)]
            body = model.body(robot.model.names[frame.parentJoint]).id
            R, p = data.xmat[body].reshape(3, 3), data.xpos[body]
            pose = at.pose(part)
            assert np.abs(p + R @ frame.placement.translation - pose.translation).max() < 1e-9
            assert np.abs(R @ frame.placement.rotation - pose.rotation).max() < 1e-9


@EVERY_ROBOT
def test_the_same_torques_cause_the_same_accelerations(name):
    robot, model, data = bare(name)
    random = np.random.default_rng(3)
    for q, v in random_states(robot, count=3, seed=4):
        torques = np.r_[np.zeros(6), random.normal(size=robot.na)]
        data.qfrc_applied[:] = torques
        put(robot, model, data, q, v)
        plain = robot.model.copy()
        plain.armature[:] = 0.0
        expected = pin.aba(plain, plain.createData(), q, v, torques)
        R = pin.Quaternion(q[3:7]).matrix()
        found = data.qacc.copy()
        found[:3] = R.T @ found[:3] - np.cross(v[3:6], v[:3])
        assert np.allclose(found, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def flight(robot, model, data, q, v, step, duration=0.2):
    """Momentum at the beginning and at the end of a free flight without gravity."""
    model.opt.gravity[:] = 0.0
    model.opt.timestep = step
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    put(robot, model, data, q, v)
    before = robot.at(q, v).momentum
    mujoco.mj_step(model, data, round(duration / step))
    q = q_of(data.qpos)
    return before, robot.at(q, v_of(q, data.qvel)).momentum


@EVERY_ROBOT
def test_momentum_is_kept_in_flight(name):
    robot, model, data = bare(name)
    v = 0.5 * np.random.default_rng(5).normal(size=robot.nv)
    before, after = flight(robot, model, data, robot.half_sitting, v, step=5e-4)
    assert np.abs(after[:3] - before[:3]).max() < 1e-8 * np.abs(before[:3]).max()
    assert np.abs(after[3:] - before[3:]).max() < 1e-8 * np.abs(before[3:]).max()
    assert np.abs(data.qpos[7:] - robot.half_sitting[7:]).max() > 0.02  # it did move


@EVERY_ROBOT
def test_the_centre_of_mass_falls_along_a_parabola(name):
    robot, model, data = bare(name)
    v = 0.5 * np.random.default_rng(6).normal(size=robot.nv)
    model.opt.timestep, model.opt.integrator = 5e-4, mujoco.mjtIntegrator.mjINT_RK4
    put(robot, model, data, robot.half_sitting, v)
    start, time = robot.at(robot.half_sitting, v), 0.2
    mujoco.mj_step(model, data, round(time / model.opt.timestep))
    fallen = 0.5 * np.array([0.0, 0.0, -9.81]) * time**2
    com = robot.at(q_of(data.qpos)).com
    assert np.allclose(com, start.com + start.com_velocity * time + fallen, atol=1e-8)
