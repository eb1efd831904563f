"""Arms that keep clear of the body."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.engines.imitate.body_reference import arm_columns
from poise.robot import Robot
from poise.robot.collision import SelfCollision
from poise.robot.robot import BASE_Q

PERIOD = 0.04  # [s] of the recording, how often it is looked at
ROOM = 0.006  # [m], that arms keep from the rest, or what they have in half-sitting
COARSENESS = 0.002  # [m], links that stand closer in half-sitting may come closer by this much


@lru_cache(maxsize=8)
def _watch(robot: Robot) -> tuple[SelfCollision, np.ndarray, np.ndarray]:
    """The watch, which pairs have an arm in them, and what each pair is allowed [m]."""
    watch = SelfCollision(robot)
    model = robot.model
    arms = {robot.model.getJointId(robot.joint_names[k]) for k in arm_columns(robot)}
    with_arm = np.array(
        [
            any(model.frames[robot.frame_id(link)].parentJoint in arms for link in pair)
            for pair in watch.pairs
        ],
        dtype=bool,
    )
    standing = watch.distances(np.array(robot.half_sitting))
    return watch, with_arm, np.minimum(ROOM, standing - COARSENESS)


def arms_clear(robot: Robot, q: np.ndarray, dt: float) -> bool:
    """Whether the arms keep clear of everything in a path of postures.

    Args:
        robot: who.
        q: postures, (n, nq).
        dt: period [s].
    """
    watch, with_arm, allowed = _watch(robot)
    if not with_arm.any():
        return True
    resting = np.array(robot.half_sitting[BASE_Q:])
    arms = arm_columns(robot)
    every = max(int(PERIOD / dt), 1)
    for posture in q[::every]:
        if np.abs(posture[BASE_Q:][arms] - resting[arms]).max() < 1e-3:
            continue
        if (watch.distances(posture) < allowed)[with_arm].any():
            return False
    return True
