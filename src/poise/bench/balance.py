"""One tick of the balance controller against the bare Pinocchio calls in it.

The tick is a whole one: soles, ZMP, feedback, two strict levels and comfort on a standing robot;
then the same with both hands and the gaze between balance and comfort.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from poise.bench.measure import Result, compare, side_by_side
from poise.engines.balance import BalanceController
from poise.motion import Observation
from poise.robot import Robot, load_robot
from poise.tasks import AxisParallel, FramePosition, Task


def observation(robot: Robot, joints: np.ndarray) -> Observation:
    """What a robot that stands still feels."""
    still, nothing = np.zeros(robot.na), np.zeros(3)
    load = np.array([0.0, 0.0, 0.5 * robot.weight, 0.0, -0.01 * robot.weight, 0.0])
    return Observation(
        0.0,
        joints.copy(),
        still,
        still,
        np.array([0.0, 0.0, 0.0, 1.0]),
        nothing,
        np.array([0.0, 0.0, 9.81]),
        wrenches={part: load for part in robot.feet},
        pressures={part: np.full(4, robot.weight / 8.0) for part in robot.feet},
    )


def run(name: str = "hoap3") -> list[Result]:
    """Measure on one robot."""
    robot = load_robot(name)
    plain, busy = BalanceController(robot), BalanceController(robot)
    at = busy.rooted.at
    ahead = np.array([1.0, 0.0, 0.0])
    hands = [h for h in ("left_hand", "right_hand") if h in robot.parts]
    busy.extra = [[Task(h, FramePosition(h, at.position(h).copy()), 1.0, 5.0)] for h in hands]
    gaze = AxisParallel("head", at.rotation("head").T @ ahead, ahead)
    busy.extra.append([Task("gaze", gaze, 1.0, 5.0)])
    seen = observation(robot, plain.joints)
    model, data, q = robot.model, robot.model.createData(), robot.half_sitting.copy()
    rest, feet = np.zeros(robot.nv), [robot.frame_id(part) for part in robot.feet]

    def bare() -> None:
        pin.forwardKinematics(model, data, q)
        pin.ccrba(model, data, q, rest)
        pin.updateFramePlacements(model, data)
        for frame in feet:
            pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        pin.centerOfMass(model, data, q, False)

    times = side_by_side(
        {
            "bare": bare,
            "plain": lambda: plain.command(replace(seen, joints=plain.joints)),
            "busy": lambda: busy.command(replace(seen, joints=busy.joints)),
        }
    )
    peer = "the Pinocchio calls in it"
    return [
        compare(f"balance tick, {name}", times["plain"], peer, times["bare"]),
        compare(f"balance tick with hands and gaze, {name}", times["busy"], peer, times["bare"]),
    ]
