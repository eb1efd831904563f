"""The centre line: the way of the centre of mass without its sideways sway.

Two laws. `middle_line`: the middle of the feet, moving with the swinging foot; simple, and good
for short steps, because the soles have to carry what it does to the ZMP. `PendulumLine`: the
motion of a pendulum whose ZMP waits beside the standing foot and moves over while both feet are
down; the steps may then be as long as the legs allow.

A tick calls these, so they work on plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, exp, sin

from poise.walking.swing_foot import FootTrack

Vector = tuple[float, float]
Motion2 = tuple[float, float, float, float, float, float]  # x, y, rates, rates of the rates
Span2 = tuple[float, Vector, Vector]  # duration [s], ZMP at its start and its end [m]


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
        self._spans: Sequence[Span2] = ()
        self._after: list[Vector] = []
        self._omega = 0.0

    def plan(self, spans: Sequence[Span2], omega: float) -> None:
        """Take a new plan: how the ZMP moves from the first span on, then rests at the end.

        Args:
            spans: in order of time.
            omega: rate of the pendulum [1/s].
        """
        self._spans, self._omega = spans, omega
        # the divergent component at the end of each span, from the last one backwards
        d = spans[-1][2]
        after = [d]
        for span in reversed(spans[1:]):
            d = _divergent(d, span, omega, span[0])
            after.append(d)
        self._after = after[::-1]

    def at(self, time: float) -> Motion2:
        """Where the pendulum is now, with rates, this long after the start of the plan [s]."""
        k = 0
        while k < len(self._spans) - 1 and time >= self._spans[k][0]:
            time -= self._spans[k][0]
            k += 1
        span, w = self._spans[k], self._omega
        time = min(time, span[0])
        dx, dy = _divergent(self._after[k], span, w, span[0] - time)
        x, y = self.place
        s = time / span[0] if span[0] > 0.0 else 1.0
        px = span[1][0] + s * (span[2][0] - span[1][0])
        py = span[1][1] + s * (span[2][1] - span[1][1])
        return x, y, w * (dx - x), w * (dy - y), w * w * (x - px), w * w * (y - py)

    def advance(self, now: Motion2, dt: float) -> None:
        """Let time pass [s] from where the pendulum is."""
        x, y, vx, vy, ax, ay = now
        self.place = (x + dt * vx + 0.5 * dt * dt * ax, y + dt * vy + 0.5 * dt * dt * ay)


def _divergent(after: Vector, span: Span2, omega: float, left: float) -> Vector:
    """The divergent component with `left` seconds of a span to go, if it is `after` at its end."""
    duration, (ax, ay), (bx, by) = span
    fade = exp(-omega * left)
    if duration > 0.0:
        sx, sy = (bx - ax) / duration, (by - ay) / duration
    else:
        sx = sy = 0.0
    ex, ey = bx + sx / omega, by + sy / omega
    return ex - sx * left + fade * (after[0] - ex), ey - sy * left + fade * (after[1] - ey)
