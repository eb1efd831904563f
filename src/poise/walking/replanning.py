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
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, hypot, log

import numpy as np

from poise.walking.analytic import Instant, Pair, divergent_before
from poise.walking.leg_effect import lift_direction
from poise.walking.mismatch import UNITS, best_trade, leg_state, mismatches, swing_state
from poise.walking.stepping import (
    SINGLE,
    Stance,
    Tail,
    Walk,
    continue_walking,
    decided_start,
    leg_axes,
    stop_point,
    tail,
)
from poise.walking.swing_foot import Place

Follow = Callable[[Place], tuple[Stance, ...]]  # a landing -> the standing foot, it, and the rest
EndOf = Callable[[tuple[Stance, ...]], Pair]
SLACK = 1e-5  # [m], by which a bound may be missed
LESS = 0.999  # of what a bound allows
PROBE = 0.01  # [m], by which a place is moved to see what that does


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


@dataclass(frozen=True, eq=False)
class Stakes:
    """What a landing asks for at the end of a swing, seen from now."""

    omega: float  # [1/s]
    shape: str
    now: Pair  # divergent component now [m]
    foot: Pair  # where the ZMP should be [m]
    wanted: Pair  # divergent component at the end of the swing [m]
    swing: np.ndarray  # as `mismatches` needs it
    leg: np.ndarray
    after: Tail  # what comes after the swing

    def over(self, times: np.ndarray) -> np.ndarray:
        """For swings that last so long [s]: mismatch along x and y [m], height over mismatch."""
        found = np.empty((len(times), 3))
        quartic = self.shape == "quartic"
        mismatches(times, self.omega, self.swing, self.leg, quartic, UNITS, found)
        return found

    def mismatch(self, remaining: float) -> Pair:
        """What the ZMP has to make up for [m], if the swing lasts so long [s]."""
        x, y, _ = self.over(np.array([remaining]))[0].tolist()
        return x, y

    def fluctuation(self, remaining: float) -> Pair:
        """Highest deviation of the ZMP [m], if the swing lasts so long [s]."""
        x, y, gain = self.over(np.array([remaining]))[0].tolist()
        return x * gain, y * gain

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


def stakes(
    walk: Walk,
    time: float,
    stances: tuple[Stance, ...],
    shape: str,
    end: Pair,
    lift: Place | None = None,
    now: Instant | None = None,
) -> Stakes:
    """What some landings ask for, seen from a time [s] in a single support."""
    now, w, foot = now or walk.at(time), walk.omega, stances[0].zmp
    after = tail(walk, stances, end)
    x, y = now.com[0] + now.velocity[0] / w, now.com[1] + now.velocity[1] / w
    wanted = divergent_before(after.parts, end)
    start, rate = decided_start(walk, time, foot, lift, now)
    leg, way, to = None, (0.0, 0.0), (0.0, 0.0)
    if lift is not None and walk.leg is not None:
        leg, landing = walk.leg, stances[1].place
        way = landing[0] - lift[0], landing[1] - lift[1]
        to = lift_direction(leg, *leg_axes(stances[0]))
    swing = swing_state((x, y), wanted, foot, start, rate, way, to)
    return Stakes(w, shape, (x, y), foot, wanted, swing, leg_state(leg), after)


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

    @cached_property
    def remaining(self) -> float:
        """How long the swing is still to last, as planned [s]."""
        phase, elapsed = self.walk.phase(self.time)
        return phase.duration - elapsed

    @cached_property
    def now(self) -> Instant:
        """The plan so far, at this time."""
        return self.walk.at(self.time)

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
        end = self.end_of(stances)
        return stakes(self.walk, self.time, stances, shape, end, self.lift, self.now)

    def accepted(
        self,
        place: Place,
        stances: tuple[Stance, ...],
        shift: float,
        shape: str,
        after: Tail | None = None,
    ) -> Replan:
        """The new plan."""
        remaining, end = self.remaining + shift, self.end_of(stances)
        new = continue_walking(
            self.walk, self.time, stances, remaining, shape, end, self.lift, after
        )
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
    remaining, single = ask.remaining, ask.walk.timing.single
    stances = ask.follow(ask.wish)
    at = ask.stakes(stances, options.shape)
    shift = (
        _cancel(at, remaining, options)
        if options.rule == "cancel"
        else _least_shift(at, remaining, single, options)
    )
    if shift is not None:
        return ask.accepted(ask.wish, stances, shift, options.shape, at.after)
    share = _largest_share(
        at, ask.stakes(ask.follow(ask.old), options.shape), remaining, single, options
    )
    for _ in range(6):  # what comes after a landing may not be quite linear in it
        place = between(ask.old, ask.wish, share)
        stances = ask.follow(place)
        at = ask.stakes(stances, options.shape)
        shift = _least_shift(at, remaining, single, options)
        if shift is not None:
            return ask.accepted(place, stances, shift, options.shape, at.after)
        share *= 0.8
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
    wish, shape = ask.wish, options.shape
    at = ask.stakes(ask.follow(wish), shape)
    moved = ask.stakes(ask.follow((wish[0] + PROBE, wish[1] + PROBE, wish[2])), shape)
    shifts = _shifts(ask.remaining, ask.walk.timing.single, options)
    times = ask.remaining + shifts
    # by how much a place further along moves the mismatch: what is wanted, and the way of the leg
    found, there = at.over(times), moved.over(times)
    per_place = (found[:, :2] - there[:, :2]) / PROBE
    best = np.empty(4)
    best_trade(
        shifts,
        found,
        per_place,
        np.array([options.most_x, options.most_y]),
        np.array([options.place_cost, options.time_cost, options.zmp_cost]),
        best,
    )
    shift, dx, dy, cost = best.tolist()
    if cost == np.inf:
        return ask.refused("the ZMP would leave the foot")
    place = (wish[0] + dx, wish[1] + dy, wish[2])
    stances = ask.follow(place)
    landing = stances[1].place
    done = ask.accepted(place, stances, shift, shape)
    F = done.fluctuation
    bounded = abs(F[0]) <= options.most_x + SLACK and abs(F[1]) <= options.most_y + SLACK
    if bounded and hypot(landing[0] - place[0], landing[1] - place[1]) < SLACK:
        return done
    # somebody does not allow that place, or what comes after it is not linear in it
    return replace(adapt_time(replace(ask, wish=landing), options), wish=wish)


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


