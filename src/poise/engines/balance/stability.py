"""Which gains keep a robot on its feet: the loop of centre of mass, floor and ZMP filter.

A rigid robot over a flat floor is a pendulum at constant height, with w² = g / z:

    p = c - c'' / w²                    where the ZMP is for a moving centre of mass

and the controller moves the centre of mass by

    c' = k (c_d - c) + a (p_d - p_f) + b d/dt (p_d - p_f),    p_f = p / (tau s + 1)²

with a = k Kp, b = k Kd for the stiff law (lean against what pushes) and a = -kz, b = 0 for the
compliant one (give way). Servos answer with 1 / (lag s + 1)². The roots of

    (s S + k) F + (a + b s) (1 - s² / w²) = 0,   F = (tau s + 1)²,  S = (lag s + 1)²

decide. Without a filter the stiff law has a root on the wrong side for every positive gain: the
acceleration of the leaning body moves the ZMP the wrong way first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import polynomial

from poise.errors import BadInput

DECAY = 0.5  # [1/s], every root has to die at least this fast
GAIN_MARGIN = 2.0  # 6 dB: the feedback may be this much stronger than planned
LONGEST_FILTER = 1.0  # [s], no one would wait longer
NOTHING = 1e-12  # share of the largest coefficient below which one is rounding
FINE = 1e-3  # how exactly the nearest stable value is told, relative


@dataclass(frozen=True)
class Loop:
    """Everything that the stability of the ZMP feedback depends on.

    Args:
        k: pull of the centre of mass to its reference [1/s].
        push_back: a, feedback of the ZMP error [1/s]; negative gives way.
        brake: b, feedback of its rate.
        filter_time: tau of the second-order filter on the measured ZMP [s].
        servo_time: lag of the servos [s].
        omega: rate of the pendulum [1/s].
    """

    k: float
    push_back: float
    brake: float
    filter_time: float
    servo_time: float
    omega: float

    def characteristic(self) -> np.ndarray:
        """Coefficients of the closed loop's polynomial in s, constant first."""
        F = polynomial.polypow([1.0, self.filter_time], 2)
        S = polynomial.polypow([1.0, self.servo_time], 2)
        moved = polynomial.polyadd(polynomial.polymul([0.0, 1.0], S), [self.k])
        floor = [1.0, 0.0, -1.0 / self.omega**2]
        felt = polynomial.polymul([self.push_back, self.brake], floor)
        found = polynomial.polyadd(polynomial.polymul(moved, F), felt)
        # a vanishing leading coefficient means a root at infinity, which decides nothing here
        return polynomial.polytrim(found, tol=NOTHING * np.abs(found).max())

    def slowest(self) -> float:
        """Real part of the root furthest to the right [1/s]; negative is stable."""
        roots = polynomial.polyroots(self.characteristic())
        return float(roots.real.max()) if len(roots) else -np.inf

    def stronger(self, factor: float) -> Loop:
        """The same with a stronger feedback."""
        return replace(self, push_back=factor * self.push_back, brake=factor * self.brake)

    @property
    def stable(self) -> bool:
        """Whether every root dies fast enough, and is still stable with the gain margin."""
        return self.slowest() < -DECAY and (
            self.push_back < 0.0 or self.stronger(GAIN_MARGIN).slowest() < 0.0
        )


def least_filter(loop: Loop) -> float | None:
    """The shortest ZMP filter for which a loop is stable [s]; None when none is."""
    times = np.geomspace(1e-3, LONGEST_FILTER, 200)
    for below, time in zip([0.0, *times[:-1]], times, strict=True):
        if replace(loop, filter_time=float(time)).stable:
            return _narrowed(
                float(below), float(time), lambda t: replace(loop, filter_time=t).stable
            )
    return None


def shortest_filter(loop: Loop) -> float | None:
    """The same to three digits, never below, if it is longer than the one it has [s]."""
    shortest = least_filter(loop)
    return None if shortest is None or shortest <= loop.filter_time else _up(shortest)


def strongest(loop: Loop) -> float:
    """The greatest factor at most one on the feedback for which a loop is stable; may be 0."""
    for factor in np.linspace(1.0, 0.0, 201):
        if loop.stronger(float(factor)).stable:
            return float(factor)
    return 0.0


def require_stable(loop: Loop, where: str, field: str, unit: str = "") -> None:
    """Refuse a loop that is not stable, with the reason and the nearest stable values.

    Args:
        loop: what is asked for.
        where: the call or file, for the message.
        field: the name of the gain that `push_back` is made of.
        unit: how to tell that gain from a factor, e.g. "0.3".

    Raises:
        BadInput: one sentence: the unstable root, the shortest filter and the strongest gain.
    """
    if loop.stable:
        return
    root = loop.slowest()
    if root >= 0.0:
        why = f"unstable, a root at {root:+.3g} 1/s"
    elif root >= -DECAY:
        why = f"too slow, a root at {root:+.3g} 1/s where {-DECAY:g} is the limit"
    else:
        worst = loop.stronger(GAIN_MARGIN).slowest()
        why = f"within 6 dB of unstable, {worst:+.3g} 1/s at twice the gain"
    found = f"{unit} with zmp_filter {loop.filter_time:g} s and k {loop.k:g} 1/s ({why})"
    ways = []
    shortest = shortest_filter(loop)
    if shortest is not None:
        ways.append(f"zmp_filter {shortest:g} s or longer")
    factor = strongest(loop)
    if factor > 0.0:
        ways.append(f"{field} {_down(factor * float(unit or 1.0)):g} or less")
    else:
        ways.append(f"{field} 0")
    raise BadInput(where, field, found, " or ".join(ways))


def _narrowed(bad: float, good: float, stable: Callable[[float], bool]) -> float:
    while good - bad > FINE * good:
        middle = 0.5 * (bad + good)
        bad, good = (bad, middle) if stable(middle) else (middle, good)
    return good


def _up(value: float) -> float:
    """Rounded to three digits, never below."""
    scale = 10.0 ** (np.floor(np.log10(value)) - 2)
    return float(f"{np.ceil(value / scale - 1e-9) * scale:.3g}")


def _down(value: float) -> float:
    """Rounded to three digits, never above."""
    scale = 10.0 ** (np.floor(np.log10(value)) - 2)
    return float(f"{np.floor(value / scale + 1e-9) * scale:.3g}")
