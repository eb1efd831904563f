"""How the simulated world differs from an ideal one, as values."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from poise.errors import BadInput


@dataclass(frozen=True)
class Push:
    """A force on a link for a while."""

    force: tuple[float, float, float]  # [N], world axes
    start: float  # [s]
    duration: float = 0.1  # [s]
    part: str = "chest"  # a part, or any link or joint of the robot
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m], in the part's frame


@dataclass(frozen=True)
class Noise:
    """Standard deviations of what sensors add, and the steps they round to; zero is ideal."""

    joint_angle: float = 0.0  # [rad]
    joint_step: float = 0.0  # [rad], resolution of the encoders
    joint_rate: float = 0.0  # [rad/s]
    orientation: float = 0.0  # [rad], about each axis of the IMU
    gyro: float = 0.0  # [rad/s]
    accelerometer: float = 0.0  # [m/s^2]
    force: float = 0.0  # [N], of wrench sensors
    moment: float = 0.0  # [N m]
    pressure: float = 0.0  # [N], of each pressure point
    pressure_step: float = 0.0  # [N], resolution of each pressure point

    def __post_init__(self) -> None:
        for entry in fields(self):
            if not getattr(self, entry.name) >= 0.0:
                raise BadInput("noise", entry.name, f"{getattr(self, entry.name)}", "zero or more")


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """What the simulated world is like; the default is a good floor and ideal sensors."""

    physics_step: float = 0.0025  # [s], at most; a whole number of steps makes a period
    friction: float = 0.8  # of the floor
    floor_stiffness: float | None = None  # [N/m] under one whole foot; None is hard
    floor_damping: float | None = None  # [N s/m] under one whole foot; None is critical
    self_collision: bool = True
    noise: Noise = field(default_factory=Noise)
    command_latency: float = 0.0  # [s], from a command to the servos that obey it
    sensor_latency: float = 0.0  # [s], rounded up to whole periods
    mass_error: float = 0.0  # share; 0.1: every link is 10 % heavier than the robot's facts say
    gain_scale: float = 1.0  # factor on the servos' position and velocity gains
    servo_lag: float = 0.0  # [s], time constant between what a servo is told and what it does
    slope: tuple[float, float] = (0.0, 0.0)  # [rad], roll and pitch by which gravity is tilted
    ankle_stiffness: float | None = None  # [N m/rad], of a rubber bush between ankle and sole
    ankle_damping: float | None = None  # [N m s/rad]; None is a tenth of critical for the robot
    ankle_spring: float | None = None  # [N/m], of the same bush, along the leg; None is rigid
    pushes: tuple[Push, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        positive = ("physics_step", "gain_scale")
        floor = ("floor_stiffness", "floor_damping")
        ankle = ("ankle_stiffness", "ankle_damping", "ankle_spring")
        for name in positive + floor + ankle:
            value = getattr(self, name)
            if not (value is None or value > 0.0):
                raise BadInput("simulation", name, f"{value}", "a positive number")
        for name in ("friction", "command_latency", "sensor_latency", "servo_lag"):
            if not getattr(self, name) >= 0.0:
                raise BadInput("simulation", name, f"{getattr(self, name)}", "zero or more")
        if not self.mass_error > -1.0:
            raise BadInput("simulation", "mass_error", f"{self.mass_error}", "more than -1")

    @property
    def flexible_ankles(self) -> bool:
        """Whether something gives way between ankles and soles."""
        return self.ankle_stiffness is not None or self.ankle_spring is not None
