"""A whole plan against crocoddyl: reach with a hand while both feet stand.

Both get the robot, the feet, the point, the duration, friction, joint and torque limits. poise
keeps them as constraints at all times; crocoddyl, as in its own examples of humanoids, pays
penalties at knots of 20 ms. Beside the time of a solve stands by how much the answers break the
joint limits, looked at between the knots, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.bench.dynamics import foot_of
from poise.bench.measure import Absent, Result, compare
from poise.bench.peers import bare_urdf, in_turns
from poise.engines.multicontact import plan, read_scene
from poise.motion import Motion
from poise.robot import Robot, load_robot

PEER, SCENE, DT = "crocoddyl", "reach", 0.02
ROUNDS = 3
BETWEEN = 5  # instants looked at from one row of a motion to the next


def problem_of(robot: Robot) -> dict[str, Any]:
    """What the peer is told about the scene."""
    scene = read_scene(SCENE)
    task, model = scene.tasks[0], robot.model
    link = robot.parts[task.part]
    mine, theirs = (model.frames[model.getFrameId(name)].placement for name in (task.part, link))
    return {
        "urdf": bare_urdf(robot),
        "joints": list(robot.joint_names),
        "q": robot.half_sitting.tolist(),
        "lower": robot.lower.tolist(),
        "upper": robot.upper.tolist(),
        "torque": robot.effort_limit.tolist(),
        "feet": [foot_of(robot, part) for part in robot.feet],
        "hand": {
            "link": link,
            "goal": list(task.position or ()),
            "offset": theirs.actInv(mine).translation.tolist(),
        },
        "friction": 0.6,
        "duration": 1.5,
        "dt": DT,
    }


def run(name: str = "hrp2") -> list[Result | Absent]:
    """Measure on one robot."""
    robot = load_robot(name)
    made: list[Motion] = []
    what = f"whole plan, {SCENE}, {name}"
    times, told, absent = in_turns(
        what,
        problem_of(robot),
        {PEER: f"plan_{PEER}.py"},
        {"poise": lambda: made.append(plan(robot, SCENE))},
        ROUNDS,
        each=1,
        warm=1,
    )
    results: list[Result | Absent] = []
    if PEER in times:
        results.append(compare(what, times["poise"], PEER, times[PEER]))
        mine, theirs = 1e3 * broken(robot, made[-1]), 1e3 * told[PEER]["limits_rad"]
        share = mine / theirs if theirs > 0.0 else float(mine > 0.0)
        label = f"joint limits broken by, {SCENE}, {name}"
        results.append(Result(label, mine, mine, "mrad", PEER, share, 0.0, theirs))
    return [*results, *absent]


def broken(robot: Robot, motion: Motion) -> float:
    """By how much a motion breaks its joint limits, between its rows too [rad]."""
    joints = motion.q[:, 7:]
    shares = np.linspace(0.0, 1.0, BETWEEN)[:, None, None]
    between = (1.0 - shares) * joints[:-1] + shares * joints[1:]
    over = np.maximum(robot.lower - between, between - robot.upper)
    return max(0.0, float(over.max()))
