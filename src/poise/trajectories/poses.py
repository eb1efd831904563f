"""Poses as functions of time.

Called, a `PoseTrajectory` answers with T_world_body. Its rate is the twist, linear then angular,
at the origin of the body and in world axes; the rate of that is the acceleration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from poise.trajectories.combining import Piecewise, Stacked
from poise.trajectories.polynomials import hold, minimum_jerk
from poise.trajectories.trajectory import Trajectory
from poise.trajectories.turning import Turn, turn


@dataclass(frozen=True, eq=False)
class PoseTrajectory:
    """A position and an orientation that change in time.

    Args:
        position: trajectory of the origin (3,) [m].
        orientation: trajectory of R_world_body (3, 3) whose rate is the angular velocity in world
            axes, e.g. a `Turn`, a `RotationPath` or a `Piecewise` of them.
    """

    position: Trajectory
    orientation: Trajectory

    @property
    def start(self) -> float:
        """First instant [s]."""
        return min(self.position.start, self.orientation.start)

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return max(self.position.end, self.orientation.end)

    @cached_property
    def rate(self) -> Stacked:
        """Twist (6,): velocity of the origin [m/s], angular velocity [rad/s], world axes."""
        return Stacked([self.position.rate, self.orientation.rate])

    def __call__(self, time: ArrayLike) -> pin.SE3 | list[pin.SE3]:
        """T_world_body at a time [s], or a list of them at times (k,)."""
        R, p = self.orientation(time), self.position(time)
        if np.ndim(time) == 0:
            return pin.SE3(R, p)
        return [pin.SE3(R_k, p_k) for R_k, p_k in zip(R, p, strict=True)]

    def twist(self, time: ArrayLike) -> np.ndarray:
        """Linear [m/s], then angular velocity [rad/s], world axes: (6,), or (k, 6)."""
        return self.rate(time)

    def acceleration(self, time: ArrayLike) -> np.ndarray:
        """Linear [m/s^2], then angular acceleration [rad/s^2], world axes: (6,), or (k, 6)."""
        return self.rate.rate(time)


def still(start: float, end: float, T_world_body: pin.SE3) -> PoseTrajectory:
    """Stay in a pose from start to end [s]."""
    R, p = np.array(T_world_body.rotation), np.array(T_world_body.translation)
    return PoseTrajectory(hold(start, end, p), Turn(R, np.zeros(3), hold(start, end, 0.0)))


def move(start: float, end: float, T_from: pin.SE3, T_to: pin.SE3) -> PoseTrajectory:
    """From one pose to another, start to end [s]: straight, the shortest way, rest to rest."""
    position = minimum_jerk(start, end, T_from.translation, T_to.translation)
    return PoseTrajectory(position, turn(start, end, T_from.rotation, T_to.rotation))


def move_through(times: ArrayLike, poses: list[pin.SE3]) -> Piecewise:
    """From pose to pose, at rest in each of them."""
    times = np.asarray(times, dtype=float)
    legs = zip(times, times[1:], poses, poses[1:], strict=False)
    return Piecewise([move(float(t), float(after), T, T_to) for t, after, T, T_to in legs])
