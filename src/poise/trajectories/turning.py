"""Orientations as functions of time, with exact angular velocity and acceleration.

Rotations are matrices R_world_body; angular velocities and accelerations are in world axes. The
`rate` of a turning is its angular velocity, the rate of that its angular acceleration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import factorial

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from poise.errors import BadInput
from poise.trajectories.combining import Along
from poise.trajectories.polynomials import minimum_jerk
from poise.trajectories.trajectory import Trajectory
from poise.trajectories.waypoints import spline_through

SMALL = 0.5  # [rad], below which series are more exact than quotients of small numbers


@dataclass(frozen=True, eq=False)
class Turn:
    """A rotation about a fixed axis, R(t) = R_start exp(s(t) vector): the shortest way round.

    Args:
        R_start: (3, 3).
        vector: rotation vector in body axes [rad], (3,), turned by when s is one.
        share: scalar trajectory s, usually from 0 to 1.
    """

    R_start: np.ndarray
    vector: np.ndarray
    share: Trajectory

    @property
    def start(self) -> float:
        """First instant [s]."""
        return self.share.start

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return self.share.end

    @cached_property
    def rate(self) -> Along:
        """Angular velocity in world axes [rad/s], (3,); its rate is the acceleration [rad/s^2]."""
        return Along(self.R_start @ self.vector, self.share.rate)

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Orientation (3, 3) at a time [s], or orientations (k, 3, 3) at times (k,)."""
        return self.R_start @ rotations(np.multiply.outer(self.share(time), self.vector))


@dataclass(frozen=True, eq=False)
class RotationPath:
    """A rotation vector that changes in time, R(t) = R_reference exp(vector(t)).

    Args:
        R_reference: (3, 3).
        vector: trajectory of rotation vectors (3,) [rad], shorter than a full turn.
    """

    R_reference: np.ndarray
    vector: Trajectory

    @property
    def start(self) -> float:
        """First instant [s]."""
        return self.vector.start

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return self.vector.end

    @cached_property
    def rate(self) -> AngularVelocity:
        """Angular velocity in world axes [rad/s]; its rate is the acceleration [rad/s^2]."""
        return AngularVelocity(self)

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Orientation (3, 3) at a time [s], or orientations (k, 3, 3) at times (k,)."""
        return self.R_reference @ rotations(self.vector(time))


@dataclass(frozen=True, eq=False)
class AngularVelocity:
    """Angular velocity of a rotation path, in world axes [rad/s]."""

    path: RotationPath

    @property
    def start(self) -> float:
        """First instant [s]."""
        return self.path.start

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return self.path.end

    @cached_property
    def rate(self) -> AngularAcceleration:
        """Angular acceleration in world axes [rad/s^2]."""
        return AngularAcceleration(self.path)

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Value (3,) at a time [s], or values (k, 3) at times (k,)."""
        p, v = self.path.vector(time), self.path.vector.rate(time)
        a, b, _, _ = _gains(p)
        pv = np.cross(p, v)
        return (v + a * pv + b * np.cross(p, pv)) @ self.path.R_reference.T


@dataclass(frozen=True, eq=False)
class AngularAcceleration:
    """Angular acceleration of a rotation path, in world axes [rad/s^2]."""

    path: RotationPath

    @property
    def start(self) -> float:
        """First instant [s]."""
        return self.path.start

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return self.path.end

    @property
    def rate(self) -> Trajectory:
        """Not offered: angular jerk is asked for by nobody."""
        raise BadInput("rotation path", "derivative", "the third", "the first or second")

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Value (3,) at a time [s], or values (k, 3) at times (k,)."""
        vector = self.path.vector
        p, v, w = vector(time), vector.rate(time), vector.rate.rate(time)
        a, b, a_rate, b_rate = _gains(p)
        pv, pw = np.cross(p, v), np.cross(p, w)
        growth = np.sum(p * v, axis=-1, keepdims=True)
        total = w + a * pw + b * np.cross(p, pw) + b * np.cross(v, pv)
        total = total + growth * (a_rate * pv + b_rate * np.cross(p, pv))
        return total @ self.path.R_reference.T


def turn(start: float, end: float, R_from: np.ndarray, R_to: np.ndarray) -> Turn:
    """From one orientation to another, start to end [s]: the shortest way, with least jerk."""
    vector = pin.log3(np.asarray(R_from).T @ np.asarray(R_to))
    return Turn(np.array(R_from), vector, minimum_jerk(start, end, 0.0, 1.0))


def turn_through(
    times: ArrayLike,
    orientations: ArrayLike,
    rates: tuple[ArrayLike, ArrayLike] | None = (0.0, 0.0),
) -> RotationPath:
    """Through orientations (k, 3, 3) at times (k,) without stopping, accelerations continuous.

    Args:
        times: rising [s].
        orientations: all within half a turn of the middle one.
        rates: of the rotation vector at both ends [rad/s]; None leaves them to the spline.
    """
    R = np.asarray(orientations, dtype=float)
    R_middle = R[len(R) // 2]
    vectors = np.array([pin.log3(R_middle.T @ each) for each in R])
    if np.linalg.norm(np.diff(vectors, axis=0), axis=1).max(initial=0.0) > np.pi:
        accepted = (
            "orientations within half a turn of the middle one; use turns one after the other"
        )
        raise BadInput("turn_through", "orientations", "more than half a turn apart", accepted)
    return RotationPath(R_middle, spline_through(times, vectors, rates=rates))


def rotations(vectors: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3) [rad]."""
    vectors = np.asarray(vectors, dtype=float)
    if vectors.ndim == 1:
        return pin.exp3(vectors)
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vectors, -1, 0)
    o = np.zeros_like(x)
    skew = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1).reshape(*x.shape, 3, 3)
    sine, half = np.sinc(angle / np.pi), np.sinc(angle / (2.0 * np.pi))
    return np.eye(3) + sine * skew + 0.5 * half**2 * (skew @ skew)


def _gains(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(1 - cos t) / t^2 and (t - sin t) / t^3 of the angle t, and their derivatives divided by t.

    With them the angular velocity of exp(p) is v + a p x v + b p x (p x v).
    """
    t = np.linalg.norm(vectors, axis=-1, keepdims=True)
    small = t < SMALL
    u = np.where(small, t * t, 0.0)
    t = np.where(small, 1.0, t)
    sin, cos = np.sin(t), np.cos(t)
    quotients = (
        (1.0 - cos) / t**2,
        (t - sin) / t**3,
        (t * sin - 2.0 * (1.0 - cos)) / t**4,
        (3.0 * sin - 2.0 * t - t * cos) / t**5,
    )
    gains = [
        np.where(small, np.polyval(series, u), quotient)
        for series, quotient in zip(_SERIES, quotients, strict=True)
    ]
    return gains[0], gains[1], gains[2], gains[3]


def _series() -> tuple[list[float], ...]:
    """Coefficients of the four gains in powers of t^2, the highest first."""
    terms = range(8)
    a = [(-1) ** k / factorial(2 * k + 2) for k in terms]
    b = [(-1) ** k / factorial(2 * k + 3) for k in terms]
    a_rate = [2 * k * a[k] for k in terms][1:]
    b_rate = [2 * k * b[k] for k in terms][1:]
    return a[::-1], b[::-1], a_rate[::-1], b_rate[::-1]


_SERIES = _series()
