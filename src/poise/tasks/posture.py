"""Hold a posture, or drift towards comfort, with the joints alone."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V
from poise.tasks.residual import Linear, Residual


class JointResidual(Residual):
    """A residual with one row for each joint, whose Jacobian is diagonal over the joints.

    Whoever assembles a quadratic cost adds to its diagonal instead of multiplying matrices.
    """

    @property
    @abstractmethod
    def slopes(self) -> np.ndarray:
        """Derivative of each row by its joint, (na,)."""

    @property
    def rows(self) -> int:
        """One for each joint."""
        return len(self.slopes)

    @property
    @abstractmethod
    def target(self) -> np.ndarray:
        """Where the joints should be [rad], (na,)."""

    @cached_property
    def target_rate(self) -> np.ndarray:
        """How fast that place moves [rad/s], (na,)."""
        return np.zeros(self.rows)

    def offsets(self, at: Snapshot) -> np.ndarray:
        """Joint angles minus where they should be [rad], (na,)."""
        return at.q[BASE_Q:] - self.target

    def fill(self, at: Snapshot, out: Linear) -> None:
        """Scaled distance of every joint from its place."""
        np.multiply(self.slopes, self.offsets(at), out=out.error)
        np.fill_diagonal(out.jacobian[:, BASE_V:], self.slopes)
        np.multiply(self.slopes, -self.target_rate, out=out.flow)


@dataclass(frozen=True, eq=False)
class Posture(JointResidual):
    """Bring joints to angles, leaving the base free; `scale` weighs single joints."""

    joints_target: np.ndarray  # [rad], (na,)
    scale: np.ndarray | None = None  # (na,), 1 when absent, 0 leaves a joint free; may be rewritten
    velocity: np.ndarray | None = None  # of the target [rad/s], (na,); may be rewritten
    unit: ClassVar[str] = "rad"

    @cached_property
    def slopes(self) -> np.ndarray:
        """The scale of each joint, (na,)."""
        return np.ones(len(self.joints_target)) if self.scale is None else self.scale

    @property
    def target(self) -> np.ndarray:
        """The angles asked for [rad], (na,)."""
        return self.joints_target

    @cached_property
    def target_rate(self) -> np.ndarray:
        """How fast they move [rad/s], (na,)."""
        return np.zeros(self.rows) if self.velocity is None else self.velocity


@dataclass(frozen=True, eq=False)
class Comfort(JointResidual):
    """Stay away from joint limits: each joint's distance from its comfort over its range.

    The gradient of half its square is the ascent direction of the comfort potential; going
    against it leads to comfort.
    """

    robot: Robot
    joints_comfort: np.ndarray  # [rad], (na,)
    unit: ClassVar[str] = "1"

    @cached_property
    def slopes(self) -> np.ndarray:
        """One over the range of each joint [1/rad], (na,)."""
        return 1.0 / np.maximum(self.robot.upper - self.robot.lower, 1e-6)

    @property
    def target(self) -> np.ndarray:
        """The comfortable angles [rad], (na,)."""
        return self.joints_comfort
