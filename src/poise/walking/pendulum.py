"""The linear inverted pendulum: what a centre of mass at constant height does over a ZMP.

    c'' = w² (c - p),    w = sqrt(g / height)

Solutions are in closed form for a ZMP p that moves in straight lines. The divergent component
d = c + c' / w obeys d' = w (d - p): it alone can run away, and looking at it backwards in time it
is tame. So a plan of the ZMP fixes it from the end, and the centre of mass follows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cosh
from typing import NamedTuple

import numpy as np

from poise.robot.robot import GRAVITY


def pendulum_rate(height: float) -> float:
    """Rate w of the pendulum [1/s] with its mass at a height [m]."""
    return float((GRAVITY / height) ** 0.5)


def zmp_of(com: np.ndarray, acceleration: np.ndarray, omega: float) -> np.ndarray:
    """The ZMP [m] under a centre of mass [m] with an acceleration [m/s^2]."""
    return com - acceleration / omega**2


def divergent(com: np.ndarray, velocity: np.ndarray, omega: float) -> np.ndarray:
    """The divergent component of motion, or capture point [m]."""
    return com + velocity / omega


class Span(NamedTuple):
    """The ZMP moves in a straight line from `start` to `end` [m] during `duration` [s]."""

    duration: float
    start: np.ndarray
    end: np.ndarray


def divergent_before(after: np.ndarray, span: Span, omega: float, left: float) -> np.ndarray:
    """The divergent component with `left` seconds of a span to go, if it is `after` at its end.

    Args:
        after: divergent component at the end of the span [m].
        span: how the ZMP moves.
        omega: rate of the pendulum [1/s].
        left: time to the end of the span [s].
    """
    slope = (span.end - span.start) / span.duration if span.duration > 0.0 else 0.0 * span.start
    fade = float(np.exp(-omega * left))
    now = span.end - slope * left
    # d = p + p'/w solves d' = w (d - p) for a straight p; the rest dies backwards in time
    return now + slope / omega + fade * (after - span.end - slope / omega)


def divergent_now(spans: Sequence[Span], elapsed: float, omega: float) -> np.ndarray:
    """The divergent component now, for a ZMP that follows some spans and then rests [m].

    Args:
        spans: from the current one on; at the end of the last the pendulum stands still.
        elapsed: how much of the first span has passed [s].
        omega: rate of the pendulum [1/s].
    """
    d = spans[-1].end
    for span in reversed(spans[1:]):
        d = divergent_before(d, span, omega, span.duration)
    return divergent_before(d, spans[0], omega, spans[0].duration - elapsed)


def pendulum_after(
    com: np.ndarray, velocity: np.ndarray, span: Span, omega: float, time: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where a pendulum is some time into a span, from a position and a velocity at its start.

    Args:
        com: position [m].
        velocity: [m/s].
        span: how the ZMP moves.
        omega: rate of the pendulum [1/s].
        time: since the start of the span [s].

    Returns:
        Position [m] and velocity [m/s].
    """
    slope = (span.end - span.start) / span.duration if span.duration > 0.0 else 0.0 * span.start
    ch, sh = float(np.cosh(omega * time)), float(np.sinh(omega * time))
    away, rate = com - span.start, velocity - slope
    now = span.start + slope * time
    return now + ch * away + sh / omega * rate, slope + omega * sh * away + ch * rate


def sway_gain(rate: float, omega: float) -> float:
    """How much further the ZMP sways than a centre of mass that swings like a sine.

    Args:
        rate: of the sine [rad/s].
        omega: rate of the pendulum [1/s].
    """
    return 1.0 + (rate / omega) ** 2


def fallen_sway(zmp: float, half_cycle: float, omega: float) -> float:
    """How far a pendulum goes sideways whose ZMP jumps from side to side [m].

    Args:
        zmp: how far aside the ZMP is, one half cycle left, the next one right [m].
        half_cycle: how long it stays on a side [s].
        omega: rate of the pendulum [1/s].
    """
    return zmp * (1.0 - 1.0 / cosh(0.5 * omega * half_cycle))
