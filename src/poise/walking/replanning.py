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


@dataclass(frozen=True, eq=False)
class Request:
    """A wish for another landing, and all it depends on."""

    walk: Walk  # the plan so far
    time: float  # now [s]
    wish: Place  # where the swinging foot should land
    follow: Follow  # what comes after a landing
    end_of: EndOf = stop_point  # where the mass rests after some landings [m]
    lift: Place | None = None  # where the swinging foot stood, if it lifts off just now and counts

    @property
    def remaining(self) -> float:
        """How long the swing is still to last, as planned [s]."""
        phase, elapsed = self.walk.phase(self.time)
        return phase.duration - elapsed

    @property
    def old(self) -> Place:
        """Where the foot was to land."""
        phase, _ = self.walk.phase(self.time)
        return self.walk.stances[min(phase.support + 1, len(self.walk.stances) - 1)].place

    def refused(self, reason: str) -> Replan:
        """The old plan stays."""
        return Replan(self.walk, self.wish, self.old, 0.0, (0.0, 0.0), reason)

    def too_late(self, options: ReplanOptions) -> str:
        """Why nothing may be changed any more, if so."""
        if self.walk.phase(self.time)[0].kind != SINGLE:
            return "no foot is in the air"
        if self.remaining < options.least_left * self.walk.timing.single - 1e-9:
            return "the foot is about to land"
        return ""

    def stakes(self, stances: tuple[Stance, ...], shape: str) -> Stakes:
        """What some landings ask for."""
        return stakes(self.walk, self.time, stances, shape, self.end_of(stances), self.lift)

    def accepted(
        self, place: Place, stances: tuple[Stance, ...], shift: float, shape: str
    ) -> Replan:
        """The new plan."""
        remaining, end = self.remaining + shift, self.end_of(stances)
        new = continue_walking(self.walk, self.time, stances, remaining, shape, end, self.lift)
        return Replan(new, self.wish, place, shift, new.fluctuation)


def adapt_time(ask: Request, options: ReplanOptions) -> Replan:
    """Land where it is wished, earlier or later if need be; not quite there if that is not enough.

    Args:
        ask: the wish.
        options: bounds.
    """
    late = ask.too_late(options)
    if late:
        return ask.refused(late)
    old, remaining, single = ask.old, ask.remaining, ask.walk.timing.single
    share, place = 1.0, ask.wish
    for _ in range(6):
        stances = ask.follow(place)
        at = ask.stakes(stances, options.shape)
        shift = (
            _cancel(at, remaining, options)
            if options.rule == "cancel"
            else _least_shift(at, remaining, single, options)
        )
        if shift is not None:
            return ask.accepted(place, stances, shift, options.shape)
        share *= 0.6
        place = between(old, ask.wish, share)
    return ask.refused("the ZMP would leave the foot")


def adapt_both(ask: Request, options: ReplanOptions) -> Replan:
    """Trade the place and the time of the landing and the fluctuation against each other.

    For a given time everything is linear in the place, so the best place is known in closed
    form for every time of a grid, and the best of these is taken.

    Args:
        ask: the wish.
        options: bounds and costs.
    """
    late = ask.too_late(options)
    if late:
        return ask.refused(late)
    remaining, w, wish = ask.remaining, ask.walk.omega, ask.wish
    at = ask.stakes(ask.follow(wish), options.shape)
    at_moved = ask.stakes(ask.follow((wish[0] + 0.01, wish[1] + 0.01, wish[2])), options.shape)
    shifts = _shifts(remaining, ask.walk.timing.single, options)
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
    return ask.accepted(place, ask.follow(place), best[1], options.shape)


Generator = Callable[[Request, ReplanOptions], Replan]
GENERATORS: dict[str, Generator] = {"timing": adapt_time, "both": adapt_both}


def between(a: Place, b: Place, share: float) -> Place:
    """A place on the way from a to b."""
    return (
        a[0] + share * (b[0] - a[0]),
        a[1] + share * (b[1] - a[1]),
        a[2] + share * (b[2] - a[2]),
    )


# -- inside ---------------------------------------------------------------------------------


def _divergent_ends(a: Poly, T: float, w: float) -> Pair:
    """S(0) and S(T) of a ZMP polynomial."""
    A = image(a, w)
    here = A[0] + T * (A[1] + T * (A[2] + T * (A[3] + T * A[4])))
    rate = A[1] + T * (2.0 * A[2] + T * (3.0 * A[3] + T * 4.0 * A[4]))
    return A[0] + A[1] / w, here + rate / w


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
