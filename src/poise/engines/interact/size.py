"""How big a robot is, against the one of the paper: everything about being led scales with it.

A pendulum twice as long falls sqrt(2) times slower; a robot of a tenth of the mass is led by a
tenth of the force.
"""

from __future__ import annotations

from dataclasses import dataclass

from poise.robot import Robot
from poise.walking.stature import Stature

COM_HEIGHT = 0.814  # [m], of the paper's robot
WEIGHT = 568.0  # [N]


@dataclass(frozen=True)
class Size:
    """Factors from the paper's robot to this one."""

    length: float
    weight: float

    @classmethod
    def of(cls, robot: Robot) -> Size:
        """Measure a robot in half-sitting."""
        stature = Stature.of(robot)
        return cls(stature.com_height / COM_HEIGHT, robot.weight / WEIGHT)

    @property
    def time(self) -> float:
        """Factor on times."""
        return self.length**0.5

    @property
    def speed(self) -> float:
        """Factor on speeds."""
        return self.length / self.time

    @property
    def damping(self) -> float:
        """Factor on dampings [N s/m]."""
        return self.weight / self.speed

    @property
    def stiffness(self) -> float:
        """Factor on stiffnesses [N/m]."""
        return self.weight / self.length

    def factor(self, scale: str) -> float:
        """The factor of a scale by its name; 1 for none."""
        return {
            "": 1.0,
            "length": self.length,
            "time": self.time,
            "speed": self.speed,
            "force": self.weight,
            "damping": self.damping,
            "spin damping": self.damping * self.length**2,
            "stiffness": self.stiffness,
        }[scale]
