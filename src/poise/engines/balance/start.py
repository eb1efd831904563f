"""How a robot stands before a scenario begins."""

from __future__ import annotations

import numpy as np

from poise.control.inverse_kinematics import reach
from poise.errors import Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.tasks import CenterOfMass, FrameOrientation, FramePose, Posture, Task

STOP = 0.005  # [rad], how far inside their limits joints are held
CLOSE = 0.01  # [rad], how exactly the knees are bent


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
    """A configuration on both feet, the centre of mass above the point of half-sitting, (nq,).

    Args:
        robot: who stands.
        knee_bend: angle of the knees [rad]; zero takes half-sitting, off its joint stops.

    Raises:
        Infeasible: when no height of the robot bends its knees that much.
    """
    q, leg = np.array(robot.half_sitting), knees(robot)
    wished = off_the_stops(robot, q[BASE_Q:])
    if knee_bend > 0.0:
        wished[leg] = np.copysign(knee_bend, q[BASE_Q + leg])
    elif np.array_equal(wished, q[BASE_Q:]):
        return q
    at = robot.at(q)
    firm = np.full(robot.na, 0.05)
    firm[leg] = 10.0
    exact = [Task(part, FramePose(part, at.pose(part))) for part in robot.feet]
    exact.append(Task("centre of mass", CenterOfMass(at.com, height=False)))
    soft = [
        Task("chest", FrameOrientation("chest", at.rotation("chest").copy()), 1.0),
        Task("posture", Posture(wished, firm), 1.0),
    ]
    found = reach(robot, robot.posture({}, q), soft, exact, tolerance=1e-7)
    joints = off_the_stops(robot, found[BASE_Q:])
    if not np.array_equal(joints, found[BASE_Q:]):
        found[BASE_Q:] = joints
    bend = float(np.abs(joints[leg]).mean())
    if knee_bend > 0.0 and abs(bend - knee_bend) > CLOSE:
        told, nearest = np.rad2deg([knee_bend, bend])
        remedy = f"The nearest that was found is {nearest:.0f} deg."
        raise Infeasible(f"Standing with knees at {told:.0f} deg", ["length of the legs"], remedy)
    return found
