"""Inverse kinematics of a whole clip: feet and centre of mass exact, the pelvis as asked.

Per instant, 14 rows have to hold: two foot poses and the ground projection of the centre of mass.
The unknowns are the base's pose and the leg joints. What is left over (the height and the tilts of
the pelvis) follows the person, and gives way where a joint comes to its limit. Every step solves

    minimise  (x - x0)' W (x - x0)   subject to   J x = e

    x = x0 + W^-1 J' (J W^-1 J' + damping)^-1 (e - J x0):

damped least squares with the exact null-space motion, for all instants at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.special import expit

from poise.engines.imitate.limbs import Limbs
from poise.engines.imitate.many_postures import (
    configurations,
    cross,
    rotation_vectors,
    rotations,
    skew,
)
from poise.engines.imitate.rolling_feet import FootPath
from poise.motion.marker_names import SIDES
from poise.robot import Robot
from poise.robot.robot import BASE_Q

ROUNDS = 30
EXACT = 1e-7  # [m, rad], where it stops
SETTLED = 1e-6  # [rad], of the free part
DAMPING = 1e-12
TILT, YAW, HEIGHT, SLIDE, POSTURE = 8.0, 3.0, 5000.0, 1e-2, 1e-3  # weights of the free part
WALL = 60.0  # weight of a joint limit
SOFT = 0.03  # [rad], over which a limit's wall rises
KEPT = 0.05  # [rad], that joints keep from their limits where they can
KEPT_BEND = 0.1  # [rad], of the knees
LONGEST = 0.4  # [rad], of a step


@dataclass(frozen=True, eq=False)
class Postures:
    """A clip of whole-body postures."""

    q: np.ndarray  # (n, nq)
    com: np.ndarray  # [m], (n, 2), as it was wished
    residual: np.ndarray  # (n,), largest error of feet and centre of mass [m, rad / 5]
    rounds: int


@dataclass(frozen=True, eq=False)
class Wish:
    """What a clip of postures should do."""

    feet: dict[str, FootPath]
    com: np.ndarray  # [m], (n, 2)
    R_world_base: np.ndarray  # (n, 3, 3), wished for the base
    base_z: np.ndarray  # [m], (n,)
    angles: np.ndarray  # [rad], (n, na): the upper body exactly, the legs as a preference


class LegKinematics:
    """Solves clips for one robot and one motion of its upper body."""

    def __init__(self, robot: Robot, limbs: Limbs, angles: np.ndarray) -> None:
        """Take the angles of all joints [rad], (n, na); those of the legs do not matter."""
        self.robot, self.limbs = robot, limbs
        joints = limbs.joints
        legs = set(limbs.leg_joints)
        above = [j for j in joints.all if j not in legs]
        self.upper, self.upper_mass = joints.centre(above, angles)
        self.chains = {side: list(limbs.legs[side].chain) for side in SIDES}
        self.columns = [joints.column(j) for side in SIDES for j in self.chains[side]]
        self.low = robot.lower[self.columns] + KEPT
        self.high = robot.upper[self.columns] - KEPT
        for s, side in enumerate(SIDES):  # a straight knee has no way back: it is kept bent
            leg = limbs.legs[side]
            i = s * len(self.chains["left"]) + leg.middle
            least = leg.straight + leg.bends * KEPT_BEND
            if leg.bends > 0.0:
                self.low[i] = max(self.low[i], least)
            else:
                self.high[i] = min(self.high[i], least)
            i += leg.end - leg.middle
            self.low[i] = max(self.low[i], limbs.ankle_range[0])
            self.high[i] = min(self.high[i], limbs.ankle_range[1])
        self.free, self.offset = self._motors()

    def _motors(self) -> tuple[np.ndarray, np.ndarray]:
        """Leg angles from free ones: angles = free @ x + offset; couplings made explicit."""
        count = len(self.columns)
        matrix, offset = np.eye(count), np.zeros(count)
        followers = []
        for c in self.robot.couplings:
            a, b = self.robot.index(c.joint), self.robot.index(c.of)
            if a in self.columns and b in self.columns:
                i, j = self.columns.index(a), self.columns.index(b)
                matrix[i] = 0.0
                matrix[i, j] = c.multiplier
                offset[i] = c.offset
                followers.append(i)
        return np.delete(matrix, followers, axis=1), offset

    def beyond(self, q: np.ndarray) -> float:
        """How far leg joints of postures (n, nq) go over the walls before their limits [rad]."""
        angles = q[:, BASE_Q:][:, self.columns]
        return float(np.maximum(angles - self.high, self.low - angles).max())

    def solve(self, wish: Wish, before: Postures | None = None) -> Postures:
        """Postures that do what is wished, from earlier ones or from half-sitting."""
        robot, n = self.robot, len(wish.com)
        start = self._guess(wish) if before is None else before.q
        p = start[:, :3].copy()
        R = Rotation.from_quat(start[:, 3:BASE_Q]).as_matrix()
        q = start[:, BASE_Q:][:, self.columns].copy()
        preferred = wish.angles[:, self.columns]
        todo = np.arange(n)
        residual = np.full(n, np.inf)
        rounds = 0
        for _ in range(ROUNDS):
            rounds += 1
            view = _View(self, wish, todo, p[todo], R[todo], q[todo])
            residual[todo] = view.residual
            x = view.step(preferred[todo])
            size = np.abs(x[:, 3:]).max(axis=1)
            x *= np.minimum(1.0, LONGEST / np.maximum(size, 1e-12))[:, None]
            done = (view.residual < EXACT) & (size < SETTLED)
            p[todo] += x[:, :3]
            R[todo] = rotations(x[:, 3:6]) @ R[todo]
            q[todo] += x[:, 6:] @ self.free.T
            todo = todo[~done]
            if not len(todo):
                break
        everything = np.arange(n)
        residual = _View(self, wish, everything, p, R, q).residual
        angles = wish.angles.copy()
        angles[:, self.columns] = q
        return Postures(configurations(robot, p, R, angles), wish.com, residual, rounds)

    def base_from_com(self, R_world_base: np.ndarray, before: Postures | None) -> np.ndarray:
        """Way from the centre of mass to the base over the ground [m], (n, 2)."""
        if before is not None:
            return before.q[:, :2] - before.com
        at = self.robot.at(self.robot.half_sitting)
        arm = at.data.oMi[1].rotation.T @ (at.com - at.data.oMi[1].translation)
        return -np.einsum("nij,j->ni", R_world_base, arm)[:, :2]

    def hips_from_base(
        self, R_world_base: np.ndarray, before: Postures | None
    ) -> dict[str, np.ndarray]:
        """Way from the base to each hip, world axes [m], (n, 3)."""
        hips = {}
        at = self.robot.at(self.robot.half_sitting)
        for s, side in enumerate(SIDES):
            leg = self.limbs.legs[side]
            if before is None:
                place = at.data.oMi[1].actInv(at.data.oMi[leg.chain[leg.top]].translation)
                hips[side] = np.einsum("nij,j->ni", R_world_base, place)
                continue
            R = Rotation.from_quat(before.q[:, 3:BASE_Q]).as_matrix()
            begin = s * len(self.chains["left"])
            columns = self.columns[begin : begin + leg.top + 1]
            angles = before.q[:, BASE_Q:][:, columns]
            chain = self.chains[side][: leg.top + 1]
            hips[side] = self.limbs.joints.walk(chain, angles, R, np.zeros((len(R), 3))).p[-1]
        return hips

    def _guess(self, wish: Wish) -> np.ndarray:
        """Half-sitting, carried along."""
        robot, n = self.robot, len(wish.com)
        p = np.zeros((n, 3))
        p[:, :2] = wish.com + self.base_from_com(wish.R_world_base, None)
        p[:, 2] = wish.base_z
        angles = np.tile(np.array(robot.half_sitting[BASE_Q:]), (n, 1))
        return configurations(robot, p, wish.R_world_base, angles)


class _View:
    """Errors and Jacobians at some instants."""

    def __init__(
        self,
        owner: LegKinematics,
        wish: Wish,
        rows: np.ndarray,
        p: np.ndarray,
        R: np.ndarray,
        q: np.ndarray,
    ) -> None:
        self.owner, self.wish, self.rows, self.q, self.R, self.p = owner, wish, rows, q, R, p
        limbs, joints = owner.limbs, owner.limbs.joints
        n, count = len(rows), q.shape[1]
        total = owner.robot.mass
        centre_upper = p + np.einsum("nij,nj->ni", R, owner.upper[rows])
        com = (owner.upper_mass / total) * centre_upper
        J = np.zeros((n, 14, 6 + count))
        e = np.empty((n, 14))
        com_J = np.zeros((n, 3, count))
        begin = 0
        for s, side in enumerate(SIDES):
            chain, foot = owner.chains[side], limbs.feet[side]
            k = len(chain)
            walked = joints.walk(chain, q[:, begin : begin + k], R, p)
            foot_R = walked.R[-1] @ foot.R
            foot_p = walked.p[-1] + walked.R[-1] @ foot.p
            path = wish.feet[side]
            row = 6 * s
            e[:, row : row + 3] = path.p[rows] - foot_p
            e[:, row + 3 : row + 6] = rotation_vectors(path.R[rows] @ foot_R.transpose(0, 2, 1))
            J[:, row : row + 3, :3] = np.eye(3)
            J[:, row : row + 3, 3:6] = -skew(foot_p - p)
            J[:, row + 3 : row + 6, 3:6] = np.eye(3)
            mass, moment = 0.0, np.zeros((n, 3))
            for i in reversed(range(k)):
                joint = chain[i]
                body = walked.p[i] + walked.R[i] @ joints.lever[joint]
                mass += float(joints.mass[joint])
                moment = moment + joints.mass[joint] * body
                column = begin + i
                axis = walked.axes[i]
                J[:, row : row + 3, 6 + column] = cross(axis, foot_p - walked.p[i])
                J[:, row + 3 : row + 6, 6 + column] = axis
                com_J[:, :, column] = cross(axis, moment - mass * walked.p[i]) / total
            com = com + moment / total
            begin += k
        J[:, 12, 0] = J[:, 13, 1] = 1.0
        J[:, 12:14, 3:6] = -skew(com - p)[:, :2]
        J[:, 12:14, 6:] = com_J[:, :2]
        e[:, 12:14] = wish.com[rows] - com[:, :2]
        self.J, self.e = J, e
        linear = np.abs(e[:, [0, 1, 2, 6, 7, 8, 12, 13]]).max(axis=1)
        angular = np.abs(e[:, [3, 4, 5, 9, 10, 11]]).max(axis=1)
        self.residual = np.maximum(linear, 0.2 * angular)  # 0.2 m/rad makes both comparable

    def step(self, preferred: np.ndarray) -> np.ndarray:
        """Displacement of base and free leg joints, (n, 6 + free)."""
        owner, wish, rows = self.owner, self.wish, self.rows
        n, free = len(rows), owner.free.shape[1]
        weight = np.empty((n, 6 + free))
        pull = np.zeros((n, 6 + free))
        weight[:, :2], weight[:, 2], weight[:, 3:5], weight[:, 5] = SLIDE, HEIGHT, TILT, YAW
        pull[:, 2] = HEIGHT * (wish.base_z[rows] - self.p[:, 2])
        turn = rotation_vectors(wish.R_world_base[rows] @ self.R.transpose(0, 2, 1))
        pull[:, 3:6] = weight[:, 3:6] * turn
        wall, push = _walls(self.q, owner.low, owner.high)
        weight[:, 6:] = (POSTURE + wall) @ (owner.free**2)
        pull[:, 6:] = (POSTURE * (preferred - self.q) + push) @ owner.free
        A = np.concatenate([self.J[:, :, :6], self.J[:, :, 6:] @ owner.free], axis=2)
        first = pull / weight
        AW = A / weight[:, None, :]
        M = AW @ A.transpose(0, 2, 1)
        scale = np.trace(M, axis1=1, axis2=2)[:, None, None] / 14.0
        M += DAMPING * scale * np.eye(14)
        rest = self.e - np.einsum("nij,nj->ni", A, first)
        forces = np.linalg.solve(M, rest[:, :, None])
        return first + np.einsum("nij,ni->nj", AW, forces[:, :, 0])


def _walls(q: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and push of soft walls at the joint limits, (n, joints) each.

    They rise smoothly, so that what is solved is a smooth function of time.
    """
    over, under = (q - high) / SOFT, (low - q) / SOFT
    near_high, near_low = expit(over), expit(under)
    push = WALL * SOFT * (np.logaddexp(0.0, under) - np.logaddexp(0.0, over))
    return WALL * (near_high + near_low), push
