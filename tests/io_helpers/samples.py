"""Motions to write and read: a short walk by inverse kinematics, on any robot."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch
from poise.motion import Motion, motion_of
from poise.robot import Robot, load_robot

ROBOTS = ("nao", "hrp2", "hoap3", "g1", "talos", "icub", "romeo")


@lru_cache(maxsize=16)
def walk(name: str, rate: float = 30.0, yaw: float = 0.3, steps: int = 3) -> Motion:
    """A walk forward and a little bow, with arms that swing; feet planted to 1e-9 m."""
    robot = load_robot(name)
    size = robot.half_sitting[2]
    stride, lift, period = 0.12 * size, 0.06 * size, 0.7
    rest = [robot.at(robot.half_sitting).pose(foot).copy() for foot in robot.feet]
    time = np.arange(round((steps + 1) * period * rate)) / rate
    turn = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, yaw), np.array([0.4, -0.2, 0.0]))
    T_base = pin.XYZQUATToSE3(robot.half_sitting[:7])
    q, rows = np.array(robot.half_sitting), []
    q[:7] = pin.SE3ToXYZQUAT(turn * T_base)
    for t in time:
        feet = [_foot(k, t, rest[k], stride, lift, period, steps) for k in range(2)]
        middle = 0.5 * (feet[0].translation + feet[1].translation)
        sway = 0.03 * size * np.sin(np.pi * t / period)
        place = np.array([middle[0], middle[1] + sway, 0.0]) + T_base.translation * [1, 1, 0.96]
        place[:2] += 0.02 * size * np.sin(2.0 * t)
        bow = pin.rpy.rpyToMatrix(0.05 * np.sin(3 * t), 0.08 * np.sin(2 * t), 0.04 * np.sin(t))
        wanted = [turn * foot for foot in feet]
        body = turn * pin.SE3(bow @ T_base.rotation, place)
        q = _solved(robot, q, wanted, body, 0.3 * np.sin(2 * np.pi * t / (2 * period)))
        rows.append(q.copy())
    return motion_of(robot, time, np.array(rows), recipe={"engine": "sample", "seed": 1})


@lru_cache(maxsize=16)
def full(name: str) -> Motion:
    """The walk with everything a Motion can hold."""
    robot, motion = load_robot(name), walk(name)
    n, rng = len(motion), np.random.default_rng(3)
    pose = pin.SE3(pin.rpy.rpyToMatrix(0.1, -0.2, 0.3), np.array([0.1, 0.2, 0.0]))
    sole = robot.soles[robot.feet[0]].points
    touches = [
        Touch(robot.feet[0], 0.0, 1.5, pose, sole),
        Touch(robot.feet[1], 0.7, 2.0, pin.SE3.Identity(), sole[:2]),
    ]
    return Motion(
        robot=motion.robot,
        model_hash=motion.model_hash,
        time=motion.time + 0.25,
        q=motion.q,
        v=motion.v,
        joint_names=motion.joint_names,
        tau=rng.normal(size=(n, robot.na)),
        contacts=ContactPlan.of(touches),
        forces={foot: rng.normal(size=(n, 6)) for foot in robot.feet},
        signals={"zmp": rng.normal(size=(n, 2)), "com_ref": rng.normal(size=(n, 3))},
        recipe={"engine": "sample", "inputs": {"a.c3d": "00"}, "options": {"steps": 3, "x": 0.1}},
    )


def still(name: str, n: int = 20, rate: float = 30.0) -> Motion:
    """The robot half-sitting, not moving."""
    robot = load_robot(name)
    return motion_of(robot, np.arange(n) / rate, np.tile(robot.half_sitting, (n, 1)))


def _foot(
    side: int, t: float, rest: pin.SE3, stride: float, lift: float, period: float, steps: int
) -> pin.SE3:
    """Pose of a foot that steps on every second period, 70 % of it in the air."""
    step = int(t // period)
    done = sum(1 for s in range(min(step, steps)) if s % 2 == side)
    x, z = 2 * stride * done - stride * (side == 0) * (done > 0), 0.0
    if step < steps and step % 2 == side:
        s = np.clip((t / period - step - 0.15) / 0.7, 0.0, 1.0)
        smooth = s**3 * (10 - 15 * s + 6 * s**2)
        reach = stride if (done == 0 and side == 0) else 2 * stride
        x, z = x + reach * smooth, lift * (4 * s * (1 - s)) ** 3
    return pin.SE3(rest.rotation, rest.translation + [x, 0.0, z])


def _solved(
    robot: Robot, q: np.ndarray, feet: list[pin.SE3], body: pin.SE3, swing: float
) -> np.ndarray:
    """Feet and couplings exactly, the base nearly, the rest near half-sitting."""
    posture = np.array(robot.half_sitting[7:])
    for group, sign in (("left_arm", 1.0), ("right_arm", -1.0)):
        posture[robot.indices(group)[0]] += sign * swing
        posture[robot.indices(group)[3]] += 0.2 * swing
    for name in robot.groups.get("head", ()):
        posture[robot.index(name)] += 0.2 * swing
    joints = np.hstack([np.zeros((robot.na, 6)), np.eye(robot.na)])
    for _ in range(5):
        at = robot.at(q, np.zeros(robot.nv))
        hard_J, hard_e = [robot.coupling_rows], [np.zeros(len(robot.couplings))]
        for foot, wanted in zip(robot.feet, feet, strict=True):
            now = at.pose(foot)
            turn = pin.log3(wanted.rotation @ now.rotation.T)
            hard_J.append(at.jacobian(foot).copy())
            hard_e.append(np.r_[wanted.translation - now.translation, turn])
        J, e = np.vstack(hard_J), np.concatenate(hard_e)
        now = pin.XYZQUATToSE3(q[:7])
        soft_J = np.vstack([np.eye(robot.nv)[:6], 0.1 * joints])
        soft_e = np.r_[pin.log6(now.inverse() * body).vector, 0.1 * (posture - q[7:])]
        inverse = np.linalg.pinv(J, rcond=1e-4)
        step = inverse @ e
        null = np.eye(robot.nv) - inverse @ J
        step += np.linalg.lstsq(soft_J @ null, soft_e - soft_J @ step, rcond=1e-6)[0]
        step = inverse @ e + null @ (step - inverse @ e)
        q = pin.integrate(robot.model, q, step)
        q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] = robot.coupled(q)[7:]
    return q
