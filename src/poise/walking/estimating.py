"""Where a real robot is, from what it can feel: joint angles, IMU, and the load of its feet.

Nobody tells a robot where its base is. It knows how its links lie to each other, which way is
up, and where its loaded feet were put; a foot that carries does not move at the point where the
ground presses. So the robot hangs upwards from its centres of pressure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, cos, sin

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
        self._rigid = frame.placement.rotation if frame.parentJoint == 1 else None
        self._points = {
            s.part: points_in_part(robot, s)
            for s in robot.sensors
            if s.kind == "pressure" and s.part in robot.soles
        }
        self._rooms = {
            part: (sole.polygon.min(axis=0), sole.polygon.max(axis=0))
            for part, sole in robot.soles.items()
        }
        self._q, self._v = pin.neutral(robot.model), np.zeros(robot.nv)
        self._zmp = np.zeros(2)

    def reset(self, zmp: np.ndarray) -> None:
        """Start over, with the ZMP where nothing is felt yet [m], (2,)."""
        self._zmp = np.array(zmp[:2], dtype=float)

    def estimate(self, seen: Observation, stance: Mapping[str, pin.SE3]) -> Felt:
        """What is believed now.

        Args:
            seen: what the sensors say.
            stance: feet that stand, and where they were put, T_world_foot.
        """
        model, data = self.robot.model, self._data
        self._spread(seen)
        pin.forwardKinematics(model, data, self._q, self._v)
        pin.centerOfMass(model, data, self._q, self._v, False)
        places, loads, pressure = {}, {}, {}
        for part, frame in self._frames.items():
            places[part] = pin.updateFramePlacement(model, data, frame)
            loads[part], pressure[part] = self._pressure(part, seen, places[part].rotation)
        shares = self._shares(loads, stance)
        turn, shift, slide = 0.0, np.zeros(3), np.zeros(3)
        for part, share in shares.items():
            turn += share * _angle(_yaw(stance[part].rotation) - _yaw(places[part].rotation))
        R = np.array([[cos(turn), -sin(turn), 0.0], [sin(turn), cos(turn), 0.0], [0.0, 0.0, 1.0]])
        for part, share in shares.items():
            x, y = pressure[part]
            T = places[part]
            lever = T.rotation[:, 0] * x + T.rotation[:, 1] * y
            T_meant = stance[part]
            meant = T_meant.translation + T_meant.rotation[:, 0] * x + T_meant.rotation[:, 1] * y
            shift += share * (meant - R @ (T.translation + lever))
            twist = pin.getFrameVelocity(model, data, self._frames[part], pin.LOCAL_WORLD_ALIGNED)
            slide += share * (twist.linear + _cross(twist.angular, lever))
        self._feel_zmp(places, loads, pressure, R, shift)
        up = pin.Quaternion(self._q[3:7]).matrix()[2]
        return Felt(
            com=R @ data.com[0] + shift,
            com_velocity=R @ (data.vcom[0] - slide),
            zmp=self._zmp.copy(),
            loads=loads,
            pressure=pressure,
            tilt=np.array([atan2(up[1], up[2]), atan2(-up[0], up[2])]),
        )

    def _spread(self, seen: Observation) -> None:
        """Joints and IMU into q and v, the base's origin at rest at zero."""
        model, data, q, v = self.robot.model, self._data, self._q, self._v
        q[BASE_Q:], v[BASE_V:] = seen.joints, seen.rates
        spin = self._R_link_sensor @ seen.gyro  # of the link, its axes
        if self._rigid is not None:
            R_base_link = self._rigid
        else:
            q[3:7], v[3:6] = (0.0, 0.0, 0.0, 1.0), 0.0
            pin.forwardKinematics(model, data, q, v)
            R_base_link = pin.updateFramePlacement(model, data, self._imu).rotation.copy()
            spin = spin - pin.getFrameVelocity(model, data, self._imu, pin.LOCAL).angular
        R_world_link = pin.Quaternion(seen.quat_xyzw).matrix()
        q[3:7] = pin.Quaternion(R_world_link @ R_base_link.T).coeffs()
        v[3:6] = R_base_link @ spin

    def _pressure(self, part: str, seen: Observation, R: np.ndarray) -> tuple[float, np.ndarray]:
        """Load of a foot [N] and where it acts in the foot's frame [m], (2,)."""
        low, high = self._rooms[part]
        felt = FELT * self.robot.weight
        if part in self._points and part in seen.pressures:
            shares = seen.pressures[part]
            load = float(shares.sum())
            place = self._points[part][:, :2].T @ shares / max(load, felt)
        else:
            wrench = seen.wrenches.get(part)
            if wrench is None:
                return 0.0, 0.5 * (low + high)
            force, moment = R.T @ wrench[:3], R.T @ wrench[3:]
            load = float(wrench[2])
            place = np.array([-moment[1], moment[0]]) / max(float(force[2]), felt)
        if not load > felt:
            return max(load, 0.0), 0.5 * (low + high)
        return load, np.minimum(np.maximum(place, low), high)

    def _shares(
        self, loads: Mapping[str, float], stance: Mapping[str, pin.SE3]
    ) -> dict[str, float]:
        """How much each standing foot is to be believed; together one."""
        total = sum(loads[part] for part in stance)
        if total > FELT * self.robot.weight:
            return {part: loads[part] / total for part in stance}
        return {part: 1.0 / len(stance) for part in stance}

    def _feel_zmp(
        self,
        places: Mapping[str, pin.SE3],
        loads: Mapping[str, float],
        pressure: Mapping[str, np.ndarray],
        R: np.ndarray,
        shift: np.ndarray,
    ) -> None:
        total = sum(loads.values())
        if total <= FELT * self.robot.weight:
            return
        middle = np.zeros(3)
        for part, load in loads.items():
            x, y = pressure[part]
            T = places[part]
            point = T.translation + T.rotation[:, 0] * x + T.rotation[:, 1] * y
            middle += (load / total) * point
        self._zmp = (R @ middle + shift)[:2]


def _yaw(R: np.ndarray) -> float:
    return atan2(R[1, 0], R[0, 0])


def _angle(a: float) -> float:
    return atan2(sin(a), cos(a))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )
