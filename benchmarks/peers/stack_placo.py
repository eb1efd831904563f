"""Frame tasks on a floating robot with placo: one tick is new targets, one QP, one step."""

import numpy as np
import placo
from serving import problem, serve

told = problem()
robot = placo.RobotWrapper(told["urdf"], placo.Flags.ignore_collisions)
T_world_base = np.eye(4)
base = told["frames"][0]
for name, angle, low, high, speed in zip(
    told["joints"], told["q"][7:], told["lower"], told["upper"], told["speed"], strict=True
):
    robot.set_joint(name, angle)
    robot.set_joint_limits(name, low, high)
    robot.set_velocity_limit(name, speed)
T_world_base[:3, :3], T_world_base[:3, 3] = base["R"], base["p"]
robot.set_T_world_frame(base["link"], T_world_base)
robot.update_kinematics()

solver = placo.KinematicsSolver(robot)
solver.dt = told["dt"]
solver.enable_joint_limits(True)
solver.enable_velocity_limits(True)
for name in robot.joint_names():
    if name not in told["joints"]:
        solver.mask_dof(name)
targets, tasks = [], []
for frame in told["frames"]:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = frame["R"], frame["p"]
    task = solver.add_frame_task(frame["link"], T)
    task.configure(frame["link"], "soft", 1.0, 1.0)
    targets.append(T)
    tasks.append(task)
posture = solver.add_joints_task()
posture.set_joints(dict(zip(told["joints"], told["q"][7:], strict=True)))
posture.configure("posture", "soft", told["posture"] ** 2)
heights = np.array([T[2, 3] for T in targets])
clock = [0]


def tick() -> None:
    """New targets, velocities, a step."""
    clock[0] += 1
    wave = told["size"] * np.sin(told["rate"] * clock[0] + np.arange(len(tasks)))
    for task, T, height in zip(tasks, targets, heights + wave, strict=True):
        T[2, 3] = height
        task.T_world_frame = T
    solver.solve(True)
    robot.update_kinematics()


def quality() -> dict:
    """How far the frames are from their targets [mm], root mean square."""
    errors = [
        robot.get_T_world_frame(f["link"])[:3, 3] - T[:3, 3]
        for f, T in zip(told["frames"], targets, strict=True)
    ]
    return {"error_mm": float(1e3 * np.sqrt(np.mean(np.square(errors)) * 3.0))}


serve(tick, quality)
