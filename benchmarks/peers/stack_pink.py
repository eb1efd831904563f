"""Frame tasks on a floating robot with pink: one tick is new targets, one QP, one step."""

import numpy as np
import pink
import pinocchio as pin
from pink.tasks import FrameTask, PostureTask
from serving import problem, serve

told = problem()
whole = pin.buildModelFromUrdf(told["urdf"], pin.JointModelFreeFlyer())
locked = [k for k in range(2, whole.njoints) if whole.names[k] not in told["joints"]]
model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
order = [list(model.names).index(name) for name in told["joints"]]
q = pin.neutral(model)
q[:7] = told["q"][:7]
for joint, angle, low, high, speed in zip(
    order, told["q"][7:], told["lower"], told["upper"], told["speed"], strict=True
):
    k, v = model.joints[joint].idx_q, model.joints[joint].idx_v
    q[k], model.lowerPositionLimit[k], model.upperPositionLimit[k] = angle, low, high
    model.velocityLimit[v] = speed
configuration = pink.Configuration(model, model.createData(), q)

tasks = [FrameTask(f["link"], 1.0, 1.0, gain=told["gain"]) for f in told["frames"]]
posture = PostureTask(told["posture"], gain=told["gain"])
posture.set_target(q)
rotations = [np.array(frame["R"]) for frame in told["frames"]]
places = np.array([frame["p"] for frame in told["frames"]])
clock = [0]


def tick() -> None:
    """New targets, velocities, a step."""
    clock[0] += 1
    wave = told["size"] * np.sin(told["rate"] * clock[0] + np.arange(len(tasks)))
    for task, place, R, height in zip(tasks, places, rotations, wave, strict=True):
        task.set_target(pin.SE3(R, place + (0.0, 0.0, height)))
    v = pink.solve_ik(
        configuration, [*tasks, posture], told["dt"], "daqp", damping=1e-8, safety_break=False
    )
    configuration.integrate_inplace(v, told["dt"])


def quality() -> dict:
    """How far the frames are from their targets [mm], root mean square."""
    errors = [task.compute_error(configuration)[:3] for task in tasks]
    return {"error_mm": float(1e3 * np.sqrt(np.mean(np.square(errors)) * 3.0))}


serve(tick, quality)
