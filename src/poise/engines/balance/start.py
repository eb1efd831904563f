"""How a robot stands before a scenario begins."""

from __future__ import annotations

import numpy as np

from poise.control.inverse_kinematics import reach
from poise.errors import Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.tasks import CenterOfMass, FrameOrientation, FramePose, Posture, Task

STOP = 0.005  # [rad], how far inside their limits joints are held
CLOSE = 0.002  # [rad], how exactly the knees are bent


def off_the_stops(robot: Robot, joints: np.ndarray) -> np.ndarray:
    """Joint angles a little inside their limits, where servos that sag do not touch them."""
    room = np.minimum(STOP, 0.25 * (robot.upper - robot.lower))
    return np.clip(joints, robot.lower + room, robot.upper - room)


def knees(robot: Robot) -> np.ndarray:
    """The joint of each leg that half-sitting bends most, positions in `joint_names`."""
    bent = np.abs(robot.half_sitting[BASE_Q:])
    legs = [robot.indices("left_leg"), robot.indices("right_leg")]
    return np.array([leg[int(bent[leg].argmax())] for leg in legs])


def standing_posture(robot: Robot, knee_bend: float = 0.0) -> np.ndarray:
    """A configuration on both feet, the centre of mass where half-sitting has it, (nq,).

    Args:
        robot: who stands.
        knee_bend: angle of the knees [rad]; zero takes half-sitting as it is.

    Raises:
        Infeasible: when no height of the robot bends its knees that much.
    """
    q = np.array(robot.half_sitting)
    at = robot.at(q)
    com, leg = at.com, knees(robot)
    feet = [Task(part, FramePose(part, at.pose(part))) for part in robot.feet]
    body = [
        Task("chest", FrameOrientation("chest", at.rotation("chest").copy()), 1.0),
        Task("posture", Posture(q[BASE_Q:]), 1e-4),
    ]
    if knee_bend <= 0.0:
        inside = off_the_stops(robot, q[BASE_Q:])
        if np.array_equal(inside, q[BASE_Q:]):
            return q
        q[BASE_Q:] = inside
        posture = [Task("posture", Posture(inside), 1.0)]
        where = Task("centre of mass", CenterOfMass(com))
        return reach(robot, q, posture, [*feet, where], tolerance=1e-9)
    low, high = 0.75 * com[2], 1.12 * com[2]
    best = q
    for _ in range(16):
        height = 0.5 * (low + high)
        wish = Task("centre of mass", CenterOfMass(np.array([com[0], com[1], height])))
        try:
            best = reach(robot, best, body, [*feet, wish], tolerance=1e-6, iterations=60)
        except Infeasible:  # taller than the legs are long
            high = height
            continue
        bend = float(np.abs(best[BASE_Q + leg]).mean())
        if abs(bend - knee_bend) < CLOSE:
            return best
        low, high = (height, high) if bend > knee_bend else (low, height)
    bend = float(np.abs(best[BASE_Q + leg]).mean())
    if abs(bend - knee_bend) < 5.0 * CLOSE:
        return best
    wished, found = np.rad2deg([knee_bend, bend])
    remedy = f"The nearest that was found is {found:.0f} deg."
    raise Infeasible(f"Standing with knees at {wished:.0f} deg", ["length of the legs"], remedy)
