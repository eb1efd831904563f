"""What a path of postures asks of the ground: wrenches and the ZMP, inertia apart from weight.

Played k times slower, a path keeps its geometry; all that inertia asks shrinks by k squared. So
both parts are computed once, and any speed follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

from poise.contacts import zmp
from poise.engines.imitate.clip_dynamics import BodyTables, body_tables, clip_dynamics
from poise.engines.imitate.limbs import Limbs, limbs_of
from poise.engines.imitate.many_postures import cross
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V


@dataclass(frozen=True, eq=False)
class Demand:
    """Wrenches about the world's origin that the ground has to give, (n, 6)."""

    weight: np.ndarray  # at rest in every posture
    inertia: np.ndarray  # what moving adds
    v: np.ndarray  # (n, nv)
    torques: np.ndarray  # [N m], (n, na), of the joints with the contacts left out

    def zmp(self, slower: float = 1.0) -> np.ndarray:
        """On the floor, if the path is played so many times slower [m], (n, 2)."""
        wrench = self.weight + self.inertia / slower**2
        return zmp(wrench[:, :3], wrench[:, 3:])


def demand(robot: Robot, q: np.ndarray, dt: float) -> Demand:
    """Wrenches of a path sampled every dt [s]."""
    v, a = derivatives(q, dt)
    n = len(q)
    wrench, torques, com = np.empty((n, 6)), np.empty((n, robot.na)), np.empty((n, 3))
    R = Rotation.from_quat(q[:, 3:BASE_Q]).as_matrix()
    clip_dynamics(_bodies(robot), q, R, v, a, wrench, torques, com)
    weight = np.zeros((n, 6))
    weight[:, 2] = robot.weight
    weight[:, 3:] = cross(com, weight[:, :3])
    return Demand(weight, wrench - weight, v, torques)


@lru_cache(maxsize=32)
def _bodies(robot: Robot) -> BodyTables:
    return body_tables(limbs_of(robot).joints)


def standing_leg_torques(
    robot: Robot, limbs: Limbs, q: np.ndarray, asked: Demand, stands: dict[str, np.ndarray]
) -> np.ndarray:
    """Motor torques while one leg carries everything [N m], (n, na); others without contacts.

    Args:
        robot: who.
        limbs: its limbs.
        q: postures, (n, nq).
        asked: of the path.
        stands: by side, whether that leg alone carries, (n,).
    """
    torques = asked.torques.copy()
    wrench = asked.weight + asked.inertia
    R = Rotation.from_quat(q[:, 3:BASE_Q]).as_matrix()
    for side, rows in stands.items():
        chain = list(limbs.legs[side].chain)
        columns = [limbs.joints.column(j) for j in chain]
        walked = limbs.joints.walk(chain, q[rows][:, BASE_Q:][:, columns], R[rows], q[rows, :3])
        force, moment = wrench[rows, :3], wrench[rows, 3:]
        for i, column in enumerate(columns):
            about = moment - cross(walked.p[i], force)
            torques[rows, column] -= (walked.axes[i] * about).sum(axis=1)
    return torques @ robot.motor_map.T


def derivatives(q: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and acceleration of a path by central differences, base axes, (n, nv) each.

    The first and the last instant are at rest.
    """
    n = len(q)
    v, a = np.zeros((n, q.shape[1] - 1)), np.zeros((n, q.shape[1] - 1))
    if n < 3:
        return v, a
    turn = Rotation.from_quat(q[:, 3:BASE_Q])
    back = turn[1:-1].inv()
    after, before = np.empty((n - 2, v.shape[1])), np.empty((n - 2, v.shape[1]))
    for away, row in ((after, slice(2, n)), (before, slice(0, n - 2))):
        away[:, :3] = q[row, :3] - q[1:-1, :3]
        away[:, 3:BASE_V] = (back * turn[row]).as_rotvec()
        away[:, BASE_V:] = q[row, BASE_Q:] - q[1:-1, BASE_Q:]
    v[1:-1] = (after - before) / (2.0 * dt)
    a[1:-1] = (after + before) / dt**2
    v[1:-1, :3] = back.apply(v[1:-1, :3])
    a[1:-1, :3] = back.apply(a[1:-1, :3]) - cross(v[1:-1, 3:6], v[1:-1, :3])
    return v, a
