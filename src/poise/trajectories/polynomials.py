"""Polynomials of time, of any order and dimension.

They are kept as Chebyshev coefficients on their interval, a basis in which high orders stay well
conditioned; monomials of the share of time that has passed, s = 0 .. 1, can be given and had.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import acos

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from poise.errors import BadInput
from poise.trajectories.trajectory import refuse_empty_span, silenced


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A polynomial of time on [start, end].

    Args:
        start: [s].
        end: [s].
        coefficients: (order + 1, ...), of the Chebyshev polynomials of 2 s - 1, where s is the
            share of time that has passed.
        held: whether it holds its end values outside, or is zero there, as rates are.
    """

    start: float
    end: float
    coefficients: np.ndarray
    held: bool = True

    def __post_init__(self) -> None:
        """Refuse an interval without length and numbers that are none."""
        refuse_empty_span("polynomial", self.start, self.end)
        if len(self.coefficients) == 0 or not np.isfinite(self.coefficients).all():
            raise BadInput("polynomial", "coefficients", "empty or not finite", "finite numbers")

    @classmethod
    def of_monomials(cls, start: float, end: float, coefficients: ArrayLike) -> Polynomial:
        """From coefficients (order + 1, ...) of 1, s, s^2, ..., s the share of time passed."""
        monomials = np.asarray(coefficients, dtype=float)
        change = _chebyshev_of_monomials(len(monomials) - 1)
        return cls(start, end, np.tensordot(change, monomials, axes=1))

    @property
    def monomials(self) -> np.ndarray:
        """Coefficients (order + 1, ...) of 1, s, s^2, ..., s the share of time passed."""
        return np.tensordot(_monomials_of_chebyshev(self.order), self.coefficients, axes=1)

    @property
    def order(self) -> int:
        """Highest power of time."""
        return len(self.coefficients) - 1

    @cached_property
    def rate(self) -> Polynomial:
        """Time derivative [unit / s]."""
        scale = 2.0 / (self.end - self.start)
        slope = chebyshev.chebder(self.coefficients, scl=scale, axis=0)
        return Polynomial(self.start, self.end, slope, held=False)

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Value at a time [s], or values at times (k,)."""
        middle, half = 0.5 * (self.start + self.end), 0.5 * (self.end - self.start)
        c = self.coefficients
        if isinstance(time, float | int):  # a control loop asks for one instant: no arrays needed
            x = min(max((time - middle) / half, -1.0), 1.0)
            basis = np.cos(acos(x) * np.arange(len(c)))
        else:
            time = np.asarray(time, dtype=float)
            x = np.clip((time - middle) / half, -1.0, 1.0)
            basis = np.cos(np.arccos(x)[..., None] * np.arange(len(c)))
        values = basis @ c if c.ndim <= 2 else np.tensordot(basis, c, axes=1)
        return (values if self.held else silenced(values, time, self.start, self.end))[()]

    def __add__(self, other: Polynomial) -> Polynomial:
        """Sum of two polynomials on the same interval."""
        if not isinstance(other, Polynomial):
            return NotImplemented
        if (self.start, self.end, self.held) != (other.start, other.end, other.held):
            found = f"[{other.start}, {other.end}] s"
            raise BadInput("sum of polynomials", "time span", found, f"[{self.start}, {self.end}]")
        order = max(self.order, other.order)
        total = _padded(self.coefficients, order) + _padded(other.coefficients, order)
        return Polynomial(self.start, self.end, total, self.held)


def hold(start: float, end: float, value: ArrayLike) -> Polynomial:
    """Stay at a value from start to end [s]."""
    return Polynomial(start, end, np.asarray(value, dtype=float)[None])


def quintic(
    start: float,
    end: float,
    origin: ArrayLike,
    target: ArrayLike,
    rates: tuple[ArrayLike, ArrayLike] = (0.0, 0.0),
    accelerations: tuple[ArrayLike, ArrayLike] = (0.0, 0.0),
) -> Polynomial:
    """From one value to another, with given rates and accelerations at both ends.

    With both at rest it is the motion of least jerk.

    Args:
        start: [s].
        end: [s].
        origin: value at the start, any shape.
        target: value at the end.
        rates: at start and end [unit / s].
        accelerations: at start and end [unit / s^2].
    """
    refuse_empty_span("quintic", start, end)
    T = end - start
    ends = (origin, *rates[:1], *accelerations[:1], target, *rates[1:], *accelerations[1:])
    conditions = [np.asarray(value, dtype=float) for value in ends]
    state = np.empty((6, *np.broadcast_shapes(*(value.shape for value in conditions))))
    for k, value in enumerate(conditions):
        state[k] = value * T ** (k % 3)
    coefficients = _quintic_of_ends() @ state.reshape(6, -1)
    return Polynomial(start, end, coefficients.reshape(state.shape))


def minimum_jerk(start: float, end: float, origin: ArrayLike, target: ArrayLike) -> Polynomial:
    """From rest to rest, start to end [s], with the least integral of squared jerk."""
    return quintic(start, end, origin, target)


def lift(start: float, end: float, height: float, direction: ArrayLike = 1.0) -> Polynomial:
    """Rise by a height and come back, 64 h s^3 (1 - s)^3: at rest, and unbent, at both ends.

    Args:
        start: [s].
        end: [s].
        height: reached half-way, in units of the trajectory [m].
        direction: unit vector to rise along, e.g. (0, 0, 1); a number for a scalar trajectory.
    """
    bump = 64.0 * height * np.array([0.0, 0.0, 0.0, 1.0, -3.0, 3.0, -1.0])
    return Polynomial.of_monomials(start, end, np.multiply.outer(bump, np.asarray(direction)))


@cache
def _quintic_of_ends() -> np.ndarray:
    """Matrix from value, rate and bend at s = 0, then at s = 1, to Chebyshev coefficients."""
    s_powers = np.array([[1.0, 0, 0, 0, 0, 0], [1.0, 1, 1, 1, 1, 1]])
    slopes = np.array([[0.0, 1, 0, 0, 0, 0], [0.0, 1, 2, 3, 4, 5]])
    bends = np.array([[0.0, 0, 2, 0, 0, 0], [0.0, 0, 2, 6, 12, 20]])
    ends = np.stack([s_powers, slopes, bends], axis=1).reshape(6, 6)
    return _chebyshev_of_monomials(5) @ np.linalg.inv(ends)


@cache
def _chebyshev_of_monomials(order: int) -> np.ndarray:
    """Matrix from coefficients of powers of s = (x + 1) / 2 to those of Chebyshev's of x."""
    matrix = np.zeros((order + 1, order + 1))
    power: np.ndarray = np.ones(1)
    for k in range(order + 1):
        matrix[: k + 1, k] = power
        power = chebyshev.chebmul(power, [0.5, 0.5])
    return matrix


@cache
def _monomials_of_chebyshev(order: int) -> np.ndarray:
    """Matrix from coefficients of Chebyshev's of x = 2 s - 1 to those of powers of s."""
    matrix = np.zeros((order + 1, order + 1))
    matrix[0, 0] = 1.0
    if order > 0:
        matrix[:2, 1] = -1.0, 2.0
    for k in range(2, order + 1):  # T_k = 2 x T_k-1 - T_k-2
        matrix[:, k] = -2.0 * matrix[:, k - 1] - matrix[:, k - 2]
        matrix[1:, k] += 4.0 * matrix[:-1, k - 1]
    return matrix


def _padded(coefficients: np.ndarray, order: int) -> np.ndarray:
    """The same polynomial, written with the coefficients of a higher order."""
    zeros = np.zeros((order + 1 - len(coefficients), *coefficients.shape[1:]))
    return np.concatenate([coefficients, zeros])
