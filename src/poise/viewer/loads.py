"""What a motion asks of its motors and its contacts, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from poise.motion import Motion
from poise.robot import Robot

RECORDED = "recorded"


@dataclass(frozen=True, eq=False)
class Loads:
    """Torques and contact forces over time; arrays have one row per instant."""

    time: np.ndarray  # [s], (n,)
    torques: np.ndarray | None = None  # of the motors [N m], (n, na), joints as the robot has them
    forces: Mapping[str, np.ndarray] = field(default_factory=dict)  # part -> [N, N m], (n, 6)
    source: str = RECORDED  # who says so


def recorded_loads(robot: Robot, motion: Motion) -> Loads:
    """The loads that a motion brings along; its joints in the order of the robot."""
    torques = None if motion.tau is None else motion.tau @ robot.motor_map.T
    return Loads(motion.time, torques, motion.forces)


def motor_of(robot: Robot, joint: str) -> str:
    """The joint whose motor moves a joint: another one, where one motor drives two."""
    return next((c.of for c in robot.couplings if c.joint == joint), joint)


def torque_limit(robot: Robot, joint: str) -> float:
    """What the motor of a joint can give [N m]; NaN where nobody knows."""
    limit = float(robot.effort_limit[robot.index(joint)])
    return limit if limit > 0.0 and np.isfinite(limit) else float("nan")
