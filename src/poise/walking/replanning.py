"""Another footprint while the foot is already in the air: what it costs, and when not to do it.

A new landing asks for another divergent component x* at the end of the swing. What cannot be met
has to be paid by the ZMP leaving the middle of the standing foot, for the time T that is left:

    mismatch    D = (x0 - p) - e^{-wT} (x* - p)
    fluctuation F = D peak / (w int_0^T e^{-ws} shape(s) ds)      the highest deviation

or by landing earlier or later: F vanishes at T' = T + ln(r) / w, r = e^{-wT} (x* - p) / (x0 - p).
The logarithm is worthless where x0 is near p (stepping on the spot along x): there a centimetre
would ask for any change of time. So by default time is changed only as far as is needed to keep F
within bounds along both axes; the paper's rule (the larger of the two shifts) is there to compare.

Two generators answer the same question: `adapt_time` moves the landing in time and gives up some
of the wished footprint only when that does not do; `adapt_both` trades place, time and fluctuation
against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log

import numpy as np

from poise.walking.analytic import Pair, Piece, Poly, divergent_after, image
from poise.walking.stepping import (
    SINGLE,
    Stance,
    Walk,
    beginning,
    continue_walking,
    first_pieces,
    peak,
    still,
    stop_point,
    to_the_stop,
)
from poise.walking.swing_foot import Place

Follow = Callable[[Place], tuple[Stance, ...]]  # a landing -> the standing foot, it, and the rest
EndOf = Callable[[tuple[Stance, ...]], Pair]


@dataclass(frozen=True)
class ReplanOptions:
    """When a footprint may still be changed, and what that may cost."""

    shape: str = "plateau"  # of the fluctuation: "plateau", or the paper's "quartic"
    rule: str = "bounded"  # of the time: "bounded", or the paper's "cancel"
    most_x: float = 0.015  # [m], fluctuation
    most_y: float = 0.010  # [m]
    earliest: float = -0.25  # [s], change of the landing time
    latest: float = 0.35  # [s]
    grid: float = 0.005  # [s]
    least_left: float = 0.5  # of a single support: with less left nothing is changed
    least_swing: float = 0.6  # of a single support: a swing is never made shorter
    place_cost: float = 0.03  # [m], a landing this far off costs as much as
    time_cost: float = 0.1  # [s], a landing this much earlier or later, or
    zmp_cost: float = 0.008  # [m], a fluctuation this high


@dataclass(frozen=True, eq=False)
class Replan:
    """What became of a wish."""

    walk: Walk  # the plan to follow from now on
    wish: Place  # what was asked for
    landing: Place  # what will be
    shift: float  # [s], of the landing time
    fluctuation: Pair  # [m]
    refused: str = ""  # why the old plan stays, when it does

    @property
    def accepted(self) -> bool:
        """Whether the plan has changed."""
        return not self.refused


@dataclass(frozen=True)
class Stakes:
    """What a landing asks for at the end of a swing, seen from now."""

    omega: float  # [1/s]
    shape: str
    now: Pair  # divergent component now [m]
    foot: Pair  # where the ZMP should be [m]
    wanted: Pair  # divergent component at the end of the swing [m]
    pieces: Callable[[float], list[Piece]]  # of a swing that lasts so long [s], without the shape

    def mismatch(self, remaining: float) -> Pair:
        """What the ZMP has to make up for [m], if the swing lasts so long [s]."""
        x, y = divergent_after(self.omega, self.pieces(remaining), self.wanted)
        return self.now[0] - x, self.now[1] - y

    def fluctuation(self, remaining: float) -> Pair:
        """Highest deviation of the ZMP [m], if the swing lasts so long [s]."""
        D = self.mismatch(remaining)
        gain = peak(self.shape, remaining) / leverage(self.shape, remaining, self.omega)
        return D[0] * gain, D[1] * gain

    def bound(self, remaining: float) -> Pair:
        """The least highest deviation of any ZMP whatsoever [m]."""
        D, all_of_it = self.mismatch(remaining), 1.0 - exp(-self.omega * remaining)
        return abs(D[0]) / all_of_it, abs(D[1]) / all_of_it

    def cancelling(self, remaining: float, axis: int) -> float | None:
        """The change of time [s] after which nothing is to be made up for along an axis."""
        away = self.now[axis] - self.foot[axis]
        if abs(away) < 1e-3:
            return None
        r = exp(-self.omega * remaining) * (self.wanted[axis] - self.foot[axis]) / away
        return log(r) / self.omega if r > 0.0 else None


def leverage(shape: str, duration: float, omega: float) -> float:
    """How well the unit shape makes up: w int e^{-ws} shape(s) ds over the first piece."""
    total, elapsed = 0.0, 0.0
    for piece in beginning(shape, duration, still(0.0), still(0.0)):
        S0, ST = _divergent_ends(piece.first, piece.duration, omega)
        total += exp(-omega * elapsed) * (S0 - exp(-omega * piece.duration) * ST)
        elapsed += piece.duration
    return total


def stakes(
    walk: Walk,
    time: float,
    stances: tuple[Stance, ...],
    shape: str,
    end: Pair,
    lift: Place | None = None,
) -> Stakes:
    """What some landings ask for, seen from a time [s] in a single support."""
    now, w = walk.at(time), walk.omega
    later, _ = to_the_stop(walk.timing, stances, end, walk.leg)
    x, y = now.com[0] + now.velocity[0] / w, now.com[1] + now.velocity[1] / w
    wanted = divergent_after(w, later, end)

    def pieces(remaining: float) -> list[Piece]:
        return first_pieces(walk, time, stances, remaining, lift, None)

    return Stakes(w, shape, (x, y), stances[0].zmp, wanted, pieces)


# -- generators -----------------------------------------------------------------------------


def adapt_time(
    walk: Walk,
    time: float,
    wish: Place,
    follow: Follow,
    options: ReplanOptions,
    end_of: EndOf = stop_point,
    lift: Place | None = None,
) -> Replan:
    """Land where it is wished, earlier or later if need be; not quite there if that is not enough.

    Args:
        walk: the plan so far.
        time: now [s].
        wish: where the swinging foot should land.
        follow: what comes after a landing.
        options: bounds.
        end_of: where the mass rests after some landings [m].
        lift: where the swinging foot stood, if it lifts off just now and its leg counts.
    """
    old = _landing(walk, time)
    late = _too_late(walk, time, options)
    if late:
        return Replan(walk, wish, old, 0.0, (0.0, 0.0), late)
    remaining = _remaining(walk, time)
    share, place = 1.0, wish
    for _ in range(6):
        stances = follow(place)
        at = stakes(walk, time, stances, options.shape, end_of(stances), lift)
        shift = (
            _cancel(at, remaining, options)
            if options.rule == "cancel"
            else _least_shift(at, remaining, walk.timing.single, options)
        )
        if shift is not None:
            return _done(walk, time, wish, place, stances, remaining, shift, options, end_of, lift)
        share *= 0.6
        place = between(old, wish, share)
    reason = "the ZMP would leave the foot"
    return Replan(walk, wish, old, 0.0, (0.0, 0.0), reason)


def adapt_both(
    walk: Walk,
    time: float,
    wish: Place,
    follow: Follow,
    options: ReplanOptions,
    end_of: EndOf = stop_point,
    lift: Place | None = None,
) -> Replan:
    """Trade the place and the time of the landing and the fluctuation against each other.

    For a given time everything is linear in the place, so the best place is known in closed
    form for every time of a grid, and the best of these is taken.

    Args:
        walk: the plan so far.
        time: now [s].
        wish: where the swinging foot should land.
        follow: what comes after a landing.
        options: bounds and costs.
        end_of: where the mass rests after some landings [m].
        lift: where the swinging foot stood, if it lifts off just now and its leg counts.
    """
    old = _landing(walk, time)
    late = _too_late(walk, time, options)
    if late:
        return Replan(walk, wish, old, 0.0, (0.0, 0.0), late)
    remaining, w = _remaining(walk, time), walk.omega
    stances = follow(wish)
    at = stakes(walk, time, stances, options.shape, end_of(stances), lift)
    moved = follow((wish[0] + 0.01, wish[1] + 0.01, wish[2]))
    at_moved = stakes(walk, time, moved, options.shape, end_of(moved), lift)
    shifts = _shifts(remaining, walk.timing.single, options)
    best = (np.inf, 0.0, 0.0, 0.0)
    for shift in shifts:
        T = remaining + shift
        gain = peak(options.shape, T) / leverage(options.shape, T, w)
        D, fade = at.mismatch(T), exp(-w * T)
        cost = (shift / options.time_cost) ** 2
        move = [0.0, 0.0]
        for i, most in ((0, options.most_x), (1, options.most_y)):
            slope = -gain * fade * (at_moved.wanted[i] - at.wanted[i]) / 0.01
            F = gain * D[i]
            a, b = 1.0 / options.place_cost**2, 1.0 / options.zmp_cost**2
            u = -b * slope * F / (a + b * slope * slope)
            F_then = F + slope * u
            if abs(F_then) > most and abs(slope) > 1e-9:
                u += (np.copysign(most, F_then) - F_then) / slope
                F_then = np.copysign(most, F_then)
            cost += a * u * u + b * F_then * F_then
            move[i] = float(u)
        if cost < best[0]:
            best = (cost, shift, move[0], move[1])
    place = (wish[0] + best[2], wish[1] + best[3], wish[2])
    stances = follow(place)
    return _done(walk, time, wish, place, stances, remaining, best[1], options, end_of, lift)


GENERATORS: dict[str, Callable[..., Replan]] = {"timing": adapt_time, "both": adapt_both}


def between(a: Place, b: Place, share: float) -> Place:
    """A place on the way from a to b."""
    return (
        a[0] + share * (b[0] - a[0]),
        a[1] + share * (b[1] - a[1]),
        a[2] + share * (b[2] - a[2]),
    )


# -- inside ---------------------------------------------------------------------------------


def _done(
    walk: Walk,
    time: float,
    wish: Place,
    place: Place,
    stances: tuple[Stance, ...],
    remaining: float,
    shift: float,
    options: ReplanOptions,
    end_of: EndOf,
    lift: Place | None,
) -> Replan:
    end = end_of(stances)
    new = continue_walking(walk, time, stances, remaining + shift, options.shape, end, lift)
    return Replan(new, wish, place, shift, new.fluctuation)


def _divergent_ends(a: Poly, T: float, w: float) -> Pair:
    """S(0) and S(T) of a ZMP polynomial."""
    A = image(a, w)
    here = A[0] + T * (A[1] + T * (A[2] + T * (A[3] + T * A[4])))
    rate = A[1] + T * (2.0 * A[2] + T * (3.0 * A[3] + T * 4.0 * A[4]))
    return A[0] + A[1] / w, here + rate / w


def _landing(walk: Walk, time: float) -> Place:
    phase, _ = walk.phase(time)
    return walk.stances[min(phase.support + 1, len(walk.stances) - 1)].place


def _remaining(walk: Walk, time: float) -> float:
    phase, elapsed = walk.phase(time)
    return phase.duration - elapsed


def _too_late(walk: Walk, time: float, options: ReplanOptions) -> str:
    phase, elapsed = walk.phase(time)
    if phase.kind != SINGLE:
        return "no foot is in the air"
    if phase.duration - elapsed < options.least_left * walk.timing.single - 1e-9:
        return "the foot is about to land"
    return ""


def _shifts(remaining: float, single: float, options: ReplanOptions) -> list[float]:
    """Changes of time to be tried [s], the smallest first."""
    found = [0.0]
    step = options.grid
    while step <= max(options.latest, -options.earliest):
        if step <= options.latest:
            found.append(step)
        if -step >= options.earliest and remaining - step >= options.least_swing * single:
            found.append(-step)
        step += options.grid
    return found


def _least_shift(
    at: Stakes, remaining: float, single: float, options: ReplanOptions
) -> float | None:
    """The smallest change of time that keeps the fluctuation within bounds along both axes."""
    for shift in _shifts(remaining, single, options):
        F = at.fluctuation(remaining + shift)
        if abs(F[0]) <= options.most_x and abs(F[1]) <= options.most_y:
            return shift
    return None


def _cancel(at: Stakes, remaining: float, options: ReplanOptions) -> float | None:
    """The paper's rule: the larger of the two changes that cancel one axis."""
    found = [s for s in (at.cancelling(remaining, axis) for axis in (0, 1)) if s is not None]
    shift = max(found, key=abs, default=0.0)
    return min(max(shift, options.earliest), options.latest)
