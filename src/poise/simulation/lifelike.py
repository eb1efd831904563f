"""A world as unkind as a laboratory: servos that lag, soles that give, sensors that are noisy."""

from __future__ import annotations

from math import sqrt
from typing import Any

from poise.robot import Robot
from poise.simulation.options import Noise, SimulationOptions

SERVO_LAG = 0.02  # [s], before the servo's own kd / kp: about 8 Hz together
SINKAGE = 0.0005  # [m], of a robot at rest
DAMPED = 3.0  # how far beyond critically rubber soles are damped
STEPS = 4096  # 12 bits, over the whole weight
PRESSURE = 0.1 / 86.0  # noise of a pressure point, of the weight: 0.1 N on a robot of 8.8 kg
MOMENT = 0.05  # [m], lever that makes a moment of a force sensor's noise
# what an industrial IMU and 16 bit encoders leave from reading to reading
ORIENTATION = 2e-4  # [rad]
GYRO = 3e-3  # [rad/s]
ACCELEROMETER = 0.03  # [m/s²]
JOINT_RATE = 0.01  # [rad/s]
JOINT_STEP = 1e-4  # [rad]


def lifelike(robot: Robot, **more: Any) -> SimulationOptions:
    """A world for a robot, scaled to its weight.

    Args:
        robot: who stands in it.
        **more: any other field of SimulationOptions.
    """
    stiffness = 0.5 * robot.weight / SINKAGE
    noise = PRESSURE * robot.weight
    defaults: dict[str, Any] = {
        "physics_step": 0.001,
        "servo_lag": SERVO_LAG,
        "floor_stiffness": stiffness,
        "floor_damping": DAMPED * 2.0 * sqrt(stiffness * 0.5 * robot.mass),
        "noise": Noise(
            pressure=noise,
            pressure_step=robot.weight / STEPS,
            force=2.0 * noise,
            moment=2.0 * noise * MOMENT,
            orientation=ORIENTATION,
            gyro=GYRO,
            accelerometer=ACCELEROMETER,
            joint_rate=JOINT_RATE,
            joint_step=JOINT_STEP,
        ),
    }
    return SimulationOptions(**{**defaults, **more})
