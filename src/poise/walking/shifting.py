"""Move the whole body a little away from a reference: centre of mass, feet, nothing else.

The base and the legs do it; arms, trunk and head keep their joints. One Newton step an instant
is enough, because the wish changes little from one to the next and the last answer is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2

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
        weights = [*foot * len(self._frames), 1.0, 1.0, 1.0, TRUNK_TURN, TRUNK_TURN, TRUNK_YAW]
        self._weights = np.array(weights)
        self._weight_column = self._weights[:, None]
        self._J = np.zeros((len(weights), robot.nv))
        self._error = np.zeros(len(weights))
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
        J, error, aligned = self._J, self._error, pin.LOCAL_WORLD_ALIGNED
        pin.centerOfMass(model, here, q, False)
        moved = pin.integrate(model, q, self._delta)
        row = 6 * len(self._frames)
        J[row : row + 3] = pin.jacobianCenterOfMass(model, there, moved, False)
        for k, (part, frame) in enumerate(zip(self.robot.feet, self._frames, strict=True)):
            T_wish = pin.updateFramePlacement(model, here, frame)
            R_wish, p_wish = T_wish.rotation, T_wish.translation
            T = pin.updateFramePlacement(model, there, frame)
            place, turn = error[6 * k : 6 * k + 3], error[6 * k + 3 : 6 * k + 6]
            np.subtract(p_wish, T.translation, out=place)
            shift = feet.get(part)
            if shift is not None:
                R_wish = R_wish @ pin.exp3(np.array((shift.turn[0], shift.turn[1], 0.0)))
                place[2] += shift.lift
            J[6 * k : 6 * k + 6] = pin.getFrameJacobian(model, there, frame, aligned)
            turn[:] = pin.log3(R_wish @ T.rotation.T)
        error[row : row + 3] = here.com[0] + com - there.com[0]
        R_base = self._R_base
        J[row + 3 : row + 6, 3:6] = R_base
        error[row + 3 : row + 6] = pin.log3(here.oMi[1].rotation @ R_base.T)
        A = (self._weight_column * J) @ self._columns
        error *= self._weights
        H = A.T @ A
        H.ravel()[:: len(H) + 1] += DAMPING
        _, x, info = dposv(H, error @ A, overwrite_a=1, overwrite_b=1)
        if info == 0:
            moved = pin.integrate(model, moved, self._columns @ x)
        joints = moved[BASE_Q:]
        np.minimum(np.maximum(joints, self._low, out=joints), self._high, out=joints)
        self._delta = pin.difference(model, q, moved)
        return moved
