"""A swaying robot with placo: one tick is the reference, the problem, the QP, the step."""

import numpy as np
import placo
from serving import problem, serve

told = problem()
robot = placo.RobotWrapper(told["urdf"], placo.Flags.ignore_collisions)
for name, angle, low, high, speed, torque in zip(
    told["joints"],
    told["q"][7:],
    told["lower"],
    told["upper"],
    told["speed"],
    told["torque"],
    strict=True,
):
    robot.set_joint(name, angle)
    robot.set_joint_limits(name, low, high)
    robot.set_velocity_limit(name, speed)
    robot.set_torque_limit(name, torque)
base = np.eye(4)
base[:3, :3], base[:3, 3] = told["base"]["R"], told["base"]["p"]
robot.set_T_world_frame(told["base"]["link"], base)
robot.update_kinematics()

solver = placo.DynamicsSolver(robot)
solver.dt = told["dt"]
solver.enable_joint_limits(True)
solver.enable_velocity_limits(True)
solver.enable_torque_limits(True)
for foot in told["feet"]:
    task = solver.add_frame_task(foot["link"], robot.get_T_world_frame(foot["link"]))
    task.configure(foot["link"], "hard", 1.0, 1.0)
    contact = solver.add_planar_contact(task)
    contact.length, contact.width = foot["length"], foot["width"]
    contact.mu, contact.unilateral = told["friction"], True
    contact.weight_forces, contact.weight_moments = 1e-5, 1e-5
for link in told["hands"]:
    solver.add_frame_task(link, robot.get_T_world_frame(link)).configure(link, "soft", 1.0, 1.0)
chest = solver.add_orientation_task(told["chest"], robot.get_T_world_frame(told["chest"])[:3, :3])
chest.configure("chest", "soft", 1.0)
posture = solver.add_joints_task()
posture.set_joints({name: robot.get_joint(name) for name in robot.joint_names()})
posture.configure("posture", "soft", 0.01)
middle = robot.com_world().copy()
com = solver.add_com_task(middle)
com.configure("com", "soft", 10.0)
com.kp, com.kd = 100.0, 20.0
state = {"t": 0.0, "wish": middle}


def tick() -> None:
    """Reference, problem, QP, step."""
    t = state["t"]
    size, rate = 0.02 * min(1.0, t), np.pi
    sine, cosine = size * np.sin(rate * t), size * np.cos(rate * t)
    state["wish"] = middle + np.array([0.0, sine, 0.0])
    com.target_world = state["wish"]
    com.dtarget_world = np.array([0.0, rate * cosine, 0.0])
    com.ddtarget_world = np.array([0.0, -(rate**2) * sine, 0.0])
    if not solver.solve(True).success:
        raise SystemExit(f"placo finds no solution at {t:.3f} s")
    robot.update_kinematics()
    state["t"] = t + told["dt"]


def quality() -> dict:
    """How far the centre of mass is from its reference [mm]."""
    return {"error_mm": float(1e3 * np.linalg.norm(robot.com_world() - state["wish"]))}


serve(tick, quality)
