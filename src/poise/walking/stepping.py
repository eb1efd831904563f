"""A walk as the analytical generator sees it: which foot stands where and when, up to a stop.

The plan never looks further than a few footprints, and after the last one it stops: whatever
happens to whoever asks for new footprints, the robot comes to rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin
from typing import NamedTuple

from poise.walking.analytic import (
    Instant,
    Pair,
    Pattern,
    Piece,
    Poly,
    Ready,
    bump,
    hermite,
    later,
    ready,
    solve,
    solve_ready,
)
from poise.walking.leg_effect import LegEffect, swing_effect
from poise.walking.mismatch import MOST_RAMP, RAMP
from poise.walking.swing_foot import Place

START, DOUBLE, SINGLE, STOP = "start", "double", "single", "stop"


@dataclass(frozen=True)
class Timing:
    """How long things take [s]."""

    single: float = 0.78  # one foot swings
    double: float = 0.02  # both stand
    start: float = 3 * 0.78  # from standing to the first shift of the weight
    stop: float = 3 * 0.78  # from the last landing to rest


class Stance(NamedTuple):
    """A foot that stands: which, where, and where under it the ZMP is meant to be."""

    left: bool
    place: Place
    zmp: Pair  # [m], world


def stance(left: bool, place: Place, aside: Pair = (0.0, 0.0)) -> Stance:
    """A stance with the ZMP at some point of the foot.

    Args:
        left: which foot.
        place: where it stands.
        aside: where the ZMP is in the left foot's frame, forward and outward [m].
    """
    x, y, heading = place
    c, s = cos(heading), sin(heading)
    forward, left_by = aside[0], aside[1] if left else -aside[1]
    return Stance(left, place, (x + c * forward - s * left_by, y + s * forward + c * left_by))


class Phase(NamedTuple):
    """A part of the walk."""

    kind: str  # START, DOUBLE, SINGLE or STOP
    duration: float  # [s]
    support: int  # which of the stances stands; in DOUBLE and START the one that takes over


@dataclass(frozen=True, eq=False)
class Walk:
    """A plan from an instant on: stances, phases, and the pattern of mass and ZMP over them."""

    timing: Timing
    stances: tuple[Stance, ...]  # the first stands, the next ones are landings in their order
    phases: tuple[Phase, ...]
    pattern: Pattern
    began: float = 0.0  # [s], when the plan begins
    shape: str = "quartic"
    leg: LegEffect | None = None  # what a swinging leg does, where it is to be counted

    @property
    def omega(self) -> float:
        """Rate of the pendulum [1/s]."""
        return self.pattern.omega

    @property
    def ends(self) -> float:
        """When everything rests [s]."""
        return self.began + self.pattern.duration

    def at(self, time: float) -> Instant:
        """Mass and ZMP at a time [s]."""
        return self.pattern.at(time - self.began)

    def zmp(self, time: float) -> Pair:
        """Where the real ZMP is meant to be at a time [s]: the pendulum's and the leg's share."""
        p, leg = self.at(time).zmp, self.pattern.leg(time - self.began)
        return p[0] + leg[0], p[1] + leg[1]

    def phase(self, time: float) -> tuple[Phase, float]:
        """The phase at a time [s], and how much of it has passed [s]."""
        elapsed = time - self.began
        for phase in self.phases[:-1]:
            if elapsed < phase.duration - 1e-9:
                return phase, elapsed
            elapsed -= phase.duration
        return self.phases[-1], elapsed

    @property
    def fluctuation(self) -> Pair:
        """Highest deviation of the ZMP by the free shape at the beginning, along x and y [m]."""
        size = peak(self.shape, self.phases[0].duration)
        return self.pattern.k_first[0] * size, self.pattern.k_first[1] * size


def peak(shape: str, duration: float) -> float:
    """Height of the unit shape at the beginning."""
    return duration**4 / 16.0 if shape == "quartic" else 1.0


def beginning(shape: str, duration: float, x: Poly, y: Poly) -> list[Piece]:
    """The first piece of a plan with its free shape; a plateau takes three.

    Args:
        shape: "quartic", a bump over the whole piece, or "plateau", a ramp up, a rest, a ramp down.
        duration: [s].
        x: ZMP along x.
        y: ZMP along y.
    """
    if shape == "quartic":
        return [Piece(duration, x, y, first=bump(duration))]
    ramp = min(RAMP, MOST_RAMP * duration)
    rest = duration - 2.0 * ramp
    up, down = hermite(0.0, 1.0, ramp), hermite(1.0, 0.0, ramp)
    return [
        Piece(ramp, x, y, first=up),
        Piece(rest, later(x, ramp), later(y, ramp), first=(1.0, 0.0, 0.0, 0.0, 0.0)),
        Piece(ramp, later(x, ramp + rest), later(y, ramp + rest), first=down),
    ]


def still(value: float) -> Poly:
    """A polynomial that does not move."""
    return (value, 0.0, 0.0, 0.0, 0.0)


def with_leg(
    pieces: Sequence[Piece], leg: LegEffect | None, standing: Stance, lift: Place, landing: Place
) -> list[Piece]:
    """The pieces of a single support, with the pendulum's ZMP off by what the leg will add.

    Args:
        pieces: as if legs had no mass.
        leg: what a leg does; nothing when absent.
        standing: the foot that stands.
        lift: where the other one stood.
        landing: where it lands.
    """
    if leg is None:
        return list(pieces)
    duration = sum(piece.duration for piece in pieces)
    way = landing[0] - lift[0], landing[1] - lift[1]
    starts, polys = swing_effect(leg, duration, way, *leg_axes(standing))
    found, begin = [], 0.0
    for piece in pieces:
        end = begin + piece.duration
        inner = [t for t in starts if begin + 1e-9 < t < end - 1e-9]
        for a, b in zip([begin, *inner], [*inner, end], strict=True):
            k = max(i for i, t in enumerate(starts) if t <= a + 1e-9)
            late, off = a - begin, a - starts[k]
            x, y = later(polys[k][0], off), later(polys[k][1], off)
            found.append(
                Piece(
                    b - a,
                    _minus(later(piece.x, late), x),
                    _minus(later(piece.y, late), y),
                    later(piece.first, late),
                    piece.last,
                    x,
                    y,
                )
            )
        begin = end
    return found


def leg_axes(standing: Stance) -> tuple[Pair, Pair]:
    """Unit vectors from a standing foot to the swinging one, and to where the knees point."""
    side, heading = (-1.0 if standing.left else 1.0), standing.place[2]
    c, s = cos(heading), sin(heading)
    return (-s * side, c * side), (c, s)


def _minus(a: Poly, b: Poly) -> Poly:
    return tuple(u - v for u, v in zip(a, b, strict=True))


def to_the_stop(
    timing: Timing, stances: Sequence[Stance], end: Pair, leg: LegEffect | None = None
) -> tuple[list[Piece], list[Phase]]:
    """Pieces and phases after the first single support, with the weight over the first stance.

    Args:
        timing: how long things take.
        stances: the foot that stands, then the landings.
        end: where the mass rests in the end [m].
        leg: what a swinging leg does, where it is to be counted.
    """
    pieces, phases = [], []
    T = timing.double
    for k in range(1, len(stances) - 1):
        a, b = stances[k - 1].zmp, stances[k].zmp
        pieces.append(Piece(T, hermite(a[0], b[0], T), hermite(a[1], b[1], T)))
        phases.append(Phase(DOUBLE, T, k))
        single = [Piece(timing.single, still(b[0]), still(b[1]))]
        pieces += with_leg(single, leg, stances[k], stances[k - 1].place, stances[k + 1].place)
        phases.append(Phase(SINGLE, timing.single, k))
    a = stances[-2].zmp
    pieces.append(Piece(T, hermite(a[0], end[0], T), hermite(a[1], end[1], T)))
    pieces.append(Piece(timing.stop, still(end[0]), still(end[1]), last=bump(timing.stop)))
    phases.append(Phase(STOP, T + timing.stop, len(stances) - 1))
    return pieces, phases


def stop_point(stances: Sequence[Stance]) -> Pair:
    """Where the mass rests in the end: between the last two feet [m]."""
    a, b = stances[-2].zmp, stances[-1].zmp
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])


def start_walking(
    omega: float,
    timing: Timing,
    com: Pair,
    stances: Sequence[Stance],
    time: float = 0.0,
    shape: str = "quartic",
    end: Pair | None = None,
    leg: LegEffect | None = None,
    lift: Place | None = None,
) -> Walk:
    """From standing at rest over some landings to a stop.

    Args:
        omega: rate of the pendulum [1/s].
        timing: how long things take.
        com: where the centre of mass rests [m].
        stances: the foot that stands first, then the landings.
        time: when it begins [s].
        shape: of the free deviation at the beginning.
        end: where the mass rests in the end [m]; between the last two feet when absent.
        leg: what a swinging leg does, where it is to be counted.
        lift: where the foot stands that swings first; needed with `leg`.
    """
    end = end or stop_point(stances)
    first = stances[0].zmp
    pieces = beginning(shape, timing.start, still(com[0]), still(com[1]))
    pieces.append(
        Piece(
            timing.double,
            hermite(com[0], first[0], timing.double),
            hermite(com[1], first[1], timing.double),
        )
    )
    single = [Piece(timing.single, still(first[0]), still(first[1]))]
    if lift is not None:
        single = with_leg(single, leg, stances[0], lift, stances[1].place)
    pieces += single
    phases = [
        Phase(START, timing.start, 0),
        Phase(DOUBLE, timing.double, 0),
        Phase(SINGLE, timing.single, 0),
    ]
    more, after = to_the_stop(timing, stances, end, leg)
    pattern = solve(omega, [*pieces, *more], com, (0.0, 0.0), end)
    return Walk(timing, tuple(stances), tuple(phases + after), pattern, time, shape, leg)


class Tail(NamedTuple):
    """What comes after the single support that is under way."""

    parts: list[Ready]
    phases: list[Phase]


def tail(walk: Walk, stances: Sequence[Stance], end: Pair) -> Tail:
    """From the next landing to the stop, made ready to be solved.

    Args:
        walk: the plan so far.
        stances: the foot that stands, then the landings.
        end: where the mass rests in the end [m].
    """
    pieces, phases = to_the_stop(walk.timing, stances, end, walk.leg)
    return Tail(ready(pieces, walk.omega), phases)


def continue_walking(
    walk: Walk,
    time: float,
    stances: Sequence[Stance],
    remaining: float,
    shape: str = "quartic",
    end: Pair | None = None,
    lift: Place | None = None,
    after: Tail | None = None,
) -> Walk:
    """The same walk from a single support on, with other landings and another time to go.

    Args:
        walk: the plan so far.
        time: now [s], in a single support.
        stances: the foot that stands, then the landings.
        remaining: how long the swing is still to last [s].
        shape: of the free deviation at the beginning.
        end: where the mass rests in the end [m]; between the last two feet when absent.
        lift: where the swinging foot stood, if it lifts off just now and its leg counts.
        after: what comes after these landings, where it is known already.
    """
    end = end or stop_point(stances)
    after = after or tail(walk, stances, end)
    now = walk.at(time)
    pieces = first_pieces(walk, time, stances, remaining, lift, shape, now)
    parts = [*ready(pieces, walk.omega), *after.parts]
    pattern = solve_ready(walk.omega, parts, now.com, now.velocity, end)
    phases = (Phase(SINGLE, remaining, 0), *after.phases)
    return Walk(walk.timing, tuple(stances), phases, pattern, time, shape, walk.leg)


def first_pieces(
    walk: Walk,
    time: float,
    stances: Sequence[Stance],
    remaining: float,
    lift: Place | None,
    shape: str,
    now: Instant | None = None,
) -> list[Piece]:
    """The pieces of the single support that is under way."""
    foot = stances[0].zmp
    start, rate = decided_start(walk, time, foot, lift, now)
    x, y = (
        still(foot[i]) if start[i] == foot[i] and rate[i] == 0.0
        else hermite(start[i], foot[i], remaining, rate[i])
        for i in (0, 1)
    )  # fmt: skip
    pieces = beginning(shape, remaining, x, y)
    if lift is None:
        return pieces
    return with_leg(pieces, walk.leg, stances[0], lift, stances[1].place)


def decided_start(
    walk: Walk, time: float, foot: Pair, lift: Place | None, now: Instant | None = None
) -> tuple[Pair, Pair]:
    """Where the decided ZMP of the swing under way begins [m], and how fast it moves [m/s].

    Args:
        walk: the plan so far.
        time: now [s].
        foot: where the ZMP should be [m].
        lift: where the swinging foot stood, if it lifts off just now and its leg counts.
        now: the plan at this time, where it is known already.
    """
    now = now or walk.at(time)
    leg = walk.pattern.leg(time - walk.began)
    start, speed = [], []
    for i in (0, 1):
        at_rest = lift is not None or abs(now.zmp_rate[i]) < 1e-9
        there = abs(now.zmp[i] + leg[i] - foot[i]) < 1e-9 and at_rest
        start.append(foot[i] if there else now.zmp[i])
        speed.append(0.0 if there else now.zmp_rate[i])
    return (start[0], start[1]), (speed[0], speed[1])
