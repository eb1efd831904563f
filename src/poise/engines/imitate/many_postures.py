"""Kinematics of a robot at many instants at once.

A clip is known as a whole: chains of joints are walked joint by joint, with all instants of one
joint in one compiled loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, sin

import numpy as np
import pinocchio as pin

from poise.compiled import compiled
from poise.errors import BadInput
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V

# what a joint is to its parent: the three parts of its turn, its place and its axis
JointTables = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]

ROOT = 1  # Pinocchio's number of the free-flyer joint


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products of vectors (..., 3); numpy's own is several times slower."""
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def rotation_vectors(R: np.ndarray) -> np.ndarray:
    """Axis times angle [rad], (..., 3), of rotations (..., 3, 3) of less than half a turn."""
    v = np.stack(
        [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]],
        axis=-1,
    )
    sine = 0.5 * np.linalg.norm(v, axis=-1)
    cosine = 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0)
    angle = np.arctan2(sine, cosine)
    scale = np.where(sine > 1e-9, angle / np.where(sine > 1e-9, sine, 1.0), 1.0)
    return 0.5 * scale[..., None] * v


def rotations(vector: np.ndarray) -> np.ndarray:
    """Rotations (..., 3, 3) from axis times angle [rad], (..., 3)."""
    angle = np.linalg.norm(vector, axis=-1)
    small = angle < 1e-9
    safe = np.where(small, 1.0, angle)
    K = skew(vector / safe[..., None])
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


def skew(v: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) that multiply like a cross product with v (..., 3)."""
    K = np.zeros((*v.shape[:-1], 3, 3))
    K[..., 2, 1], K[..., 0, 2], K[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    K[..., 1, 2], K[..., 2, 0], K[..., 0, 1] = -v[..., 0], -v[..., 1], -v[..., 2]
    return K


def turned(angle: np.ndarray) -> np.ndarray:
    """Rotations about the vertical by angles [rad] (n,), (n, 3, 3)."""
    R = np.zeros((len(angle), 3, 3))
    R[:, 0, 0] = R[:, 1, 1] = np.cos(angle)
    R[:, 1, 0] = np.sin(angle)
    R[:, 0, 1] = -R[:, 1, 0]
    R[:, 2, 2] = 1.0
    return R


@dataclass(frozen=True, eq=False)
class Walked:
    """A chain of joints at many instants, world axes (or those of whatever its root was in)."""

    R: np.ndarray  # (k, n, 3, 3), of every joint of the chain
    p: np.ndarray  # [m], (k, n, 3)
    axes: np.ndarray  # (k, n, 3)


class Joints:
    """The joints of a robot as arrays: where each sits on its parent, about what it turns."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        model = robot.model
        data = model.createData()
        pin.computeJointJacobians(model, data, pin.neutral(model))
        count = model.njoints
        self.parent = np.array([model.parents[j] for j in range(count)])
        self.place_R = np.array([model.jointPlacements[j].rotation for j in range(count)])
        self.place_p = np.array([model.jointPlacements[j].translation for j in range(count)])
        self.mass = np.array([body.mass for body in model.inertias])
        self.lever = np.array([body.lever for body in model.inertias])
        self.axis = np.zeros((count, 3))
        for name in robot.joint_names:
            j = model.getJointId(name)
            J = pin.getJointJacobian(model, data, j, pin.LOCAL)[:, BASE_V + robot.index(name)]
            if np.linalg.norm(J[:3]) > 1e-9 or abs(np.linalg.norm(J[3:]) - 1.0) > 1e-6:
                raise BadInput(robot.name, f"joint {name}", "not a hinge", "hinges only")
            self.axis[j] = J[3:]
        # R_place R(q) = A + sin(q) B + (1 - cos(q)) C
        K = skew(self.axis)
        self.turns = (self.place_R, self.place_R @ K, self.place_R @ K @ K)

    def number(self, name: str) -> int:
        """Pinocchio's number of a joint."""
        return int(self.robot.model.getJointId(name))

    def column(self, joint: int) -> int:
        """Position of a joint in `joint_names`."""
        return joint - ROOT - 1

    @cached_property
    def all(self) -> list[int]:
        """Every actuated joint, parents first."""
        return list(range(ROOT + 1, self.robot.model.njoints))

    def walk(
        self, chain: list[int], angles: np.ndarray, root_R: np.ndarray, root_p: np.ndarray
    ) -> Walked:
        """Poses of a chain's joints.

        Args:
            chain: joints, each the child of the one before.
            angles: of these joints [rad], (n, k).
            root_R: of the parent of the first joint, (n, 3, 3).
            root_p: [m], (n, 3).
        """
        n, k = angles.shape
        R, p, axes = np.empty((k, n, 3, 3)), np.empty((k, n, 3)), np.empty((k, n, 3))
        up_R, up_p = np.ascontiguousarray(root_R), np.ascontiguousarray(root_p)
        for i, joint in enumerate(chain):
            _carry(*self._joint(joint), angles[:, i], up_R, up_p, R[i], p[i], axes[i])
            up_R, up_p = R[i], p[i]
        return Walked(R, p, axes)

    def _joint(self, joint: int) -> JointTables:
        """What a joint is to its parent: its turn in three parts, place and axis."""
        straight, sine, versine = self.turns
        return straight[joint], sine[joint], versine[joint], self.place_p[joint], self.axis[joint]

    def centre(self, joints: list[int], angles: np.ndarray) -> tuple[np.ndarray, float]:
        """Common centre of some bodies in the base's frame [m], (n, 3), and their mass [kg].

        Args:
            joints: with every parent up to the base among them; the base itself is added.
            angles: of all joints of the robot [rad], (n, na).
        """
        n = len(angles)
        R = {ROOT: np.tile(np.eye(3), (n, 1, 1))}
        p = {ROOT: np.zeros((n, 3))}
        mass = float(self.mass[ROOT])
        moment, axis = np.tile(mass * self.lever[ROOT], (n, 1)), np.empty((n, 3))
        for joint in sorted(joints):
            up = int(self.parent[joint])
            R[joint], p[joint] = np.empty((n, 3, 3)), np.empty((n, 3))
            at = angles[:, self.column(joint)]
            _carry(*self._joint(joint), at, R[up], p[up], R[joint], p[joint], axis)
            mass += float(self.mass[joint])
            moment += self.mass[joint] * (p[joint] + R[joint] @ self.lever[joint])
        return moment / mass, mass


