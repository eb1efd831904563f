"""What a swing leaves to be made up for, as a function of how long it lasts; compiled.

The divergent part of the mass feels the ZMP through w int e^{-ws} p(s) ds. For a polynomial that is
stretched over a duration this is a sum of moments, and so is everything a replan asks for: what the
decided ZMP of the swing does, what the swinging leg does, and how much a free shape can do. All of
it is needed for many durations at once, to find the best.
"""

from __future__ import annotations

from math import exp

import numpy as np

from poise.compiled import compiled
from poise.walking.analytic import Pair, bump, hermite
from poise.walking.leg_effect import UNIT_BEND, LegEffect

RAMP = 0.1  # [s], of a plateau
MOST_RAMP = 0.25  # of a piece

# polynomials on [0, 1], as rows: a value that goes, a rate that goes, the bump, ramps, a swing
UNITS = np.array(
    [
        hermite(1.0, 0.0, 1.0),
        hermite(0.0, 0.0, 1.0, 1.0),
        bump(1.0),
        hermite(0.0, 1.0, 1.0),
        UNIT_BEND,
    ]
)
VALUE, RATE, BUMP, UP, BEND = range(5)


def swing_state(
    now: Pair, wanted: Pair, foot: Pair, start: Pair, rate: Pair, way: Pair, to: Pair
) -> np.ndarray:
    """What `mismatches` needs to know about a swing, (2, 7).

    Args:
        now: divergent component now [m].
        wanted: divergent component at the end of the swing [m].
        foot: where the ZMP should be [m].
        start: where the decided ZMP begins [m].
        rate: how fast it moves then [m/s].
        way: of the foot from lift-off to landing [m]; nothing where its leg does not count.
        to: where to, and how much, the ZMP moves when the foot accelerates upwards [s^2].
    """
    return np.array([now, wanted, foot, start, rate, way, to]).T


def leg_state(leg: LegEffect | None) -> np.ndarray:
    """What `mismatches` needs to know about a leg, (4,)."""
    if leg is None:
        return np.array([0.0, 0.0, 0.5, 0.5])
    return np.array([leg.along, leg.height, leg.apex, leg.still])


def leverage(shape: str, duration: float, omega: float) -> float:
    """How well the unit shape makes up: w int e^{-ws} shape(s) ds over a first piece.

    Args:
        shape: "quartic" or "plateau".
        duration: [s].
        omega: [1/s].
    """
    quartic = shape == "quartic"
    return _leverage(quartic, duration, omega, UNITS) * (duration**4 if quartic else 1.0)


@compiled
def mismatches(
    times: np.ndarray,
    omega: float,
    swing: np.ndarray,
    leg: np.ndarray,
    quartic: bool,
    units: np.ndarray,
    out: np.ndarray,
) -> None:
    """What the ZMP has to make up for, and how high that makes a free shape.

    Args:
        times: how long the swing is still to last [s], (n,).
        omega: [1/s].
        swing: of `swing_state`.
        leg: of `leg_state`.
        quartic: the free shape is one; a plateau otherwise.
        units: UNITS.
        out: (n, 3), written: mismatch along x and y [m], height of the shape over a mismatch.
    """
    for k in range(len(times)):
        T = times[k]
        fade = exp(-omega * T)
        value, rate = _pull(units[0], T, omega), T * _pull(units[1], T, omega)
        over = up = 0.0
        if leg[0] != 0.0 or leg[1] != 0.0:
            top, arrival = leg[2] * T, (1.0 - leg[3]) * T
            down = T - top
            over = leg[0] * _pull(units[4], arrival, omega) / arrival**2
            up = _pull(units[4], top, omega) / top**2
            up -= exp(-omega * top) * _pull(units[4], down, omega) / down**2
            up *= leg[1]
        for i in range(2):
            now, wanted, foot, start, speed, way, to = swing[i]
            decided = foot * (1.0 - fade) + (start - foot) * value + speed * rate
            out[k, i] = now - (decided - way * over - to * up + fade * wanted)
        height = 0.0625 if quartic else 1.0
        out[k, 2] = height / _leverage(quartic, T, omega, units)


@compiled
def best_trade(
    shifts: np.ndarray,
    found: np.ndarray,
    per_place: np.ndarray,
    most: np.ndarray,
    costs: np.ndarray,
    out: np.ndarray,
) -> None:
    """The change of time and place, and the fluctuation they leave, that cost least together.

    For a given time everything is linear in the place, so the best place is known.

    Args:
        shifts: changes of time to be tried [s], (n,).
        found: of `mismatches` for them, (n, 3).
        per_place: how much less mismatch a place further along has, (n, 2).
        most: fluctuation allowed along x and y [m], (2,).
        costs: that cost as much as each other: place [m], time [s], fluctuation [m], (3,).
        out: (4,), written: change of time [s], of the place along x and y [m], cost.
    """
    a, b = 1.0 / costs[0] ** 2, 1.0 / costs[2] ** 2
    move = np.zeros(2)
    out[3] = np.inf
    for k in range(len(shifts)):
        cost = (shifts[k] / costs[1]) ** 2
        for i in range(2):
            slope = -found[k, 2] * per_place[k, i]
            F = found[k, 2] * found[k, i]
            u = -b * slope * F / (a + b * slope * slope)
            left = F + slope * u
            if abs(left) > most[i]:
                if abs(slope) < 1e-9:
                    cost = np.inf
                    break
                bound = most[i] if left > 0.0 else -most[i]
                u += (bound - left) / slope
                left = bound
            cost += a * u * u + b * left * left
            move[i] = u
        if cost < out[3]:
            out[0], out[1], out[2], out[3] = shifts[k], move[0], move[1], cost


@compiled
def _pull(unit: np.ndarray, T: float, omega: float) -> float:
    """W int_0^T e^{-ws} p(s / T) ds of a polynomial p."""
    fade = exp(-omega * T)
    moment, total = 1.0 - fade, 0.0
    for i in range(5):
        if i:
            moment = i * moment / (omega * T) - fade
        total += unit[i] * moment
    return total


@compiled
def _leverage(quartic: bool, T: float, omega: float, units: np.ndarray) -> float:
    """Of a free shape that is one high, or the unit bump."""
    if quartic:
        return _pull(units[2], T, omega)
    ramp = min(RAMP, MOST_RAMP * T)
    rest = T - 2.0 * ramp
    begin, end = exp(-omega * ramp), exp(-omega * (ramp + rest))
    up = _pull(units[3], ramp, omega)
    return up + begin - end + end * _pull(units[0], ramp, omega)
