"""What a path of postures asks of the ground: wrenches and the ZMP, inertia apart from weight.

Played k times slower, a path keeps its geometry; all that inertia asks shrinks by k squared. So
both parts are computed once, and any speed follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

from poise.compiled import compiled
from poise.contacts import zmp
from poise.engines.imitate.clip_dynamics import BodyTables, body_tables, clip_dynamics
from poise.engines.imitate.limbs import Limbs, limbs_of
from poise.engines.imitate.many_postures import cross
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.tasks.rotations import rotation_vector


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
    R = Rotation.from_quat(q[:, 3:BASE_Q]).as_matrix()
    n = len(q)
    v, a = np.zeros((n, robot.nv)), np.zeros((n, robot.nv))
    _differentiate(q, R, dt, v, a)
    wrench, torques, com = np.empty((n, 6)), np.empty((n, robot.na)), np.empty((n, 3))
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
    v, a = np.zeros((len(q), q.shape[1] - 1)), np.zeros((len(q), q.shape[1] - 1))
    _differentiate(q, Rotation.from_quat(q[:, 3:BASE_Q]).as_matrix(), dt, v, a)
    return v, a


@compiled
def _differentiate(q: np.ndarray, R: np.ndarray, dt: float, v: np.ndarray, a: np.ndarray) -> None:
    """Write velocities and accelerations of the inner instants of a path.

    Args:
        q: postures, (n, nq).
        R: orientations of the base, (n, 3, 3).
        dt: [s].
        v: written, base axes, (n, nv).
        a: written, base axes, (n, nv).
    """
    turn, after, before = np.empty((3, 3)), np.empty(3), np.empty(3)
    for row in range(1, q.shape[0] - 1):
        now = R[row]
        for step in range(2):
            there = R[row + 1 - 2 * step]
            for i in range(3):
                for j in range(3):
                    turn[i, j] = 0.0
                    for k in range(3):
                        turn[i, j] += now[k, i] * there[k, j]
            rotation_vector(turn, before if step else after)
        for i in range(3):
            v[row, 3 + i] = (after[i] - before[i]) / (2.0 * dt)
            a[row, 3 + i] = (after[i] + before[i]) / dt**2
            for k in range(3):
                ahead, behind = q[row + 1, k] - q[row, k], q[row - 1, k] - q[row, k]
                v[row, i] += now[k, i] * (ahead - behind) / (2.0 * dt)
                a[row, i] += now[k, i] * (ahead + behind) / dt**2
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            a[row, i] -= v[row, 3 + j] * v[row, k] - v[row, 3 + k] * v[row, j]
        for k in range(BASE_Q, q.shape[1]):
            v[row, k - 1] = (q[row + 1, k] - q[row - 1, k]) / (2.0 * dt)
            a[row, k - 1] = (q[row + 1, k] - 2.0 * q[row, k] + q[row - 1, k]) / dt**2
