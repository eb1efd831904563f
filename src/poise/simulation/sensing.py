"""What the robot feels: sensors read from MuJoCo's state, then spoilt by noise."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin

from poise.motion import Observation
from poise.robot import Robot
from poise.robot.pressure import points_in_part as points_in_part
from poise.robot.quaternion import quat_of
from poise.robot.robot import BASE_Q, BASE_V
from poise.simulation.gathering import gather_wrenches
from poise.simulation.model import Physics, floor_rotation
from poise.simulation.options import Noise, SimulationOptions
from poise.simulation.skeleton import wxyz
from poise.simulation.soles import PressureMap

HANDS = ("left_hand", "right_hand")


class Sensing:
    """Reads one robot's sensors.

    Forces belong to the physics step that just ended, poses and velocities to the instant after
    it; the acceleration is the mean since the last look, so that it adds up to the velocity. A
    wrench is what comes from outside: at a foot the floor, at a hand whatever touches or pulls it,
    as a wrist sensor tells after the weight and the inertia of the hand have been taken off. Feet
    and hands are felt on every robot; whether the real one has the sensor is written in its facts.
    """

    def __init__(
        self, robot: Robot, physics: Physics, data: mujoco.MjData, options: SimulationOptions
    ) -> None:
        self.robot, self.physics, self.noise = robot, physics, options.noise
        self._seed, self._data = options.seed, data
        self._ideal = options.noise == Noise()
        self._wrenches = _Wrenches(robot, physics, data)
        self._imu = _Imu(robot, physics, data, floor_rotation(options))
        self._soles = [
            (s.part, self._wrenches.parts.index(s.part), PressureMap(points_in_part(robot, s)))
            for s in robot.sensors
            if s.kind == "pressure" and s.part in robot.soles
        ]
        self._torques = np.zeros(robot.na)
        self._R_world_base, self._qpos, self._qvel = data.xmat[1], data.qpos, data.qvel
        self.reset()

    def reset(self) -> None:
        """Start over; the same noise comes again."""
        self._random = np.random.default_rng(self._seed)
        self._imu.reset()

    def feel_forces(self) -> None:
        """Read what belongs to the step that just ended, before kinematics move on."""
        mujoco.mj_rnePostConstraint(self.physics.model, self._data)
        self._wrenches.read()
        self._torques[self.physics.motors] = self._data.actuator_force

    def observe(self) -> Observation:
        """Everything felt at this instant."""
        physics, data = self.physics, self._data
        q, v = self._qpos[physics.qpos], self._qvel[physics.dofs]
        mujoco.mju_mulMatTVec3(v[:3], self._R_world_base, v[:3])  # MuJoCo's is in world axes
        quat_xyzw, gyro = self._imu.read_turning()
        seen = Observation(
            time=data.time,
            joints=q[BASE_Q:],
            rates=v[BASE_V:],
            torques=self._torques.copy(),
            quat_xyzw=quat_xyzw,
            gyro=gyro,
            accelerometer=self._imu.read_acceleration(),
            wrenches=dict(zip(self._wrenches.parts, self._wrenches.now.copy(), strict=True)),
            pressures={
                part: share.pressures(self._wrenches.own[k][_LOAD])
                for part, k, share in self._soles
            },
            q=q,
            v=v,
        )
        return seen if self._ideal else self._spoilt(seen)

    def _spoilt(self, seen: Observation) -> Observation:
        noise, na = self.noise, self.robot.na
        normal = self._random.standard_normal
        turn = pin.Quaternion(quat_of(pin.exp3(noise.orientation * normal(3))))
        wobble = np.r_[np.full(3, noise.force), np.full(3, noise.moment)]
        return replace(
            seen,
            joints=_rounded(seen.joints + noise.joint_angle * normal(na), noise.joint_step),
            rates=seen.rates + noise.joint_rate * normal(na),
            quat_xyzw=(pin.Quaternion(seen.quat_xyzw) * turn).coeffs(),
            gyro=seen.gyro + noise.gyro * normal(3),
            accelerometer=seen.accelerometer + noise.accelerometer * normal(3),
            wrenches={part: w + wobble * normal(6) for part, w in seen.wrenches.items()},
            pressures={
                part: np.maximum(
                    _rounded(p + noise.pressure * normal(len(p)), noise.pressure_step), 0.0
                )
                for part, p in seen.pressures.items()
            },
        )


_LOAD = np.array([5, 0, 1])  # normal force, moments about x and y, in a moment-first wrench
_XYZW = np.array([1, 2, 3, 0])


class Delay:
    """Hands out observations some periods late; the time and the truth stay those of now."""

    def __init__(self, periods: int) -> None:
        self._held: deque[Observation] = deque(maxlen=periods + 1)

    def reset(self) -> None:
        """Forget what is under way."""
        self._held.clear()

    def pass_on(self, seen: Observation) -> Observation:
        """Take in what is felt now and give out what arrives now."""
        self._held.append(seen)
        return replace(self._held[0], time=seen.time, q=seen.q, v=seen.v)


class _Wrenches:
    """Wrenches from outside on all that feet and hands carry, at the frames of these parts."""

    def __init__(self, robot: Robot, physics: Physics, data: mujoco.MjData) -> None:
        model = physics.model
        self.parts = (*robot.feet, *(hand for hand in HANDS if hand in robot.parts))
        sites = [model.site(part).id for part in self.parts]
        carried = [carried_by(model, int(model.site_bodyid[site])) for site in sites]
        # views of MuJoCo's memory
        self._felt = data.cfrc_ext, data.subtree_com[1], data.site_xpos, data.site_xmat
        self._whose = np.array(sites, dtype=np.intp), np.array(carried)
        self.now = np.zeros((len(self.parts), 6))  # force, moment, world axes
        self.own = np.zeros((len(robot.feet), 6))  # moment, force, in the axes of each foot

    def read(self) -> None:
        """Gather the wrenches of the step that just ended."""
        gather_wrenches(self._felt, self._whose, self.now, self.own)


class _Imu:
    """Orientation of the IMU's link, angular velocity and proper acceleration in IMU axes."""

    def __init__(
        self, robot: Robot, physics: Physics, data: mujoco.MjData, R_true_floor: np.ndarray
    ) -> None:
        imu = next((s for s in robot.sensors if s.kind == "imu"), None)
        self._model, self._data = physics.model, data
        self._site = physics.model.site(f"{imu.name}_sensor" if imu else "base").id
        body = physics.model.site_bodyid[self._site]
        frame = robot.model.frames[robot.frame_id(imu.link if imu else "base")]
        self._quat_body_link = wxyz(frame.placement.rotation)
        self._quat_true_floor = wxyz(R_true_floor)
        self._quat_world_body, self._velocity = data.xquat[body], data.cvel[body, :3]
        self._R_world_sensor = data.site_xmat[self._site]
        self._gravity = physics.model.opt.gravity
        self._moving, self._before, self._time = np.zeros(6), np.zeros(3), 0.0

    def reset(self) -> None:
        """Start over from the velocity of now."""
        self._before[:], self._time = self._speed(), self._data.time

    def read_acceleration(self) -> np.ndarray:
        """Proper acceleration since the last look [m/s²], (3,).

        Told by velocities: an implicit integrator moves otherwise than MuJoCo's acceleration says.
        """
        speed, passed = self._speed(), self._data.time - self._time
        felt = -self._gravity
        if passed > 0.0:
            felt += (speed - self._before) / passed
            self._before[:], self._time = speed, self._data.time
        mujoco.mju_mulMatTVec3(felt, self._R_world_sensor, felt)
        return felt

    def _speed(self) -> np.ndarray:
        """Velocity of the sensor, world axes [m/s], (3,)."""
        kind = mujoco.mjtObj.mjOBJ_SITE
        mujoco.mj_objectVelocity(self._model, self._data, kind, self._site, self._moving, 0)
        return self._moving[3:]

    def read_turning(self) -> tuple[np.ndarray, np.ndarray]:
        """Orientation of the link in a truly upright frame, xyzw, and angular velocity."""
        quat, gyro = np.empty(4), np.empty(3)
        mujoco.mju_mulQuat(quat, self._quat_world_body, self._quat_body_link)
        mujoco.mju_mulQuat(quat, self._quat_true_floor, quat)
        mujoco.mju_mulMatTVec3(gyro, self._R_world_sensor, self._velocity)
        return quat[_XYZW], gyro


def carried_by(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Which bodies move with a body: itself and all that hangs on it, (nbody,) of bool."""
    inside = np.zeros(model.nbody, dtype=bool)
    inside[body] = True
    for k in range(body + 1, model.nbody):  # parents come before children
        inside[k] |= inside[model.body_parentid[k]]
    return inside


def _rounded(values: np.ndarray, step: float) -> np.ndarray:
    return np.round(values / step) * step if step > 0.0 else values
