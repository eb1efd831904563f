"""Move the whole body a little away from a reference: centre of mass, feet, nothing else.

The base and the legs do it; arms, trunk and head keep their joints. One Newton step an instant
is enough, because the wish changes little from one to the next and the last answer is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, cos, sin, sqrt

import numpy as np
import pinocchio as pin
from scipy.linalg.lapack import dposv

from poise.compiled import compiled
from poise.robot import Robot
from poise.robot.frames import FrameTables, frame_tables, write_jacobian
from poise.robot.robot import BASE_Q, BASE_V
from poise.tasks.rotations import rotation_vector
from poise.walking.legs import knee_of

DAMPING = 1e-6  # on the step; a leg that is nearly straight then gives up a millimetre
FOOT_TURN, TRUNK_TURN, TRUNK_YAW = 0.3, 0.2, 0.02  # [m], what a radian counts for
HEIGHT = 0.1  # of what the mass counts for over the ground: where a leg is too short, it comes down
KNEE = 0.4  # [m/rad], what a radian counts for, for each radian that a knee is too straight
BENT = 0.2  # [rad], below this a knee that is straighter than it was meant holds
LONGEST = 0.05  # [rad], of a joint in one step: near a straight leg nothing is to leap
LIMIT_MARGIN = 1e-3  # [rad]


@dataclass(frozen=True, eq=False)
class FootShift:
    """How a foot is to be off its reference: turned in its own axes, lifted along the vertical."""

    turn: tuple[float, float] | np.ndarray  # roll and pitch [rad]
    lift: float = 0.0  # [m]


class BodyShift:
    """Solves for a whole-body posture near a reference."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        legs = [*robot.indices("left_leg"), *robot.indices("right_leg")]
        columns = np.zeros((robot.nv, BASE_V + len(legs)))
        columns[:BASE_V, :BASE_V] = np.eye(BASE_V)
        for k, joint in enumerate(legs):
            columns[BASE_V + joint, BASE_V + k] = 1.0
        for c in robot.couplings:  # the joint that follows moves with the one that leads
            columns[BASE_V + robot.index(c.joint)] = (
                c.multiplier * columns[BASE_V + robot.index(c.of)]
            )
        self._columns = columns[:, np.abs(columns).sum(axis=0) > 0.0]
        self._frames = [robot.frame_id(part) for part in robot.feet]
        self._here, self._there = robot.model.createData(), robot.model.createData()
        foot = [1.0] * 3 + [FOOT_TURN] * 3
        trunk = [TRUNK_TURN, TRUNK_TURN, TRUNK_YAW]
        knees = [knee_of(robot, group) for group in ("left_leg", "right_leg")]
        weights = [*foot * len(self._frames), 1.0, 1.0, HEIGHT, *trunk, *(0.0 for _ in knees)]
        self._weights = np.array(weights)
        self._weight_column = self._weights[:, None]
        self._J = np.zeros((len(weights), robot.nv))
        self._error = np.zeros(len(weights))
        self._knees = np.array([knee.joint for knee in knees])
        self._bending = np.array([knee.sign for knee in knees])
        self._straight = np.array([knee.straight for knee in knees])
        self._J[range(-len(knees), 0), BASE_V + self._knees] = self._bending
        self._tables_here = frame_tables(robot.carriers, self._here)
        self._tables_there = frame_tables(robot.carriers, self._there)
        self._com_here, self._com_there = self._here.com[0], self._there.com[0]
        self._feet, self._shifts = np.array(self._frames), np.zeros((len(self._frames), 3))
        self._R_base = self._there.oMi[1].rotation  # a view, it follows every answer
        self._low = robot.lower + LIMIT_MARGIN
        self._high = robot.upper - LIMIT_MARGIN
        self.reset()

    def reset(self) -> None:
        """Forget the last answer."""
        self._delta = np.zeros(self.robot.nv)
        pin.forwardKinematics(self.robot.model, self._there, self.robot.half_sitting)

    def place(self, frame: str) -> np.ndarray:
        """Where a frame is in the last answer [m], (3,)."""
        index = self.robot.frame_id(frame)
        return pin.updateFramePlacement(self.robot.model, self._there, index).translation

    def rotation(self, part: str) -> np.ndarray:
        """How a foot is turned in the last answer, R_world_foot."""
        return self._there.oMf[self.robot.frame_id(part)].rotation

    def tilt(self) -> tuple[float, float]:
        """Roll and pitch of the base in the last answer [rad]."""
        x, y, z = self._R_base[2].tolist()
        return atan2(y, z), atan2(-x, z)

    def forces(self, q: np.ndarray, v: np.ndarray, a: np.ndarray | None) -> np.ndarray:
        """Generalised forces of a motion, or those that hold the weight at rest, (nv,)."""
        model, data = self.robot.model, self._here
        if a is None:
            return pin.computeGeneralizedGravity(model, data, q).copy()
        return pin.rnea(model, data, q, v, a).copy()

    def base_force(self, forces: np.ndarray) -> np.ndarray:
        """Force of all contacts together in world axes [N], (3,), from generalised forces."""
        return self._R_base @ forces[:3]

    def foot_jacobian(self, part: str) -> np.ndarray:
        """Jacobian of a foot in the last answer, world axes, linear rows first, (6, nv)."""
        k = self.robot.feet.index(part)
        return self._J[6 * k : 6 * k + 6]

    def solve(self, q: np.ndarray, com: np.ndarray, feet: Mapping[str, FootShift]) -> np.ndarray:
        """The configuration that is off the reference as wished, (nq,).

        Args:
            q: reference configuration.
            com: by how much the centre of mass is to be off [m], (3,).
            feet: how the feet are to be off; a foot that is not there stays.
        """
        model, here, there = self.robot.model, self._here, self._there
        J, error, shifts = self._J, self._error, self._shifts
        pin.centerOfMass(model, here, q, False)
        moved = pin.integrate(model, q, self._delta)
        J_com = pin.jacobianCenterOfMass(model, there, moved, False)
        shifts.fill(0.0)
        for k, (part, frame) in enumerate(zip(self.robot.feet, self._frames, strict=True)):
            pin.updateFramePlacement(model, here, frame)
            pin.updateFramePlacement(model, there, frame)
            if part in feet:
                shifts[k] = (*feet[part].turn, feet[part].lift)
        off = self._com_here - self._com_there
        off += com
        self._keep_bent(q, moved)
        _picture(
            self._tables_here, self._tables_there, self._feet, shifts, off, J_com,
            self._weights, J, error,
        )  # fmt: skip
        A = (self._weight_column * J) @ self._columns
        H = A.T @ A
        H.ravel()[:: len(H) + 1] += DAMPING
        _, x, info = dposv(H, error @ A, overwrite_a=1, overwrite_b=1)
        if info == 0:
            x *= min(1.0, LONGEST / max(float(np.abs(x[BASE_V:]).max()), LONGEST))
            moved = pin.integrate(model, moved, self._columns @ x)
        joints = moved[BASE_Q:]
        np.minimum(np.maximum(joints, self._low, out=joints), self._high, out=joints)
        self._delta = pin.difference(model, q, moved)
        return moved

    def _keep_bent(self, q: np.ndarray, moved: np.ndarray) -> None:
        """Let a knee that is straighter than it was meant, and nearly straight, hold the more."""
        knees, n = BASE_Q + self._knees, len(self._knees)
        meant = self._bending * (q[knees] - self._straight)
        bend = self._bending * (moved[knees] - self._straight)
        lacking = np.maximum(np.minimum(meant, BENT) - bend, 0.0)
        # a residual that grows with the square of what is lacking: a Newton step meets half of it
        self._weights[-n:] = KNEE * lacking
        self._error[-n:] = 0.5 * lacking


