import mujoco
import numpy as np
import pytest

from poise.robot import load_robot, robot_names
from poise.simulation import SimulationOptions
from poise.simulation.bridge import qpos_of
from poise.simulation.model import BALL, build, lowest_point
from poise.simulation.soles import contact_points

EVERY_ROBOT = pytest.mark.parametrize("name", robot_names())


@EVERY_ROBOT
def test_joints_have_the_losses_rotors_and_limits_of_the_facts(name):
    robot = load_robot(name)
    physics = build(robot)
    model, dofs = physics.model, physics.dofs[6:]
    rotors = robot.servos.armature.copy()
    for c in robot.couplings:
        rotors[robot.index(c.joint)] = 0.0  # there is one motor, and it sits at the leader
    assert np.allclose(model.dof_armature[dofs], rotors)
    assert np.allclose(model.dof_damping.reshape(model.nv, -1)[dofs, 0], robot.servos.damping)
    assert np.allclose(model.dof_frictionloss[dofs], robot.servos.friction)
    for k, joint in enumerate(robot.joint_names):
        assert np.allclose(model.joint(joint).range, [robot.lower[k], robot.upper[k]])


@EVERY_ROBOT
def test_the_world_has_the_robots_inertia_and_its_rotors(name):
    robot = load_robot(name)
    physics = build(robot)
    data = mujoco.MjData(physics.model)
    data.qpos[:] = qpos_of(robot.half_sitting)
    data.qpos[3:7] = [1.0, 0.0, 0.0, 0.0]  # base axes are world axes
    q = robot.half_sitting.copy()
    q[3:7] = [0.0, 0.0, 0.0, 1.0]
    mujoco.mj_forward(physics.model, data)
    H = np.zeros((robot.nv, robot.nv))
    mujoco.mj_fullM(physics.model, data, H)
    H -= np.diag(physics.model.dof_armature)
    assert np.abs(H - robot.at(q).mass_matrix + np.diag(robot.model.armature)).max() < 1e-9


@EVERY_ROBOT
def test_soles_touch_in_their_own_corners(name):
    robot = load_robot(name)
    physics = build(robot)
    data = mujoco.MjData(physics.model)
    data.qpos[:] = qpos_of(robot.half_sitting)
    mujoco.mj_forward(physics.model, data)
    at = robot.at(robot.half_sitting)
    for part in robot.feet:
        for k, (x, y) in enumerate(contact_points(robot.soles[part].polygon)):
            ball = data.geom(f"{part}/{k}").xpos
            corner = at.pose(part).act(np.array([x, y, 0.0]))
            assert np.allclose(ball - [0.0, 0.0, BALL], corner, atol=1e-6)


@EVERY_ROBOT
def test_nothing_but_soles_is_near_the_ground_in_half_sitting(name):
    robot = load_robot(name)
    physics = build(robot)
    at = robot.at(robot.half_sitting)
    for k, shape in enumerate(robot.shapes):
        geom = physics.model.geom(f"shape/{k}")
        lowest = lowest_point(shape, at.pose(shape.link) * shape.T_link_shape)
        assert geom.conaffinity[0] == (1 if lowest > 0.01 else 0)


def test_without_self_collision_there_are_no_pairs():
    robot = load_robot(robot_names()[0])
    assert build(robot, SimulationOptions(self_collision=False)).model.npair == 0
    assert build(robot).model.npair > 0
