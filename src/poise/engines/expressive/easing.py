"""Easing: every knob follows its slider like a damped spring, never faster than it may.

The torques of a tick follow from the style of that tick; a style that moves smoothly gives torques
that do. Weights move by their logarithm, at most a decade in a second.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.engines.expressive.options import KNOBS, NUMBERS, Style

QUICKNESS = 6.0  # [1/s], rate of the spring
JOINT_SPEED = 1.0  # [rad/s], at most, of the rest pose
DECADE = 1.0  # [1/s], decades that a weight may cross in a second
LOGARITHMIC = ("momentum", "torque", "rest_pull")
SETTLED = 1e-7  # of a range; closer than this it has arrived
NEAR = 0.02  # of a range; closer than this a walk may begin
NEAR_DECADES = 0.3  # the same for a weight
EXTRA = ("pendulum", "hold_height")  # the laws, as numbers from 0 to 1


class EasedStyle:
    """The numbers of a style on their way to a target, and the rest pose with them."""

    def __init__(self, style: Style, rest: np.ndarray) -> None:
        """Begin at a style and a rest pose [rad], (na,)."""
        n = len(NUMBERS) + len(EXTRA)
        self._log = np.array([name in LOGARITHMIC for name in NUMBERS] + [False] * len(EXTRA))
        spans = np.ones(n + len(rest))
        speeds = np.full(n + len(rest), JOINT_SPEED)
        for k, name in enumerate(NUMBERS):
            one = KNOBS[name]
            spans[k] = 1.0 if self._log[k] else one.high - one.low
            speeds[k] = DECADE if self._log[k] else one.rate * spans[k]
        self._speeds, self._tolerance = speeds, SETTLED * spans
        self._near = NEAR * spans
        self._near[:n][self._log] = NEAR_DECADES
        self._n = n
        self._x = self._vector(style, rest)
        self._target, self._v = self._x.copy(), np.zeros(len(self._x))
        self.settled = True
        self._unpack()

    @property
    def near(self) -> bool:
        """Whether what is left of the way can be gone while walking."""
        return bool((np.abs(self._target - self._x) < self._near).all())

    def aim(self, style: Style, rest: np.ndarray) -> None:
        """Move towards a style and a rest pose from now on."""
        self._target = self._vector(style, rest)
        self.settled = False

    def advance(self, dt: float) -> bool:
        """Let a period pass [s]; whether anything moved."""
        if self.settled:
            return False
        self.settled = _advance(self._x, self._v, self._target, self._speeds, self._tolerance, dt)
        self._unpack()
        return True

    def _vector(self, style: Style, rest: np.ndarray) -> np.ndarray:
        numbers = [getattr(style, name) for name in NUMBERS]
        laws = [float(style.com_law == "pendulum"), float(style.com_height_law == "fixed")]
        x = np.array([*numbers, *laws], dtype=float)
        x[self._log] = np.log10(x[self._log])
        return np.r_[x, rest]

    def _unpack(self) -> None:
        *numbers, self.pendulum, self.hold_height = _unpacked(self._x, self._log).tolist()
        self.numbers: dict[str, float] = dict(zip(NUMBERS, numbers, strict=True))
        self.rest = self._x[self._n :]
        self.rest_rate = self._v[self._n :]


@compiled
def _advance(
    x: np.ndarray,
    v: np.ndarray,
    target: np.ndarray,
    speeds: np.ndarray,
    tolerance: np.ndarray,
    dt: float,
) -> bool:
    """Let a period pass [s]; whether everything has arrived, and then it is at its target.

    Args:
        x: where everything is (n,), moved.
        v: how fast it moves (n,), changed.
        target: where it goes (n,).
        speeds: how fast it may (n,).
        tolerance: how near is there (n,).
        dt: period [s].
    """
    arrived = True
    for i in range(x.shape[0]):
        near = abs(target[i] - x[i]) < tolerance[i] and abs(v[i]) < QUICKNESS * tolerance[i]
        arrived = arrived and near
    # exact step of the critically damped spring, for any period
    k, fade = QUICKNESS, np.exp(-QUICKNESS * dt)
    for i in range(x.shape[0]):
        if arrived:
            x[i], v[i] = target[i], 0.0
        else:
            slope = v[i] - k * (target[i] - x[i])
            speed = min(max((v[i] - k * dt * slope) * fade, -speeds[i]), speeds[i])
            x[i] += 0.5 * dt * (v[i] + speed)
            v[i] = speed
    return arrived


@compiled
def _unpacked(x: np.ndarray, logarithmic: np.ndarray) -> np.ndarray:
    """The first numbers of x, as many as it is said of whether they are logarithms."""
    out = np.empty(logarithmic.shape[0])
    for i in range(out.shape[0]):
        out[i] = 10.0 ** x[i] if logarithmic[i] else x[i]
    return out
