"""Arms that keep clear of the body, and legs of each other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.engines.imitate.body_reference import arm_columns
from poise.robot import Robot
from poise.robot.collision import SelfCollision

PERIOD = 0.04  # [s] of the recording, how often it is looked at
ROOM = 0.006  # [m], that arms keep from the rest, or what they have in half-sitting
LEG_ROOM = 0.002  # [m], the same for legs
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
    room = np.where(with_arm, ROOM, LEG_ROOM)
    return watch, with_arm, np.minimum(room, standing - COARSENESS)


def crossed(robot: Robot, q: np.ndarray, dt: float) -> tuple[bool, bool]:
    """Whether arms come too close to anything, and whether legs do, in a path of postures.

    Args:
        robot: who.
        q: postures, (n, nq).
        dt: period [s], of the recording.
    """
    watch, with_arm, allowed = _watch(robot)
    arms = legs = False
    for posture in q[:: max(round(PERIOD / dt), 1)]:
        close = watch.distances(posture) < allowed
        arms |= bool(close[with_arm].any())
        legs |= bool(close[~with_arm].any())
    return arms, legs
