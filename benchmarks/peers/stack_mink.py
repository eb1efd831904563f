"""Frame tasks on a floating robot with mink: one tick is new targets, one QP, one step."""

import mink
import mujoco
import numpy as np
from serving import problem, serve

told = problem()
model = mujoco.MjModel.from_xml_string(told["mjcf"])
for name, low, high in zip(told["joints"], told["lower"], told["upper"], strict=True):
    joint = model.joint(name).id
    model.jnt_limited[joint], model.jnt_range[joint] = True, (low, high)
configuration = mink.Configuration(model)
start = np.array(told["q"])
start[3:7] = start[[6, 3, 4, 5]]  # MuJoCo's order is wxyz
configuration.update(start)

tasks = [
    mink.FrameTask(frame["joint"], "body", 1.0, 1.0, gain=told["gain"], lm_damping=0.0)
    for frame in told["frames"]
]
posture = mink.PostureTask(model, told["posture"], gain=told["gain"])
posture.set_target(start)
rotations = [mink.SO3.from_matrix(np.array(frame["R"])) for frame in told["frames"]]
places = np.array([frame["p"] for frame in told["frames"]])
speeds = dict(zip(told["joints"], [np.array([s]) for s in told["speed"]], strict=True))
limits = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, speeds)]
clock = [0]


def tick() -> None:
    """New targets, velocities, a step."""
    clock[0] += 1
    wave = told["size"] * np.sin(told["rate"] * clock[0] + np.arange(len(tasks)))
    for task, place, rotation, height in zip(tasks, places, rotations, wave, strict=True):
        target = place + (0.0, 0.0, height)
        task.set_target(mink.SE3.from_rotation_and_translation(rotation, target))
    v = mink.solve_ik(
        configuration, [*tasks, posture], told["dt"], "daqp", damping=1e-8, limits=limits
    )
    configuration.integrate_inplace(v, told["dt"])


def quality() -> dict:
    """How far the frames are from their targets [mm], root mean square."""
    errors = [task.compute_error(configuration)[:3] for task in tasks]
    return {"error_mm": float(1e3 * np.sqrt(np.mean(np.square(errors)) * 3.0))}


serve(tick, quality)
