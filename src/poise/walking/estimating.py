"""Where a real robot is, from what it can feel: joint angles, IMU, and the load of its feet.

Nobody tells a robot where its base is. It knows how its links lie to each other, which way is
up, and where its loaded feet were put; a foot that carries does not move at the point where the
ground presses. So the robot hangs upwards from its centres of pressure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, sin

import numpy as np
import pinocchio as pin

from poise.motion import Observation
from poise.robot import Robot
from poise.robot.pressure import points_in_part
from poise.robot.robot import BASE_Q, BASE_V

FELT = 0.02  # of the weight: a foot that carries less tells nothing


@dataclass(frozen=True, eq=False)
class Felt:
    """What a robot believes about itself at one instant; places are those of the plan."""

    com: np.ndarray  # [m], (3,)
    com_velocity: np.ndarray  # [m/s], (3,)
    zmp: np.ndarray  # [m], (2,); of the last instant that was felt, in flight
    loads: Mapping[str, float]  # foot -> vertical force [N]
    pressure: Mapping[str, np.ndarray]  # foot -> centre of pressure in its frame [m], (2,)
    tilt: np.ndarray  # roll and pitch of the base against upright axes [rad], (2,)


class Estimator:
    """Turns observations into what the robot believes about itself."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._data = robot.model.createData()
        self._frames = {part: robot.frame_id(part) for part in robot.feet}
        imu = next((s for s in robot.sensors if s.kind == "imu"), None)
        self._imu = robot.frame_id(imu.link if imu else "base")
        self._R_link_sensor = imu.T_link_sensor.rotation if imu else np.eye(3)
        frame = robot.model.frames[self._imu]
        self._rigid = frame.parentJoint == 1
        self._R_base_link = frame.placement.rotation.copy()
        self._quat_link_base = _conjugate(pin.Quaternion(self._R_base_link).coeffs().tolist())
        self._R_base_sensor = self._R_base_link @ self._R_link_sensor
        self._points = {
            s.part: points_in_part(robot, s)[:, :2].T.copy()
            for s in robot.sensors
            if s.kind == "pressure" and s.part in robot.soles
        }
        self._rooms = {
            part: (*sole.polygon.min(axis=0).tolist(), *sole.polygon.max(axis=0).tolist())
            for part, sole in robot.soles.items()
        }
        self._felt = FELT * robot.weight
        # views of Pinocchio's memory: they follow every instant
        self._com, self._com_velocity = self._data.com[0], self._data.vcom[0]
        self._places = {part: self._data.oMf[frame] for part, frame in self._frames.items()}
        self._q, self._v = pin.neutral(robot.model), np.zeros(robot.nv)
        self._zmp = (0.0, 0.0)

    def reset(self, zmp: np.ndarray) -> None:
        """Start over, with the ZMP where nothing is felt yet [m], (2,)."""
        self._zmp = float(zmp[0]), float(zmp[1])

    def estimate(self, seen: Observation, stance: Mapping[str, pin.SE3]) -> Felt:
        """What is believed now.

        Args:
            seen: what the sensors say.
            stance: feet that stand, and where they were put, T_world_foot.
        """
        # numbers one by one: arrays of three cost more to make than to compute with
        model, data = self.robot.model, self._data
        self._spread(seen)
        pin.centerOfMass(model, data, self._q, self._v, False)
        feet, loads, pressure = {}, {}, {}
        for part, frame in self._frames.items():
            pin.updateFramePlacement(model, data, frame)
            T = self._places[part]
            R, (px, py, pz) = T.rotation.tolist(), T.translation.tolist()
            loads[part], (x, y) = self._pressure(part, seen, R)
            pressure[part] = np.array((x, y))
            lever = [row[0] * x + row[1] * y for row in R]
            feet[part] = R, (px + lever[0], py + lever[1], pz + lever[2]), lever, (x, y)
        shares = self._shares(loads, stance)
        meant = {part: stance[part].rotation.tolist() for part in shares}
        turn = 0.0
        for part, share in shares.items():
            R_meant, R = meant[part], feet[part][0]
            turn += share * _angle(atan2(R_meant[1][0], R_meant[0][0]) - atan2(R[1][0], R[0][0]))
        c, s = cos(turn), sin(turn)
        dx = dy = dz = ux = uy = uz = 0.0  # where the robot is, and how fast it seems to slide
        for part, share in shares.items():
            _, (px, py, pz), (lx, ly, lz), (x, y) = feet[part]
            R_meant, p = meant[part], stance[part].translation.tolist()
            dx += share * (p[0] + R_meant[0][0] * x + R_meant[0][1] * y - c * px + s * py)
            dy += share * (p[1] + R_meant[1][0] * x + R_meant[1][1] * y - s * px - c * py)
            dz += share * (p[2] + R_meant[2][0] * x + R_meant[2][1] * y - pz)
            twist = pin.getFrameVelocity(model, data, self._frames[part], pin.LOCAL_WORLD_ALIGNED)
            vx, vy, vz, wx, wy, wz = twist.vector.tolist()
            ux += share * (vx + wy * lz - wz * ly)
            uy += share * (vy + wz * lx - wx * lz)
            uz += share * (vz + wx * ly - wy * lx)
        total = sum(loads.values())
        if total > self._felt:
            mx = sum(load * feet[part][1][0] for part, load in loads.items()) / total
            my = sum(load * feet[part][1][1] for part, load in loads.items()) / total
            self._zmp = c * mx - s * my + dx, s * mx + c * my + dy
        gx, gy, gz = self._com.tolist()
        vx, vy, vz = self._com_velocity.tolist()
        vx, vy, vz = vx - ux, vy - uy, vz - uz
        i, j, k, w = self._q[3:7].tolist()  # the world's vertical in the base's axes
        up = 2.0 * (i * k - w * j), 2.0 * (j * k + w * i), 1.0 - 2.0 * (i * i + j * j)
        return Felt(
            com=np.array((c * gx - s * gy + dx, s * gx + c * gy + dy, gz + dz)),
            com_velocity=np.array((c * vx - s * vy, s * vx + c * vy, vz)),
            zmp=np.array(self._zmp),
            loads=loads,
            pressure=pressure,
            tilt=np.array((atan2(up[1], up[2]), atan2(-up[0], up[2]))),
        )

    def _spread(self, seen: Observation) -> None:
        """Joints and IMU into q and v, the base's origin at rest at zero."""
        model, data, q, v = self.robot.model, self._data, self._q, self._v
        q[BASE_Q:], v[BASE_V:] = seen.joints, seen.rates
        if self._rigid:
            q[3:7] = _times(seen.quat_xyzw.tolist(), self._quat_link_base)
            np.matmul(self._R_base_sensor, seen.gyro, out=v[3:6])
            return
        q[3:7], v[3:6] = (0.0, 0.0, 0.0, 1.0), 0.0
        pin.forwardKinematics(model, data, q, v)
        R_base_link = pin.updateFramePlacement(model, data, self._imu).rotation
        spin = self._R_link_sensor @ seen.gyro  # of the link, its axes
        spin -= pin.getFrameVelocity(model, data, self._imu, pin.LOCAL).angular
        base = _conjugate(pin.Quaternion(R_base_link).coeffs().tolist())
        q[3:7] = _times(seen.quat_xyzw.tolist(), base)
        np.matmul(R_base_link, spin, out=v[3:6])

    def _pressure(
        self, part: str, seen: Observation, R: list[list[float]]
    ) -> tuple[float, tuple[float, float]]:
        """Load of a foot [N] and where it acts in the foot's frame [m]."""
        low_x, low_y, high_x, high_y = self._rooms[part]
        middle = 0.5 * (low_x + high_x), 0.5 * (low_y + high_y)
        if part in self._points and part in seen.pressures:
            shares = seen.pressures[part]
            load = float(shares.sum())
            x, y = (self._points[part] @ shares).tolist()
            over = max(load, self._felt)
            x, y = x / over, y / over
        else:
            wrench = seen.wrenches.get(part)
            if wrench is None:
                return 0.0, middle
            fx, fy, load, mx, my, mz = wrench.tolist()
            (a, b, c), (d, e, f), (g, h, i) = R
            over = max(c * fx + f * fy + i * load, self._felt)
            x, y = -(b * mx + e * my + h * mz) / over, (a * mx + d * my + g * mz) / over
        if not load > self._felt:
            return max(load, 0.0), middle
        return load, (min(max(x, low_x), high_x), min(max(y, low_y), high_y))

    def _shares(
        self, loads: Mapping[str, float], stance: Mapping[str, pin.SE3]
    ) -> dict[str, float]:
        """How much each standing foot is to be believed; together one."""
        total = sum(loads[part] for part in stance)
        if total > self._felt:
            return {part: loads[part] / total for part in stance}
        return {part: 1.0 / len(stance) for part in stance}


def _angle(a: float) -> float:
    return atan2(sin(a), cos(a))


def _times(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float, float]:
    """Product of two quaternions xyzw, with unit length."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    w = aw * bw - ax * bx - ay * by - az * bz
    over = 1.0 / hypot(x, y, z, w)
    return x * over, y * over, z * over, w * over


def _conjugate(a: Sequence[float]) -> tuple[float, float, float, float]:
    return -a[0], -a[1], -a[2], a[3]
