"""Imitate: a whole clip against a retargeter that solves two stages of QPs frame by frame.

The peer stands for general motion retargeting: per frame, first feet and pelvis, then the whole
body with the same targets, each by repeated velocity QPs (Pinocchio and DAQP here, where such tools
use MuJoCo and DAQP), from the frame before, until the step is small or ten are done. It has no
dynamics; poise's time includes the marionette, the steps, the search for a speed, the inverse
kinematics and every pass of the dynamics filter.
"""

from __future__ import annotations

from time import process_time

import numpy as np
import pinocchio as pin

from poise.bench.measure import Result
from poise.control.inverse_kinematics import InverseKinematics, KinematicsOptions
from poise.engines.imitate import ImitateOptions, human
from poise.engines.imitate.engine import Plan, plan
from poise.examples import synthetic_trial
from poise.robot import load_robot
from poise.tasks import CenterOfMass, FrameOrientation, FramePose, Posture, Task

FRAMES = 60  # of the clip, that the peer solves
STEPS = 10  # of a stage, at most
SMALL = 1e-3  # [rad], where a stage ends
PROMISED = 0.2  # of the peer's time per frame


def run(name: str = "hrp2") -> list[Result]:
    """Measure one robot on the synthetic trial."""
    robot = load_robot(name)
    trial = synthetic_trial()
    person = human(trial.walk, trial.static)
    options = ImitateOptions(rate=trial.walk.rate)
    made = plan(robot, person, options)
    times = []
    for _ in range(3):
        start = process_time()
        made = plan(robot, person, options)
        times.append((process_time() - start) / len(made.time))
    start = process_time()
    made.draft.solve(made.com)
    alone = (process_time() - start) / len(made.time)
    peer = _two_stages(made)
    mine = np.array(times) * 1e6
    return [
        Result(
            f"whole clip, per frame, {name}",
            float(np.median(mine)),
            float(mine.max()),
            "us",
            "two stages of QPs a frame",
            float(np.median(mine) / np.median(peer)),
            PROMISED,
        ),
        Result(
            f"inverse kinematics, per frame, {name}",
            1e6 * alone,
            1e6 * alone,
            "us",
            "two stages of QPs a frame",
            float(1e6 * alone / np.median(peer)),
        ),
    ]


def _two_stages(made: Plan) -> np.ndarray:
    """Times of the peer for some frames [us]."""
    draft = made.draft
    robot = draft.robot
    solver = InverseKinematics(robot, KinematicsOptions(dt=1.0))
    rows = np.linspace(0, len(draft.time) - 1, FRAMES).astype(int)
    at = robot.at(made.postures.q[rows[0]])
    q = made.postures.q[rows[0]].copy()
    still = np.zeros(robot.nv)
    times = []
    for row in rows:
        feet = [
            Task(
                draft.limbs.feet[side].part,
                FramePose(draft.limbs.feet[side].part, pin.SE3(path.R[row], path.p[row])),
                100.0,
                1.0,
            )
            for side, path in draft.feet.items()
        ]
        base = FrameOrientation("base", robot.at(made.postures.q[row]).rotation("base").copy())
        goal = np.array([*made.com[row], robot.at(made.postures.q[row]).com[2]])
        first = [*feet, Task("pelvis", base, 10.0, 1.0)]
        posture = Task("posture", Posture(draft.body.angles[row]), 0.1, 1.0)
        second = [*first, Task("com", CenterOfMass(goal), 100.0, 1.0), posture]
        start = process_time()
        for tasks in (first, second):
            for _ in range(STEPS):
                step = solver.solve(at, tasks)
                q = robot.coupled(pin.integrate(robot.model, q, step))
                at.refresh(q, still)
                if np.abs(step).max() < SMALL:
                    break
        times.append(1e6 * (process_time() - start))
    return np.array(times)
