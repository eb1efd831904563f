"""The robot seen from one of its feet: joints alone decide, and no world is needed.

The controller's own Snapshot is placed so that the reference foot lies at the origin. Whatever
a task calls "the world" is then that foot, so every residual of `poise.tasks` works here as it is.
The floating base is no freedom any more: it goes where the joints put it, v = N q'.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V


class StillSnapshot(Snapshot):
    """A robot at rest: kinematics and momentum matrix in one sweep, velocities and drifts zero.

    What only dynamics asks for, mass matrix and bias, is computed when it is asked for.
    """

    _zero = np.zeros(6)

    def refresh(self, q: np.ndarray, v: np.ndarray) -> None:
        """Move to another instant, in place; the velocity is zero whatever is given."""
        self.q, self.v = q, self._rest
        pin.ccrba(self.model, self.data, q, self._rest)  # Jacobians and the CoM come with it
        pin.updateFramePlacements(self.model, self.data)
        self._jacobians.clear()
        self.__dict__.pop("com_jacobian", None)

    def velocity(self, frame: str) -> np.ndarray:
        """Zero, (6,)."""
        return self._zero

    def drift(self, frame: str) -> np.ndarray:
        """Zero, (6,)."""
        return self._zero

    @property
    def mass_matrix(self) -> np.ndarray:
        """Joint-space inertia H, symmetric, (nv, nv)."""
        return pin.crba(self.model, self.model.createData(), self.q, pin.Convention.WORLD)

    @property
    def bias(self) -> np.ndarray:
        """Gravity terms, (nv,)."""
        return pin.nonLinearEffects(self.model, self.model.createData(), self.q, self.v)


class Rooted:
    """A robot standing on a foot that is the origin of everything."""

    def __init__(self, robot: Robot, root: str) -> None:
        """Take the robot and the part it is rooted at."""
        self.robot, self.root = robot, root
        self._frame = robot.frame_id(root)
        self.imu = next((s.link for s in robot.sensors if s.kind == "imu"), "base")
        self._imu = robot.frame_id(self.imu)
        self._data = robot.model.createData()
        self._q, self._free = pin.neutral(robot.model), pin.neutral(robot.model)
        self.coupled = np.ascontiguousarray(robot.coupling_rows[:, BASE_V:])
        self.at = StillSnapshot(robot, robot.half_sitting)
        self.base_of_joints = np.zeros((BASE_V, robot.na))
        """Base velocity (6,) of joint rates, the root at rest, (6, na)."""
        self._inverse, self._cross = np.zeros((BASE_V, BASE_V)), np.zeros((3, 3))
        self.refresh(robot.half_sitting[BASE_Q:])

    def refresh(self, joints: np.ndarray) -> None:
        """Move to joint angles [rad], (na,): one refresh of the snapshot."""
        q = self._q
        self._place(joints, q)
        self.at.refresh(q, q)
        # J_base = [R, -[r] R; 0, R] with r from the base to the root, in the root's axes
        T, inverse = self.at.data.oMi[1], self._inverse
        inverse[:3, :3] = inverse[3:, 3:] = turn = T.rotation.T
        x, y, z = T.translation.tolist()
        cross = self._cross
        cross[0, 1], cross[0, 2], cross[1, 2] = z, -y, x
        cross[1, 0], cross[2, 0], cross[2, 1] = -z, y, -x
        np.matmul(turn, cross, out=inverse[:3, 3:])
        np.matmul(inverse, self.at.jacobian(self.root)[:, BASE_V:], out=self.base_of_joints)
        np.negative(self.base_of_joints, out=self.base_of_joints)

    def see(self, joints: np.ndarray) -> np.ndarray:
        """Centre of mass at other joint angles, the root at the origin [m], (3,)."""
        self._free[BASE_Q:] = joints
        com = pin.centerOfMass(self.robot.model, self._data, self._free, False)
        return pin.updateFramePlacement(self.robot.model, self._data, self._frame).actInv(com)

    def seen(self, part: str) -> pin.SE3:
        """The pose of a part in the axes of the root, by the joints last seen."""
        T = pin.updateFramePlacement(self.robot.model, self._data, self.robot.frame_id(part))
        return self._data.oMf[self._frame].actInv(T)

    def up(self, quat_xyzw: np.ndarray) -> np.ndarray:
        """The vertical in the axes of the root, by an IMU and the joints last seen, (3,)."""
        imu = pin.updateFramePlacement(self.robot.model, self._data, self._imu).rotation
        x, y, z, w = quat_xyzw.tolist()
        up = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        return (imu @ up) @ self._data.oMf[self._frame].rotation

    def momentum(
        self, rates: np.ndarray, still: str = "", joints: np.ndarray | None = None
    ) -> tuple[float, float]:
        """Angular momentum of joint rates (na,), forward and to the left [N m s].

        Args:
            rates: of the joints [rad/s].
            still: the part that is at rest; the root when absent.
            joints: angles [rad], (na,), where they are not those of the command.
        """
        model, data, base = self.robot.model, self.at.data, self.base_of_joints @ rates
        if joints is not None:
            data = self._data  # of the joints last seen, the base as the root of everything
            pin.ccrba(model, data, self._free, self.at.v)
            base = np.zeros(BASE_V)
        about = data.Ag[3:, :BASE_V] @ base + data.Ag[3:, BASE_V:] @ rates
        if joints is not None:
            frame = self.robot.frame_id(still or self.root)
            J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)[3:, BASE_V:]
            about -= data.Ig.inertia @ (J @ rates)
            pin.updateFramePlacement(model, data, self._frame)
            about = data.oMf[self._frame].rotation.T @ about
        return float(about[1]), -float(about[0])

    def reduced(self, J: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Jacobians (m, nv) by joint rates alone, (m, na)."""
        np.matmul(J[:, :BASE_V], self.base_of_joints, out=out)
        out += J[:, BASE_V:]
        return out

    def _place(self, joints: np.ndarray, q: np.ndarray) -> None:
        """Write the configuration at which the root is the origin."""
        self._free[BASE_Q:] = joints
        pin.forwardKinematics(self.robot.model, self._data, self._free)
        T_base_root = pin.updateFramePlacement(self.robot.model, self._data, self._frame)
        q[:BASE_Q] = pin.SE3ToXYZQUAT(T_base_root.inverse())
        q[BASE_Q:] = joints
