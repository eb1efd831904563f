"""The centre line: the way of the centre of mass without its sideways sway.

Two laws. `middle_line`: the middle of the feet, moving with the swinging foot; simple, and good
for short steps, because the soles have to carry what it does to the ZMP. `PendulumLine`: the
motion of a pendulum whose ZMP waits beside the standing foot and moves over while both feet are
down; the steps may then be as long as the legs allow.

A tick calls these, so they work on plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, exp, pi, sin

import numpy as np

from poise.compiled import compiled
from poise.walking.swing_foot import FootTrack

Vector = tuple[float, float]
Motion2 = tuple[float, float, float, float, float, float]  # x, y, rates, rates of the rates
Wait = tuple[float, float, float]  # half of its double support [rad], x, y of the ZMP [m]


def middle_line(left: FootTrack, right: FootTrack, forward: float) -> Motion2:
    """The middle of two feet, some way forward of their frames [m], with rates."""
    h = 0.5 * (left.place[3] + right.place[3])
    h1 = 0.5 * (left.rate[3] + right.rate[3])
    h2 = 0.5 * (left.rate2[3] + right.rate2[3])
    ux, uy = forward * cos(h), forward * sin(h)
    return (
        0.5 * (left.place[0] + right.place[0]) + ux,
        0.5 * (left.place[1] + right.place[1]) + uy,
        0.5 * (left.rate[0] + right.rate[0]) - h1 * uy,
        0.5 * (left.rate[1] + right.rate[1]) + h1 * ux,
        0.5 * (left.rate2[0] + right.rate2[0]) - h2 * uy - h1 * h1 * ux,
        0.5 * (left.rate2[1] + right.rate2[1]) + h2 * ux - h1 * h1 * uy,
    )


class PendulumLine:
    """A pendulum that follows a plan of its ZMP, looking ahead as far as the plan goes."""

    def __init__(self, place: Vector) -> None:
        """Rest at a place [m]."""
        self.place: Vector = place
        self._plan = np.zeros((0, 7))
        self._omega = 0.0

    def plan(self, waits: Sequence[Wait], tempo: float, omega: float) -> None:
        """Take a new plan: where the ZMP waits in one half cycle after the other, then rests.

        The first wait is the one before the plan begins.

        Args:
            waits: in order of time, two at least.
            tempo: how fast a half cycle, which has pi [rad], passes [rad/s].
            omega: rate of the pendulum [1/s].
        """
        self._plan, self._omega = _planned(np.array(waits), tempo, omega), omega

    def at(self, time: float) -> Motion2:
        """Where the pendulum is now, with rates, this long after the start of the plan [s]."""
        return _at(self._plan, self._omega, time, self.place)

    def advance(self, now: Motion2, dt: float) -> None:
        """Let time pass [s] from where the pendulum is."""
        x, y, vx, vy, ax, ay = now
        self.place = (x + dt * vx + 0.5 * dt * dt * ax, y + dt * vy + 0.5 * dt * dt * ay)


@compiled
def _planned(waits: np.ndarray, tempo: float, omega: float) -> np.ndarray:
    """Spans of a plan, three for each half cycle (n, 7).

    Each: duration [s], ZMP at its start and at its end [m], the divergent component at its end.
    """
    count = waits.shape[0] - 1
    out = np.empty((3 * count, 7))
    for k in range(count):
        angle, x, y = waits[k + 1]
        there = waits[min(k + 2, count)]
        for part in range(3):  # the ZMP comes, waits, and goes half way to the next
            row = out[3 * k + part]
            row[0] = (angle if part != 1 else pi - 2.0 * angle) / tempo
            row[1] = 0.5 * (waits[k, 1] + x) if part == 0 else x
            row[2] = 0.5 * (waits[k, 2] + y) if part == 0 else y
            row[3] = 0.5 * (x + there[1]) if part == 2 else x
            row[4] = 0.5 * (y + there[2]) if part == 2 else y
    last = 3 * count - 1
    out[last, 5], out[last, 6] = out[last, 3], out[last, 4]
    for k in range(last, 0, -1):  # from the end backwards
        out[k - 1, 5], out[k - 1, 6] = _divergent(out[k], omega, out[k, 0])
    return out


@compiled
def _at(plan: np.ndarray, omega: float, time: float, place: Vector) -> Motion2:
    """Where a pendulum is and how it moves, some time after the start of its plan [s]."""
    k = 0
    while k < plan.shape[0] - 1 and time >= plan[k, 0]:
        time -= plan[k, 0]
        k += 1
    span = plan[k]
    time = min(time, span[0])
    dx, dy = _divergent(span, omega, span[0] - time)
    s = time / span[0] if span[0] > 0.0 else 1.0
    px, py = span[1] + s * (span[3] - span[1]), span[2] + s * (span[4] - span[2])
    x, y = place
    w2 = omega * omega
    return x, y, omega * (dx - x), omega * (dy - y), w2 * (x - px), w2 * (y - py)


@compiled
def _divergent(span: np.ndarray, omega: float, left: float) -> Vector:
    """The divergent component [m] with `left` seconds of a span to go."""
    fade, sx, sy = exp(-omega * left), 0.0, 0.0
    if span[0] > 0.0:
        sx, sy = (span[3] - span[1]) / span[0], (span[4] - span[2]) / span[0]
    ex, ey = span[3] + sx / omega, span[4] + sy / omega
    return ex - sx * left + fade * (span[5] - ex), ey - sy * left + fade * (span[6] - ey)
