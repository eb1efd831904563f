"""How far a robot can turn one foot against the other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.engines.imitate.leg_kinematics import LegKinematics, Wish
from poise.engines.imitate.limbs import Limbs
from poise.engines.imitate.marionette import foot_rotations
from poise.engines.imitate.rolling_feet import FootPath
from poise.robot import Robot
from poise.robot.robot import BASE_Q

FURTHEST = np.deg2rad(40.0)  # [rad], as far as a person turns in a step
STEP = np.deg2rad(2.5)
APART = 1.25  # times the standing width, at which it is tried
EXACT = 1e-5  # [m]


@lru_cache(maxsize=32)
def hip_turns(robot: Robot, limbs: Limbs) -> tuple[float, float]:
    """Largest turns of a foot inwards and outwards [rad], standing, all joints within limits."""
    at = robot.at(robot.half_sitting)
    turns = np.arange(-FURTHEST, FURTHEST + 1e-9, STEP)
    n = len(turns)
    feet = {}
    for side, share in (("left", 0.5), ("right", -0.5)):
        yaw = share * turns
        place = np.column_stack([np.zeros(n), np.zeros(n), yaw])
        p = np.tile(APART * at.position(limbs.feet[side].part), (n, 1))
        p[:, 0], p[:, 2] = 0.0, 0.0
        feet[side] = FootPath(
            foot_rotations(yaw, np.zeros(n)), p, place, np.zeros(n), np.zeros(n), ()
        )
    angles = np.tile(np.array(robot.half_sitting[BASE_Q:]), (n, 1))
    solver = LegKinematics(robot, limbs, angles)
    upright = np.tile(at.data.oMi[1].rotation, (n, 1, 1))
    com = np.tile(np.array([float(at.com[0]), 0.0]), (n, 1))
    height = np.full(n, float(robot.half_sitting[2]) - 0.05 * limbs.leg_length)
    found = solver.solve(Wish(feet, com, upright, height, angles))
    good = found.residual < EXACT
    good &= np.array([solver.beyond(q[None]) < 0.0 for q in found.q])
    middle = int(np.argmin(np.abs(turns)))
    inward = outward = 0.0
    for k in range(middle, -1, -1):
        if not good[k]:
            break
        inward = -float(turns[k])
    for k in range(middle, n):
        if not good[k]:
            break
        outward = float(turns[k])
    return 0.6 * inward, 0.9 * outward  # inwards the other foot is in the way before long