@compiled
def _picture(
    here: FrameTables,
    there: FrameTables,
    frames: np.ndarray,
    shifts: np.ndarray,
    com: np.ndarray,
    J_com: np.ndarray,
    weights: np.ndarray,
    J: np.ndarray,
    error: np.ndarray,
) -> None:
    """Errors and Jacobian of feet, mass and trunk; the errors weighted.

    Args:
        here: tables of the reference.
        there: tables of the posture found last.
        frames: of the feet.
        shifts: roll, pitch [rad] and lift [m] of each foot, (feet, 3).
        com: by how much the centre of mass is still off [m], (3,).
        J_com: its Jacobian, (3, nv).
        weights: of the rows.
        J: (rows, nv), written.
        error: (rows,), written.
    """
    (places_here, joints_here), (places, joints) = here[:2], there[:2]
    wish, gap = np.empty((3, 3)), np.empty((3, 3))
    turn, vector = np.empty((3, 3)), np.empty(3)
    feet = len(frames)
    for foot in range(feet + 1):  # and the base
        row = 6 * foot
        T = places_here[frames[foot]] if foot < feet else joints_here[1]
        P = places[frames[foot]] if foot < feet else joints[1]
        for i in range(3):
            for j in range(3):
                wish[i, j] = T[i + 3 * j]
        if foot < feet:
            write_jacobian(there, frames[foot], 0, J[row : row + 6])
            _small_turn(shifts[foot, 0], shifts[foot, 1], turn)
            for i in range(3):
                error[row + i] = T[9 + i] - P[9 + i]
                a, b, c = wish[i, 0], wish[i, 1], wish[i, 2]
                for j in range(3):
                    wish[i, j] = a * turn[0, j] + b * turn[1, j] + c * turn[2, j]
            error[row + 2] += shifts[foot, 2]
        else:
            for i in range(3):
                error[row + i] = com[i]
                for c in range(J.shape[1]):
                    J[row + i, c] = J_com[i, c]
                for j in range(3):
                    J[row + 3 + i, 3 + j] = P[i + 3 * j]
        for i in range(3):
            for j in range(3):
                gap[i, j] = wish[i, 0] * P[j] + wish[i, 1] * P[3 + j] + wish[i, 2] * P[6 + j]
        rotation_vector(gap, vector)
        for i in range(3):
            error[row + 3 + i] = vector[i]
    for row in range(len(weights)):
        error[row] *= weights[row]


@compiled
def _small_turn(roll: float, pitch: float, R: np.ndarray) -> None:
    """The rotation of the vector (roll, pitch, 0)."""
    angle = sqrt(roll * roll + pitch * pitch)
    s = sin(angle) / angle if angle > 1e-12 else 1.0
    k = (1.0 - cos(angle)) / (angle * angle) if angle > 1e-6 else 0.5
    R[0, 0], R[0, 1], R[0, 2] = 1.0 - k * pitch * pitch, k * roll * pitch, s * pitch
    R[1, 0], R[1, 1], R[1, 2] = k * roll * pitch, 1.0 - k * roll * roll, -s * roll
    R[2, 0], R[2, 1], R[2, 2] = -s * pitch, s * roll, 1.0 - k * (roll * roll + pitch * pitch)
