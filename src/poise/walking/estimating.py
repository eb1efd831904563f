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

from poise.compiled import compiled
from poise.motion import Observation
from poise.robot import Robot
from poise.robot.frames import FrameTables, frame_tables
from poise.robot.pressure import points_in_part
from poise.robot.quaternion import quat_of
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
        self._quat_link_base = _conjugate(quat_of(self._R_base_link).tolist())
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
        self._turns = {part: self._data.oMf[frame].rotation for part, frame in self._frames.items()}
        self._tables = frame_tables(robot.carriers, self._data)
        n = len(self._frames)
        self._feet = np.array(list(self._frames.values()))
        self._loads, self._presses = np.zeros(n), np.zeros((n, 2))
        self._stands, self._meant = np.zeros(n, dtype=bool), np.zeros((n, 12))
        self._q, self._v = pin.neutral(robot.model), np.zeros(robot.nv)
        self._zmp = np.zeros(2)

    def reset(self, zmp: np.ndarray) -> None:
        """Start over, with the ZMP where nothing is felt yet [m], (2,)."""
        self._zmp[:] = zmp[:2]

    def estimate(self, seen: Observation, stance: Mapping[str, pin.SE3]) -> Felt:
        """What is believed now.

        Args:
            seen: what the sensors say.
            stance: feet that stand, and where they were put, T_world_foot.
        """
        model, data = self.robot.model, self._data
        self._spread(seen)
        pin.centerOfMass(model, data, self._q, self._v, False)
        loads, pressure = {}, {}
        for k, (part, frame) in enumerate(self._frames.items()):
            pin.updateFramePlacement(model, data, frame)
            loads[part], press = self._pressure(part, seen, self._turns[part].tolist())
            self._loads[k], self._presses[k] = loads[part], press
            pressure[part] = self._presses[k].copy()
            T = stance.get(part)
            self._stands[k] = T is not None
            if T is not None:
                self._meant[k, :9], self._meant[k, 9:] = T.rotation.T.ravel(), T.translation
        found = np.empty(10)
        hang(
            self._tables, self._com, self._com_velocity, self._feet, self._loads, self._presses,
            self._stands, self._meant, self._felt, self._zmp, self._q, found,
        )  # fmt: skip
        return Felt(
            com=found[:3],
            com_velocity=found[3:6],
            zmp=self._zmp.copy(),
            loads=loads,
            pressure=pressure,
            tilt=found[8:10],
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
        base = _conjugate(quat_of(R_base_link).tolist())
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


@compiled
def hang(
    tables: FrameTables,
    com: np.ndarray,
    com_velocity: np.ndarray,
    feet: np.ndarray,
    loads: np.ndarray,
    presses: np.ndarray,
    stands: np.ndarray,
    meant: np.ndarray,
    felt: float,
    zmp: np.ndarray,
    q: np.ndarray,
    found: np.ndarray,
) -> None:
    """Hang the robot upwards from its centres of pressure.

    Args:
        tables: of a robot whose base rests at the origin.
        com: its centre of mass there [m].
        com_velocity: [m/s].
        feet: frames of the feet.
        loads: what each carries [N].
        presses: where, in its frame [m], (feet, 2).
        stands: whether it is meant to stand.
        meant: where, T_world_foot by columns, (feet, 12).
        felt: a load below tells nothing [N].
        zmp: [m], (2,), written if anything is felt.
        q: configuration.
        found: centre of mass, its velocity, place over the ground, tilt: (10,), written.
    """
    places, joints, velocities, _, _, parents, _ = tables
    total, standing, count = 0.0, 0.0, 0
    for k in range(len(feet)):
        total += loads[k]
        if stands[k]:
            standing += loads[k]
            count += 1
    turn = 0.0
    shares = np.zeros(len(feet))
    for k in range(len(feet)):
        if stands[k]:
            shares[k] = loads[k] / standing if standing > felt else 1.0 / count
            P = places[feet[k]]
            turn += shares[k] * _angle(atan2(meant[k, 1], meant[k, 0]) - atan2(P[1], P[0]))
    c, s = cos(turn), sin(turn)
    where, slide, middle = np.zeros(3), np.zeros(3), np.zeros(2)
    lever, spin, speed = np.empty(3), np.empty(3), np.empty(3)
    for k in range(len(feet)):
        P, x, y = places[feet[k]], presses[k, 0], presses[k, 1]
        for i in range(3):
            lever[i] = P[i] * x + P[3 + i] * y
        px, py, pz = P[9] + lever[0], P[10] + lever[1], P[11] + lever[2]
        if total > felt:
            middle[0] += loads[k] / total * px
            middle[1] += loads[k] / total * py
        if not stands[k]:
            continue
        T, share = meant[k], shares[k]
        where[0] += share * (T[9] + T[0] * x + T[3] * y - c * px + s * py)
        where[1] += share * (T[10] + T[1] * x + T[4] * y - s * px - c * py)
        where[2] += share * (T[11] + T[2] * x + T[5] * y - pz)
        # velocity of the point that presses, from that of the joint in its own axes
        joint = parents[feet[k]]
        J, v = joints[joint], velocities[joint]
        for i in range(3):
            speed[i] = J[i] * v[0] + J[3 + i] * v[1] + J[6 + i] * v[2]
            spin[i] = J[i] * v[3] + J[3 + i] * v[4] + J[6 + i] * v[5]
        dx, dy, dz = px - J[9], py - J[10], pz - J[11]
        slide[0] += share * (speed[0] + spin[1] * dz - spin[2] * dy)
        slide[1] += share * (speed[1] + spin[2] * dx - spin[0] * dz)
        slide[2] += share * (speed[2] + spin[0] * dy - spin[1] * dx)
    if total > felt:
        zmp[0] = c * middle[0] - s * middle[1] + where[0]
        zmp[1] = s * middle[0] + c * middle[1] + where[1]
    vx, vy = com_velocity[0] - slide[0], com_velocity[1] - slide[1]
    found[0] = c * com[0] - s * com[1] + where[0]
    found[1] = s * com[0] + c * com[1] + where[1]
    found[2] = com[2] + where[2]
    found[3], found[4] = c * vx - s * vy, s * vx + c * vy
    found[5] = com_velocity[2] - slide[2]
    found[6], found[7] = where[0], where[1]
    i, j, k, w = q[3], q[4], q[5], q[6]  # the world's vertical in the base's axes
    up = 1.0 - 2.0 * (i * i + j * j)
    found[8] = atan2(2.0 * (j * k + w * i), up)
    found[9] = atan2(-2.0 * (i * k - w * j), up)


@compiled
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
