"""Weighted inverse kinematics within limits, and the posture found by repeating it."""

from __future__ import annotations

import numpy as np
import pytest

from poise.control import InverseKinematics, KinematicsOptions, reach
from poise.errors import Infeasible
from poise.robot import load_robot
from poise.tasks import CenterOfMass, FramePose, FramePosition, Posture, Task


@pytest.mark.parametrize("name", ["nao", "hrp2", "hoap3"])
def test_a_squat_keeps_the_feet_exactly_and_lowers_the_mass(name: str) -> None:
    robot = load_robot(name)
    at = robot.at(robot.half_sitting)
    feet = [Task(p, FramePose(p, at.pose(p))) for p in robot.feet]
    lower = at.com + [0.0, 0.0, -0.06 * at.com[2]]
    q = reach(
        robot,
        robot.half_sitting,
        [Task("posture", Posture(robot.half_sitting[7:]), weight=1e-3)],
        required=[*feet, Task("com", CenterOfMass(lower))],
    )
    there = robot.at(q)
    assert np.abs(there.com - lower).max() < 1e-7
    for task in feet:
        assert np.abs(task.residual.linearize(there).error).max() < 1e-7
    assert np.all(q[7:] >= robot.lower) and np.all(q[7:] <= robot.upper)
    assert np.allclose(robot.coupled(q), q)


def test_an_unreachable_hand_is_named_with_the_joints_at_their_limits() -> None:
    robot = load_robot("nao")
    at = robot.at(robot.half_sitting)
    feet = [Task(p, FramePose(p, at.pose(p))) for p in robot.feet]
    far = Task("left hand", FramePosition("left_hand", np.array([2.0, 0.0, 0.3])))
    with pytest.raises(Infeasible, match="left hand") as caught:
        reach(robot, robot.half_sitting, [], required=[*feet, far])
    assert "\n" not in str(caught.value)


def test_speed_limits_hold_however_strong_the_wish() -> None:
    robot = load_robot("hoap3")
    at = robot.at(robot.half_sitting)
    solver = InverseKinematics(robot, KinematicsOptions(dt=0.005))
    wish = Task("hand", FramePosition("left_hand", np.array([1.0, 1.0, 1.0])), gain=1e3)
    v = solver.solve(at, [wish])
    assert np.all(np.abs(v[6:]) <= robot.velocity_limit + 1e-9)


def test_far_from_limits_the_velocity_solves_the_normal_equations_of_all_tasks() -> None:
    robot = load_robot("hrp2")
    at = robot.at(robot.half_sitting, np.full(robot.nv, 0.01))
    options = KinematicsOptions(dt=0.005, damping=1e-6)
    solver = InverseKinematics(robot, options)
    moving, drifts = np.array([0.02, 0.0, -0.01]), np.full(robot.na, 2e-3)
    for weight in (1.0, 3.0):  # the second time in the same memory
        tasks = [
            *[Task(p, FramePose(p, at.pose(p)), 10.0, 5.0) for p in robot.feet],
            Task("hand", FramePosition("left_hand", at.position("left_hand"), moving), weight, 7.0),
            Task("posture", Posture(robot.half_sitting[7:] + 1e-3, velocity=drifts), 0.1, 2.0),
            Task("com", CenterOfMass(at.com + [0.0, 1e-3, 0.0]), 4.0, 3.0),
        ]
        P, r = options.damping * np.eye(robot.nv), np.zeros(robot.nv)
        for task in tasks:
            picture = task.residual.linearize(at)
            J, b = picture.jacobian, task.gain * picture.error + picture.flow
            P, r = P + task.weight * J.T @ J, r + task.weight * J.T @ b
        v = solver.solve(at, tasks)
        assert np.all(np.abs(v[6:]) < 0.9 * robot.velocity_limit)
        np.testing.assert_allclose(v, -np.linalg.solve(P, r), atol=1e-7)
