"""The robot seen from one of its feet: joints alone decide, and no world is needed.

The controller's own Snapshot is placed so that the reference foot lies at the origin. Whatever
a task calls "the world" is then that foot, so every residual of `poise.tasks` works here as it is.
The floating base is no freedom any more: it goes where the joints put it, v = N q'.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.compiled import compiled
from poise.robot import Robot
from poise.robot.frames import FrameTables, frame_tables, write_jacobian
from poise.robot.robot import BASE_Q, BASE_V
from poise.robot.still import StillSnapshot


class Rooted:
    """A robot standing on a foot that is the origin of everything."""

    def __init__(self, robot: Robot, root: str) -> None:
        """Take the robot and the part it is rooted at."""
        self.robot, self.root = robot, root
        self._frame = robot.frame_id(root)
        self.imu = next((s.link for s in robot.sensors if s.kind == "imu"), "base")
        self._imu = robot.frame_id(self.imu)
        self._data = robot.model.createData()
        places = frame_tables(robot.carriers, self._data)[0]
        self._places = places[self._imu], places[self._frame]  # views that follow
        self._q, self._free = pin.neutral(robot.model), pin.neutral(robot.model)
        self.coupled = np.ascontiguousarray(robot.coupling_rows[:, BASE_V:])
        self.at = StillSnapshot(robot, robot.half_sitting)
        self.base_of_joints = np.zeros((BASE_V, robot.na))
        """Base velocity (6,) of joint rates, the root at rest, (6, na)."""
        self.refresh(robot.half_sitting[BASE_Q:])

    def refresh(self, joints: np.ndarray) -> None:
        """Move to joint angles [rad], (na,): one refresh of the snapshot."""
        q = self._q
        self._place(joints, q)
        self.at.refresh(q, q)
        write_base_of_joints(self.at.tables, self._frame, self.base_of_joints)

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
        pin.updateFramePlacement(self.robot.model, self._data, self._imu)
        up = np.empty(3)
        write_up(quat_xyzw, *self._places, up)
        return up

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


@compiled
def write_base_of_joints(tables: FrameTables, root: int, out: np.ndarray) -> None:
    """Base velocity, in its own axes, of joint rates that leave a frame at rest, (6, na).

    To the motion of the root by the joints alone the base answers with the opposite one.

    Args:
        tables: of the robot now.
        root: the frame.
        out: written.
    """
    _, joints, _, _, J, _, _ = tables
    T = joints[1]
    moved = np.empty((6, J.shape[1]))
    write_jacobian(tables, root, 0, moved)
    place = tables[0][root]
    # from the root to the base
    x, y, z = T[9] - place[9], T[10] - place[10], T[11] - place[11]
    for c in range(out.shape[1]):
        a, b, d = moved[3, BASE_V + c], moved[4, BASE_V + c], moved[5, BASE_V + c]
        u = moved[0, BASE_V + c] + b * z - d * y
        v = moved[1, BASE_V + c] + d * x - a * z
        w = moved[2, BASE_V + c] + a * y - b * x
        for k in range(3):
            out[k, c] = -(T[3 * k] * u + T[3 * k + 1] * v + T[3 * k + 2] * w)
            out[3 + k, c] = -(T[3 * k] * a + T[3 * k + 1] * b + T[3 * k + 2] * d)


@compiled
def write_up(quat_xyzw: np.ndarray, imu: np.ndarray, root: np.ndarray, out: np.ndarray) -> None:
    """The vertical in the axes of the root, (3,).

    Args:
        quat_xyzw: of the IMU's link in the world, (4,).
        imu: place of that link, rotation by columns first, (12,); any axes.
        root: place of the root, in the same axes.
        out: written.
    """
    x, y, z, w = quat_xyzw[0], quat_xyzw[1], quat_xyzw[2], quat_xyzw[3]
    a, b, c = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
    for k in range(3):
        out[k] = 0.0
        for i in range(3):
            out[k] += root[3 * k + i] * (imu[i] * a + imu[3 + i] * b + imu[6 + i] * c)
