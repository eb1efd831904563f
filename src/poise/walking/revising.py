"""A landing that moves while the foot is in the air, at the time that was planned.

The rest of the swing stays as it was planned, leg and all; on top of it the foot goes the way from
the old landing to the new one, by a quintic that begins now, and the ZMP leaves the foot as far as
the new landing asks for. Everything is linear in that way: what is too much is given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.walking.analytic import ZERO, Pair, Piece, Poly, later, ready, solve_ready
from poise.walking.leg_effect import quintic_bend
from poise.walking.replanning import (
    LESS,
    SLACK,
    EndOf,
    Follow,
    Replan,
    ReplanOptions,
    between,
)
from poise.walking.stepping import (
    SINGLE,
    Phase,
    Stance,
    Walk,
    beginning,
    still,
    stop_point,
    tail,
)
from poise.walking.swing_foot import Place

LOOKS = 25  # instants of what is left of a swing at which the ZMP is looked at


@dataclass(frozen=True, eq=False)
class Revision:
    """A wish for another landing of the foot that is in the air."""

    walk: Walk  # the plan so far, from lift-off or from the last revision on
    time: float  # now [s]
    landing: Place  # where the foot is to land so far
    wish: Place  # where it should
    arrival: float  # [s], when it is over its landing
    follow: Follow  # what comes after a landing
    end_of: EndOf = stop_point

    @property
    def remaining(self) -> float:
        """How long the swing is still to last [s]."""
        phase, elapsed = self.walk.phase(self.time)
        return phase.duration - elapsed


def revise(ask: Revision, options: ReplanOptions) -> Replan:
    """Land elsewhere, as near to the wish as the bounds of the ZMP allow; or say why not.

    Args:
        ask: the wish.
        options: bounds.
    """
    if ask.walk.phase(ask.time)[0].kind != SINGLE:
        return _refused(ask, "no foot is in the air")
    if ask.remaining < options.least_left * ask.walk.timing.single - 1e-9:
        return _refused(ask, "the foot is about to land")
    most = np.array([options.most_x, options.most_y])
    share = 1.0
    for _ in range(6):
        place = between(ask.landing, ask.wish, share)
        new = _moved(ask, place, options.shape)
        away = _away(new)
        if (np.abs(away) <= most + SLACK).all():
            return Replan(new, ask.wish, place, 0.0, _peak(away))
        before = _away(ask.walk, ask.time)
        found = _largest_share(before, away, most) * share
        share = LESS * found if found < share else 0.8 * share
        if share < 0.05:
            break
    return _refused(ask, "the ZMP would leave the foot")


def _refused(ask: Revision, reason: str) -> Replan:
    return Replan(ask.walk, ask.wish, ask.landing, 0.0, (0.0, 0.0), reason)


def _moved(ask: Revision, place: Place, shape: str) -> Walk:
    """The plan with another landing."""
    walk, stances = ask.walk, ask.follow(place)
    end = ask.end_of(stances)
    way = place[0] - ask.landing[0], place[1] - ask.landing[1]
    pieces = _rest_of_swing(walk, ask.time, ask.remaining, way, ask.arrival - ask.time, shape)
    after = tail(walk, stances, end)
    now = walk.at(ask.time)
    pattern = solve_ready(
        walk.omega, [*ready(pieces, walk.omega), *after.parts], now.com, now.velocity, end
    )
    phases = (Phase(SINGLE, ask.remaining, 0), *after.phases)
    return Walk(walk.timing, tuple(stances), phases, pattern, ask.time, shape, walk.leg)


def _rest_of_swing(
    walk: Walk, time: float, remaining: float, way: Pair, flight: float, shape: str
) -> list[Piece]:
    """What is left of a single support, with a free shape and the leg's way on top.

    Args:
        walk: the plan so far.
        time: now [s].
        remaining: how long the swing still lasts [s].
        way: from the old landing to the new one [m].
        flight: until the foot is over its landing [s].
        shape: of the free deviation.
    """
    pattern, begin = walk.pattern, time - walk.began
    shapes = beginning(shape, remaining, still(0.0), still(0.0))
    ramps = np.cumsum([0.0, *(piece.duration for piece in shapes)])[:-1].tolist()
    olds = [start - begin for start in pattern.starts]
    inner = sorted(t for t in {*ramps, *olds, flight} if 1e-9 < t < remaining - 1e-9)
    bend = quintic_bend(flight, walk.leg.along if walk.leg is not None else 0.0)
    found: list[Piece] = []
    for a, b in zip([0.0, *inner], [*inner, remaining], strict=True):
        k = max(i for i, t in enumerate(olds) if t <= a + 1e-9)
        j = max(i for i, t in enumerate(ramps) if t <= a + 1e-9)
        old, off = pattern.pieces[k], a - olds[k]
        more = later(bend, a) if a < flight - 1e-9 else ZERO
        zmp = [later(pattern.axes[axis][k].zmp, off) for axis in (0, 1)]
        legs = [later(old.leg_x, off), later(old.leg_y, off)]
        found.append(
            Piece(
                b - a,
                _sum(zmp[0], -way[0], more),
                _sum(zmp[1], -way[1], more),
                later(shapes[j].first, a - ramps[j]),
                ZERO,
                _sum(legs[0], way[0], more),
                _sum(legs[1], way[1], more),
            )
        )
    return found


def _sum(a: Poly, k: float, b: Poly) -> Poly:
    return tuple(u + k * v for u, v in zip(a, b, strict=True))


def _away(walk: Walk, time: float | None = None) -> np.ndarray:
    """How far the ZMP is meant to be from its place under the foot till landing [m], (n, 2)."""
    time = walk.began if time is None else time
    phase, elapsed = walk.phase(time)
    stance: Stance = walk.stances[phase.support]
    times: Sequence[float] = np.linspace(time, time + phase.duration - elapsed, LOOKS).tolist()
    return np.array([walk.zmp(t) for t in times[:-1]]) - stance.zmp


def _largest_share(before: np.ndarray, after: np.ndarray, most: np.ndarray) -> float:
    """How much of a change keeps every instant within bounds, 0 to 1."""
    slope = after - before
    slope = np.where(np.abs(slope) < 1e-9, 1e-9, slope)
    room = np.where(slope > 0.0, most - before, -most - before) / slope
    return float(min(max(room.min(), 0.0), 1.0))


def _peak(away: np.ndarray) -> Pair:
    """The largest deviation along both axes, with its sign [m]."""
    x, y = (float(column[np.abs(column).argmax()]) for column in away.T)
    return x, y