@compiled
def _carry(
    straight: np.ndarray,
    sine: np.ndarray,
    versine: np.ndarray,
    place: np.ndarray,
    axis: np.ndarray,
    angles: np.ndarray,
    up_R: np.ndarray,
    up_p: np.ndarray,
    R: np.ndarray,
    p: np.ndarray,
    axes: np.ndarray,
) -> None:
    """Write poses and axes of one joint at many instants.

    Args:
        straight: rotation of the joint = straight + sin q sine + (1 - cos q) versine, (3, 3).
        sine: (3, 3).
        versine: (3, 3).
        place: on its parent [m], (3,).
        axis: (3,).
        angles: [rad], (n,).
        up_R: of its parent, (n, 3, 3).
        up_p: [m], (n, 3).
        R: written, (n, 3, 3).
        p: written [m], (n, 3).
        axes: written, (n, 3).
    """
    turn = np.empty((3, 3))
    for row in range(angles.shape[0]):
        s, c = sin(angles[row]), 1.0 - cos(angles[row])
        for i in range(3):
            for j in range(3):
                turn[i, j] = straight[i, j] + s * sine[i, j] + c * versine[i, j]
        for i in range(3):
            x, y, z = up_R[row, i, 0], up_R[row, i, 1], up_R[row, i, 2]
            p[row, i] = up_p[row, i] + x * place[0] + y * place[1] + z * place[2]
            axes[row, i] = 0.0
            for j in range(3):
                R[row, i, j] = x * turn[0, j] + y * turn[1, j] + z * turn[2, j]
                axes[row, i] += R[row, i, j] * axis[j]


def chain_to(robot: Robot, joints: Joints, last: int) -> list[int]:
    """Joints from the base to a joint, in order."""
    chain = [last]
    while joints.parent[chain[0]] > ROOT:
        chain.insert(0, int(joints.parent[chain[0]]))
    return chain


def configurations(robot: Robot, p: np.ndarray, R: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Configurations (n, nq) from base positions, orientations and joint angles."""
    from scipy.spatial.transform import Rotation

    quat = Rotation.from_matrix(R).as_quat()
    flip = np.ones(len(quat))
    flip[1:] = np.cumprod(np.where((quat[1:] * quat[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
    q = np.empty((len(p), robot.nq))
    q[:, :3], q[:, 3:BASE_Q], q[:, BASE_Q:] = p, quat * flip[:, None], angles
    return q
