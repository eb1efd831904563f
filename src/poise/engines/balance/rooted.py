"""The robot seen from one of its feet: joints alone decide, and no world is needed.

The controller's own Snapshot is placed so that the reference foot lies at the origin. Whatever
a task calls "the world" is then that foot, so every residual of `poise.tasks` works here as it is.
The floating base is no freedom any more: it goes where the joints put it, v = N q'.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.compiled import compiled
from poise.motion import Observation
from poise.robot import Robot
from poise.robot.frames import FrameTables, body_tables, frame_tables, write_jacobian
from poise.robot.robot import BASE_Q, BASE_V
from poise.robot.still import StillSnapshot


class Rooted:
    """A robot standing on a foot that is the origin of everything."""

    def __init__(self, robot: Robot, root: str) -> None:
        """Take the robot and the part it is rooted at."""
        self.robot, self.root = robot, root
        self._frame = robot.frame_id(root)
        imu = next((s for s in robot.sensors if s.kind == "imu"), None)
        self.imu = imu.link if imu else "base"
        self._imu = robot.frame_id(self.imu)
        self._T_imu = imu.T_link_sensor if imu else pin.SE3.Identity()
        self._rest = np.zeros(robot.nv)
        self._data = robot.model.createData()
        matrix = body_tables(self._data)[3]
        moves = robot.carriers.moves[robot.carriers.parents[self._imu]]
        self._moving = matrix, self._data.J, moves, robot.mass
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
        pin.ccrba(self.robot.model, self._data, self._free, self._rest)
        com = self._data.com[0]
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

    @property
    def axes(self) -> np.ndarray:
        """The axes of the root in those of the base, by the joints last seen, (3, 3)."""
        return np.array(self._data.oMf[self._frame].rotation)

    def fly(self, seen: Observation, R_axes: np.ndarray, up: np.ndarray) -> np.ndarray:
        """How the robot moves, by its IMU and the joints last seen; forward and to the left.

        Args:
            seen: rates, gyro and accelerometer.
            R_axes: the axes that are asked for, in those of the base, (3, 3).
            up: the vertical in these axes, (3,).

        Returns:
            Angular momentum about the centre of mass [N m s], velocity of the centre of mass
            less that of the IMU [m/s], acceleration of the IMU [m/s²], (3, 2).
        """
        T = pin.updateFramePlacement(self.robot.model, self._data, self._imu) * self._T_imu
        felt = T.rotation @ np.array([seen.gyro, seen.accelerometer]).T
        out = np.empty((3, 2))
        write_flight(*self._moving, T.translation, felt, seen.rates, R_axes, up, out)
        return out

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


@compiled
def write_flight(
    matrix: np.ndarray, J: np.ndarray, moves: np.ndarray, mass: float, point: np.ndarray,
    felt: np.ndarray, rates: np.ndarray, R_axes: np.ndarray, up: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """How a robot moves whose base is at the origin; see `Rooted.fly`.

    Args:
        matrix: momentum by v, (6, nv).
        J: velocity at the origin by each entry of v, (6, nv).
        moves: whether an entry of v moves the IMU, (nv,).
        mass: [kg].
        point: where the IMU is [m], (3,).
        felt: its angular velocity [rad/s] and acceleration [m/s²], (3, 2).
        rates: of the joints [rad/s], (na,).
        R_axes: axes of the answer, (3, 3).
        up: the vertical in these, (3,).
        out: written, (3, 2).
    """
    moved, momentum = np.zeros(6), np.zeros(6)
    for c in range(len(rates)):
        for k in range(6):
            if moves[BASE_V + c]:
                moved[k] += J[k, BASE_V + c] * rates[c]
            momentum[k] += matrix[k, BASE_V + c] * rates[c]
    for c in range(3):  # the base turns by what the joints do not explain, and is not moved
        spin = felt[c, 0] - moved[3 + c]
        for k in range(6):
            momentum[k] += matrix[k, 3 + c] * spin
    x, y, z = point[0], point[1], point[2]
    u, v, w = felt[0, 0], felt[1, 0], felt[2, 0]
    against = momentum[:3] / mass - moved[:3]
    against[0] -= v * z - w * y
    against[1] -= w * x - u * z
    against[2] -= u * y - v * x
    level = np.zeros(3)
    for k in range(3):
        for i in range(3):
            level[k] += R_axes[i, k] * felt[i, 1]
    rises = level[0] * up[0] + level[1] * up[1] + level[2] * up[2]
    for k in range(2):
        out[1, k] = 0.0
        for i in range(3):
            out[1, k] += R_axes[i, k] * against[i]
        out[2, k] = level[k] - rises * up[k]
    out[0, 0], out[0, 1] = 0.0, 0.0
    for i in range(3):
        out[0, 0] += R_axes[i, 1] * momentum[3 + i]
        out[0, 1] -= R_axes[i, 0] * momentum[3 + i]
