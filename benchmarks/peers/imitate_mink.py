"""A retargeter in the manner of GMR on mink: two stages of QPs a frame, each from the last posture.

The first stage turns the bodies as wished and puts pelvis and feet in their places; the second one
also places all the others. A stage is repeated until its error falls no more, ten times at most.
"""

import mink
import mujoco
import numpy as np
from serving import problem, serve

MOST, ENOUGH, DAMPING = 10, 1e-3, 0.5  # repetitions, fall of the error, as GMR has them
told = problem()
model = mujoco.MjModel.from_xml_string(told["mjcf"])
for name, low, high in zip(told["joints"], told["lower"], told["upper"], strict=True):
    joint = model.joint(name).id
    model.jnt_limited[joint], model.jnt_range[joint] = True, (low, high)
configuration = mink.Configuration(model)
start = np.array(told["q"])
start[3:7] = start[[6, 3, 4, 5]]  # MuJoCo's order is wxyz
limits = [mink.ConfigurationLimit(model)]


def tasks_of(stage: int) -> list[mink.FrameTask]:
    """A frame task for each body, with the costs of a stage."""
    return [
        mink.FrameTask(body["joint"], "body", body["place"][stage], body["turn"][stage])
        for body in told["bodies"]
    ]


stages = [tasks_of(0), tasks_of(1)]
targets = [[mink.SE3(np.array(wxyz_xyz)) for wxyz_xyz in frame] for frame in told["targets"]]
clock = [0]


def error(tasks: list[mink.FrameTask]) -> float:
    """What is left of all tasks."""
    return float(np.linalg.norm([task.compute_error(configuration) for task in tasks]))


def one_frame() -> None:
    """Both stages on the next frame of the clip; at its end it begins again."""
    row = clock[0] % len(targets)
    clock[0] += 1
    if row == 0:
        configuration.update(start)
    for tasks in stages:
        for task, target in zip(tasks, targets[row], strict=True):
            task.set_target(target)
        before = np.inf
        for _ in range(MOST):
            v = mink.solve_ik(
                configuration, tasks, 1.0, "daqp", damping=DAMPING * 1e-3, limits=limits
            )
            configuration.integrate_inplace(v, 1.0)
            now = error(tasks)
            if before - now < ENOUGH:
                break
            before = now


def tick() -> None:
    """As many frames as were told."""
    for _ in range(told["at_once"]):
        one_frame()


def quality() -> dict:
    """How far the bodies are from their places in the last frame [mm], root mean square."""
    errors = [task.compute_error(configuration)[:3] for task in stages[1]]
    return {"error_mm": float(1e3 * np.sqrt(np.mean(np.square(errors)) * 3.0))}


serve(tick, quality)
