"""Move the whole body a little away from a reference: centre of mass, feet, nothing else.

The base and the legs do it; arms, trunk and head keep their joints. One Newton step an instant
is enough, because the wish changes little from one to the next and the last answer is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.linalg.lapack import dposv

from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V

DAMPING = 1e-6  # on the step; a leg that is nearly straight then gives up a millimetre
FOOT_TURN, TRUNK_TURN, TRUNK_YAW = 0.3, 0.2, 0.02  # [m], what a radian counts for
LIMIT_MARGIN = 1e-3  # [rad]


@dataclass(frozen=True, eq=False)
class FootShift:
    """How a foot is to be off its reference: turned in its own axes, lifted along the vertical."""

    turn: np.ndarray  # roll and pitch [rad], (2,)
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
        weights = [*foot * len(self._frames), 1.0, 1.0, 1.0, TRUNK_TURN, TRUNK_TURN, TRUNK_YAW]
        self._weights = np.array(weights)
        self._J = np.zeros((len(weights), robot.nv))
        self._error = np.zeros(len(weights))
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

    def gravity(self, q: np.ndarray) -> np.ndarray:
        """Generalised forces that hold the weight at a configuration, (nv,)."""
        return pin.computeGeneralizedGravity(self.robot.model, self._here, q).copy()

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
        J, error = self._J, self._error
        pin.forwardKinematics(model, here, q)
        pin.centerOfMass(model, here, q, False)
        moved = pin.integrate(model, q, self._delta)
        pin.computeJointJacobians(model, there, moved)
        J_com = pin.jacobianCenterOfMass(model, there, moved, False)
        for k, (part, frame) in enumerate(zip(self.robot.feet, self._frames, strict=True)):
            T_wish = pin.updateFramePlacement(model, here, frame)
            R_wish, p_wish = T_wish.rotation, T_wish.translation
            shift = feet.get(part)
            if shift is not None:
                R_wish = R_wish @ pin.exp3(np.array([shift.turn[0], shift.turn[1], 0.0]))
                p_wish = p_wish + np.array([0.0, 0.0, shift.lift])
            T = pin.updateFramePlacement(model, there, frame)
            rows = slice(6 * k, 6 * k + 6)
            J[rows] = pin.getFrameJacobian(model, there, frame, pin.LOCAL_WORLD_ALIGNED)
            error[6 * k : 6 * k + 3] = p_wish - T.translation
            error[6 * k + 3 : 6 * k + 6] = pin.log3(R_wish @ T.rotation.T)
        row = 6 * len(self._frames)
        J[row : row + 3] = J_com
        error[row : row + 3] = here.com[0] + com - there.com[0]
        R_base = there.oMi[1].rotation
        J[row + 3 : row + 6, 3:6] = R_base
        error[row + 3 : row + 6] = pin.log3(here.oMi[1].rotation @ R_base.T)
        A = (self._weights[:, None] * J) @ self._columns
        H = A.T @ A
        H[np.diag_indices_from(H)] += DAMPING
        _, x, info = dposv(H, A.T @ (self._weights * error))
        if info == 0:
            moved = pin.integrate(model, moved, self._columns @ x)
        joints = moved[BASE_Q:]
        np.minimum(np.maximum(joints, self._low, out=joints), self._high, out=joints)
        self._delta = pin.difference(model, q, moved)
        return moved
