"""Whose motion a file holds, when nobody says: by names, by number of joints, by kinematics."""

from __future__ import annotations

import numpy as np

from poise.errors import PoiseError, listed
from poise.io.detective import MOST_CERTAIN, investigate
from poise.io.dialects import naoqi_json, ros2_mcap
from poise.io.dialects.dialect import Dialect
from poise.io.source import Source, bad
from poise.robot import Robot, load_robot, robot_names


def likeliest_robot(source: Source, dialect: Dialect | None) -> tuple[Robot, float, str]:
    """The robot a file fits best, how sure that is (0 to 1), and why.

    Args:
        source: the file.
        dialect: its dialect, where that was said.
    """
    told = robot_told(source, dialect)
    if told is not None and told in robot_names():
        return load_robot(told), MOST_CERTAIN, f"the file is of {told}"
    fits: list[tuple[float, Robot]] = []  # cost, robot
    reason = ""
    for name in robot_names():
        try:
            robot = load_robot(name)
            fits.append((_cost(source, robot, dialect), robot))
        except PoiseError as error:
            reason = str(error)
    known = listed(robot_names()) or "none is installed"
    if not fits:
        hint = f"; for the last of them: {reason}" if len(robot_names()) == 1 else ""
        found = f"not told, and none that is known fits{hint}"
        raise bad(source.path, "the robot", found, f"robot= one of {known}")
    fits.sort(key=lambda fit: fit[0])
    costs = np.array([cost for cost, _ in fits])
    chances = np.exp(costs.min() - costs)
    chance = min(float(chances[0] / chances.sum()), MOST_CERTAIN)
    best = fits[0][1]
    others = ", ".join(robot.name for _, robot in fits[1:])
    words = f"the robot was not told: {best.name} fits best ({100 * chance:.3g} % sure"
    words += f"; also possible: {others})" if others else "; no other known robot fits)"
    return best, chance, words


def robot_told(source: Source, dialect: Dialect | None) -> str | None:
    """The robot that a file names itself, if it does."""
    name = dialect.name if dialect is not None else None
    if name == ros2_mcap.NAME:
        return ros2_mcap.robot_of(source)
    if name == naoqi_json.NAME:
        return naoqi_json.robot_of(source)
    return None


def _cost(source: Source, robot: Robot, dialect: Dialect | None) -> float:
    """What speaks against this robot; a PoiseError when it cannot be this one."""
    finding = investigate(source, robot, dialect)
    if finding.rows is not None:
        return finding.cost
    name = finding.verdict.dialect
    if name == naoqi_json.NAME:  # joints may be left out: the more of them, the likelier
        return 10.0 * (1.0 - naoqi_json.share_of_joints(source, robot))
    if name == ros2_mcap.NAME:
        ros2_mcap.check_joints(source, robot)
    return 0.0
