"""Where the pressure points of a sole lie."""

from __future__ import annotations

import numpy as np

from poise.robot.parts import Sensor
from poise.robot.robot import Robot


def points_in_part(robot: Robot, sensor: Sensor) -> np.ndarray:
    """The points of a sensor in the frame of the part it measures [m], (k, 3)."""
    frames = robot.model.frames
    T_joint_link = frames[robot.frame_id(sensor.link)].placement
    T_joint_part = frames[robot.frame_id(sensor.part)].placement
    T_part_link = T_joint_part.inverse() * T_joint_link
    return sensor.points @ T_part_link.rotation.T + T_part_link.translation
