"""How much sideways sway a walk needs, and how much it can stand.

A centre of mass that sways like A sin(W t) moves the ZMP by A (1 + (W / w)²) sin(W t). While one
foot swings, the ZMP has to be over the other: not yet short of its inner border when the foot
lifts off and lands, and never beyond its outer border. With theta the angle of the sine from its
peak to lift-off,

    (y_f - inner) / cos(theta)  <=  A (1 + (W / w)²)  <=  y_f + outer.

Beyond the outer border nothing catches the robot, at the inner one the other foot does: the
amplitude to take leaves OUTWARD times as much room outside as inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, cos, pi

from poise.walking.pendulum import pendulum_rate, sway_gain
from poise.walking.stature import Stature

OUTWARD = 3.0


@dataclass(frozen=True)
class SwayRange:
    """Amplitudes of the sway of the centre of mass [m]; empty when `low` is above `high`."""

    low: float  # below it the ZMP is not over the standing foot when the other one lifts off
    high: float  # above it the ZMP leaves the standing foot outwards
    best: float  # the one to take
    room: float  # [m], how far the ZMP then stays inside the sole; negative when it cannot

    @property
    def feasible(self) -> bool:
        """Whether any amplitude will do."""
        return self.low <= self.high


def half_swing_angle(single: float, double: float) -> float:
    """Angle of the sway from its peak to lift-off [rad], for durations [s]."""
    return 0.5 * pi * single / (single + double)


def sway_range(
    stature: Stature,
    single: float,
    double: float,
    com_height: float | None = None,
    margin: float = 0.0,
    half_spacing: float | None = None,
) -> SwayRange:
    """The sways that keep the ZMP over the standing foot.

    Args:
        stature: of the robot.
        single: how long one foot swings [s].
        double: how long both stand [s].
        com_height: of the centre of mass [m]; that of half-sitting when absent.
        margin: how far the ZMP has to stay inside the sole [m].
        half_spacing: half the sideways distance of the feet [m]; as in half-sitting if absent.
    """
    y = stature.half_spacing if half_spacing is None else half_spacing
    omega = pendulum_rate(stature.com_height if com_height is None else com_height)
    gain = sway_gain(pi / (single + double), omega)
    share = cos(half_swing_angle(single, double))  # of the peak, at lift-off
    inner, outer = y - stature.sole_inner + margin, y + stature.sole_outer - margin
    best = (outer + OUTWARD * inner) / (1.0 + OUTWARD * share)
    low = max(inner, 0.0) / share if share > 0.0 else float("inf")
    return SwayRange(low / gain, outer / gain, best / gain, (outer - best) / OUTWARD)


def least_double_share(stature: Stature, margin: float = 0.0) -> float:
    """The least share of a step with both feet down for which some sway balances, 0 to 1."""
    inner = stature.half_spacing - stature.sole_inner + margin
    outer = stature.half_spacing + stature.sole_outer - margin
    if inner <= 0.0:
        return 0.0
    return 1.0 - 2.0 / pi * acos(min(inner / outer, 1.0))