def _shifts(remaining: float, single: float, options: ReplanOptions) -> np.ndarray:
    """Changes of time to be tried [s], the smallest first."""
    steps = options.grid * np.arange(1, _count(max(options.latest, -options.earliest), options) + 1)
    earliest = max(options.earliest, options.least_swing * single - remaining)
    both = np.column_stack([steps, -steps]).ravel()
    good = (both <= options.latest + 1e-9) & (both >= earliest - 1e-9)
    return np.r_[0.0, both[good]]


def _count(most: float, options: ReplanOptions) -> int:
    return int(most / options.grid + 1e-6)


def _least_shift(
    at: Stakes, remaining: float, single: float, options: ReplanOptions
) -> float | None:
    """The smallest change of time that keeps the fluctuation within bounds along both axes."""
    F = at.fluctuation(remaining)
    if abs(F[0]) <= options.most_x and abs(F[1]) <= options.most_y:
        return 0.0
    shifts = _shifts(remaining, single, options)
    x, y, gain = at.over(remaining + shifts).T
    good = (np.abs(gain * x) <= options.most_x) & (np.abs(gain * y) <= options.most_y)
    return float(shifts[good.argmax()]) if good.any() else None


def _largest_share(
    at: Stakes, old: Stakes, remaining: float, single: float, options: ReplanOptions
) -> float:
    """How much of the way from the old landing to a wish can be gone at the best of all times.

    For a given time the fluctuation is linear in the place, so each bound is one division.
    """
    times = remaining + _shifts(remaining, single, options)
    wish, base = at.over(times), old.over(times)
    low, high = np.zeros(len(times)), np.ones(len(times))
    for axis, most in ((0, options.most_x), (1, options.most_y)):
        F, slope = base[:, 2] * base[:, axis], base[:, 2] * (wish[:, axis] - base[:, axis])
        slope = np.where(np.abs(slope) < 1e-12, 1e-12, slope)
        ends = np.array([(-most - F) / slope, (most - F) / slope])
        low, high = np.maximum(low, ends.min(axis=0)), np.minimum(high, ends.max(axis=0))
    return LESS * float(np.where(high >= low, high, 0.0).max())


def _cancel(at: Stakes, remaining: float, options: ReplanOptions) -> float | None:
    """The paper's rule: the larger of the two changes that cancel one axis."""
    found = [s for s in (at.cancelling(remaining, axis) for axis in (0, 1)) if s is not None]
    shift = max(found, key=abs, default=0.0)
    return min(max(shift, options.earliest), options.latest)
