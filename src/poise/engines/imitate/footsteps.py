"""Where and when a robot puts its feet so that it walks like the person.

Places come from the marionette: at every contact, where its front heel is seen from its rear toes.
A robot has wider feet and stiffer hips than a person; steps that would put a foot on the other
one, or turn it further than the hips go, are moved to where it can stand, and that is said.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from poise.engines.imitate.aims import Aims
from poise.engines.imitate.limbs import Foot, Limbs
from poise.engines.imitate.marionette import Marionette
from poise.engines.imitate.options import QUASISTATIC, ImitateOptions
from poise.engines.imitate.passing import outline_at, passing_bulge
from poise.engines.imitate.rhythm import Rhythm, other
from poise.motion.marker_names import SIDES
from poise.walking.footsteps import moved
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

NARROW = 0.85  # of the width at which the robot walks by itself
PASSING = 0.025  # of the leg: clearance between the soles while one passes the other
WIDE = 1.3  # of the same, at most: ankles do not roll much
BETWEEN = 0.03  # of the leg: clearance between the soles
CLEARANCE = 0.045  # of the leg: least height of the toes in the middle of a swing
MOST_TOE_OFF = np.deg2rad(35.0)  # heel up, at toe-off
MOST_CONTACT = np.deg2rad(25.0)  # toes up, at contact
FLAT_BY, FLAT_UNTIL = 0.45, 0.5  # t2 and t3, as shares of the double support
ROLL_RATE = 0.2  # of the ankle's speed limit: mean rate at which a foot may roll over an edge
MOST_ROLL_RATE = 2.0  # [rad/s]
SHARPEST = 10.0 / 3.0**0.5  # peak acceleration of a quintic, times its way over its time squared
STRETCH = 3.0  # times at least that a quasistatic walk is stretched before it is balanced
CALM_DOWN = 9.0  # fall times of standing in the end
SOON, LATE = 0.3, 0.4  # of a swing, when a heel is highest that left high, or flat
DOWN, SOFTLY = 0.15, 0.35  # of a swing, in which toes come down that land high, or flat
CALM = 0.8  # of that rate, for heel and toes in the air, in the person's time
RAMP = 0.15  # [s], in which a rolling foot may gather the speed limit of the slower of its joints


@dataclass(frozen=True)
class Step:
    """One swing of one foot; heights in metres above the floor, times in seconds."""

    side: str
    lift: float
    land: float
    start: Place
    end: Place
    heel_lift: float  # height of the heel at toe-off
    heel_top: float  # its greatest height ...
    heel_top_time: float  # ... and when
    toe_middle: float  # height of the toes in the middle of the swing
    toe_top: float
    toe_top_time: float
    toe_land: float  # height of the toes at contact
    bulge: float = 0.0  # [m], how far the swing goes around the standing foot, outwards
    aside: tuple[float, float] = (0.0, 0.0)  # which way that is, world axes


@dataclass(frozen=True)
class Rolls:
    """When one swing's foot turns about its edges [s]."""

    t3: float  # the heel begins to rise
    t4: float  # the toes leave
    t7: float  # the heel lands
    t2: float  # flat again


@dataclass(frozen=True)
class Walk:
    """A whole walk from standing to standing."""

    steps: tuple[Step, ...]
    begin: float  # [s], standing with both feet side by side
    end: float  # [s], standing again
    stands: str  # the foot that stands during the first step
    places: dict[str, Place]  # of both feet at the start
    shift: float  # [s], time in which the weight goes over the first foot
    double: float  # [s], usual double support
    wished: tuple[Place, ...]  # where the marionette, with steps this long, puts each step
    full: tuple[Place, ...]  # where it puts them with its own steps
    clip: tuple[float, float]  # [s], when the recording plays
    offset: float  # [s], walk time = slow * (recording time - offset)
    slow: float
    stride: float  # of the marionette's steps
    turned: float  # [rad], heading of the person that became zero
    notes: tuple[str, ...] = ()

    def human_time(self, time: np.ndarray) -> np.ndarray:
        """Time of the recording at a time of the walk [s]."""
        return time / self.slow + self.offset


def rolls_of(walk: Walk) -> tuple[Rolls, ...]:
    """The instants t3, t4, t7, t2 of every step."""
    found = []
    for k, step in enumerate(walk.steps):
        landed = walk.steps[k - 1].land if k else step.lift - walk.double
        leaves = walk.steps[k + 1].lift if k + 1 < len(walk.steps) else step.land + walk.double
        found.append(
            Rolls(
                landed + FLAT_UNTIL * (step.lift - landed),
                step.lift,
                step.land,
                step.land + FLAT_BY * (leaves - step.land),
            )
        )
    return tuple(found)


def walk_of(
    rhythm: Rhythm,
    aims: Aims,
    puppet: Marionette,
    limbs: Limbs,
    stature: Stature,
    options: ImitateOptions,
    most_turn: tuple[float, float],
) -> Walk:
    """Steps of a robot.

    Args:
        rhythm: of the person.
        aims: of the person.
        puppet: the marionette.
        limbs: of the robot.
        stature: of the robot.
        options: what is wanted.
        most_turn: how far a foot may be turned inwards and outwards from the other [rad].
    """
    slow = options.slow
    heading = _heading(aims, rhythm)
    stands, half = rhythm.stands, stature.half_spacing
    out = {"left": 1.0, "right": -1.0}
    places = {side: (0.0, out[side] * half, 0.0) for side in SIDES}
    now, at = dict(places), rhythm.swings[0].lift
    offset = at  # the first lift is at zero for a moment; shifted below
    steps, wished, full, tight, turned_in = [], [], [], 0, 0
    for swing in rhythm.swings:
        rear, front = other(swing.side), swing.side
        wish = _wish(now[rear], front, swing.land, aims, puppet, limbs, heading, options.stride)
        wished.append(wish)
        full.append(_wish(now[rear], front, swing.land, aims, puppet, limbs, heading, 1.0))
        place, was_tight, was_turned = _possible(
            wish, now[rear], front, limbs, stature, most_turn, options.width
        )
        tight += was_tight
        turned_in += was_turned
        heights = _heights(front, swing.lift, swing.land, aims, limbs, options.rockers)
        steps.append(
            Step(
                front,
                slow * (swing.lift - offset),
                slow * (swing.land - offset),
                now[front],
                place,
                *heights[:2],
                slow * (heights[2] - offset),
                *heights[3:5],
                slow * (heights[5] - offset),
                heights[6],
            )
        )
        now[front] = place
    last = rhythm.swings[-1]
    closing = other(last.side)
    beside = moved(now[last.side], 0.0, 2.0 * out[closing] * half)
    lift = slow * (last.land + rhythm.double - offset)
    land = lift + slow * (rhythm.step_time - rhythm.double)
    steps.append(_closing(steps, closing, lift, land, now[closing], beside, limbs))
    wished.append(beside)
    steps[0] = _opening(steps[0], limbs)
    shift = max(slow * rhythm.step_time, 3.0 * stature.time_unit)
    stand = 6.0 * stature.time_unit
    delay = stand + shift
    steps = [_later(step, delay) for step in steps]
    offset -= delay / slow
    notes = list(rhythm.notes)
    if tight:
        notes.append(
            f"{tight} of {len(steps) - 1} steps put aside to where the robot's feet can stand"
        )
    if turned_in:
        notes.append(f"{turned_in} of {len(steps) - 1} steps turned less: the hips go no further")
    clip = tuple(float(slow * (t - offset)) for t in (aims.time[0], aims.time[-1]))
    calm = options.settle
    if options.balance != QUASISTATIC:  # a pendulum comes to rest by a factor e each fall time
        calm = max(calm, CALM_DOWN * stature.time_unit)
    end = steps[-1].land + shift + calm
    walk = Walk(
        tuple(steps), 0.0, end, stands, places, shift, slow * rhythm.double, tuple(wished),
        tuple(full), (clip[0], clip[1]), offset, slow, options.stride, heading, tuple(notes),
    )  # fmt: skip
    leisure = STRETCH if options.balance == QUASISTATIC else 1.0
    return _around(_rolling_in_time(walk, limbs, leisure), limbs)


def _around(walk: Walk, limbs: Limbs) -> Walk:
    """The walk with swings that go around the standing foot."""
    steps = []
    for k, step in enumerate(walk.steps):
        rear = walk.steps[k - 1].end if k else walk.places[walk.stands]
        swinging, standing = limbs.feet[step.side], limbs.feet[other(step.side)]
        out = 1.0 if step.side == "left" else -1.0
        aside = (-out * float(np.sin(rear[2])), out * float(np.cos(rear[2])))
        fixed = outline_at(standing.outline, *rear)
        way = np.array([step.start, step.end])
        room = PASSING * limbs.leg_length
        bulge = passing_bulge(swinging.outline, way, np.array(aside), fixed, room)
        steps.append(replace(step, bulge=bulge, aside=aside))
    return replace(walk, steps=tuple(steps))


def _rolling_in_time(walk: Walk, limbs: Limbs, leisure: float) -> Walk:
    """The walk with feet that roll over their edges no faster than the joints of the leg turn.

    The first foot leaves flat. In the air feet do not go higher because a walk is slower: that
    would cost the knees what slowness gives them.

    Args:
        walk: with the person's heights.
        limbs: of the robot.
        leisure: times that it will be stretched, at least.
    """
    rate = min(ROLL_RATE * limbs.ankle_speed, MOST_ROLL_RATE)
    sharp = min(limbs.ankle_speed, limbs.knee_speed) / RAMP / SHARPEST

    def rolled(length: float, duration: float) -> float:
        """How high an edge may be at the end of a roll of a duration [s] at which it is at rest."""
        duration *= leisure
        return float(length * np.sin(min(rate * duration, sharp * duration**2, 1.0)))

    steps = []
    for k, (step, roll) in enumerate(zip(walk.steps, rolls_of(walk), strict=True)):
        length = limbs.feet[step.side].length
        heel = min(step.heel_lift, rolled(length, roll.t4 - roll.t3)) if k else 0.0
        toe = min(step.toe_land, rolled(length, roll.t2 - roll.t7))
        air = CALM * rate * length / walk.slow
        top = heel + air * (step.heel_top_time - step.lift)
        top = max(top, 1.5 * CLEARANCE * limbs.leg_length)
        tip = toe + air * (step.land - step.toe_top_time)
        tip = max(min(step.toe_top, tip), 1.2 * CLEARANCE * limbs.leg_length)
        middle = min(step.toe_middle, tip)
        step = replace(step, heel_lift=heel, heel_top=min(step.heel_top, top), toe_land=toe)
        steps.append(_in_time(replace(step, toe_top=tip, toe_middle=middle)))
    return replace(walk, steps=tuple(steps))


def _in_time(step: Step) -> Step:
    """The step with heel and toes highest when they can get there and down without haste.

    A person's heel is nearly at its top when the toes leave; one that leaves flat has all the way
    to go. So have toes that land flat.
    """
    span = step.land - step.lift
    way = 1.0 - min(step.heel_lift / max(step.heel_top, 1e-9), 1.0)
    soonest = step.lift + (SOON + (LATE - SOON) * way) * span
    way = 1.0 - min(step.toe_land / max(step.toe_top, 1e-9), 1.0)
    latest = step.land - (DOWN + (SOFTLY - DOWN) * way) * span
    return replace(
        step,
        heel_top_time=max(step.heel_top_time, soonest),
        toe_top_time=min(step.toe_top_time, latest),
    )


def _heading(aims: Aims, rhythm: Rhythm) -> float:
    """Which way the person goes at first [rad]: as the pelvis faces during the first step."""
    first = rhythm.swings[0]
    during = (aims.time >= first.lift) & (aims.time <= first.land)
    if not during.any():
        during = aims.time <= aims.time[0] + 0.5
    ahead = aims.pelvis[during, :2, 0].mean(axis=0)
    return float(np.arctan2(ahead[1], ahead[0]))


def _wish(
    rear: Place,
    front: str,
    time: float,
    aims: Aims,
    puppet: Marionette,
    limbs: Limbs,
    heading: float,
    stride: float,
) -> Place:
    """Where the marionette puts its front foot, seen from where the rear one stands."""
    k = int(np.argmin(np.abs(aims.time - time)))
    back = other(front)
    R_front, p_front = (a[k] for a in puppet.feet[front])
    R_rear, p_rear = (a[k] for a in puppet.feet[back])
    heel = p_front + limbs.feet[front].heel * R_front[:, 0]
    toe = p_rear + limbs.feet[back].toe * R_rear[:, 0]
    way = (heel - toe)[:2]
    # where the robot could not turn as far as the person, the way turns with the foot it leaves
    # from; the person's rear foot as it stands now
    yaw_rear = float(np.arctan2(R_rear[1, 0], R_rear[0, 0]))
    behind = _wrapped(rear[2] - (yaw_rear - heading))
    if abs(behind) < np.deg2rad(15.0):
        behind = 0.0
    turn = behind - heading
    c, s = np.cos(turn), np.sin(turn)
    way = np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])
    yaw = float(np.interp(time, aims.time, aims.foot_yaw[front])) - heading
    yaw = rear[2] + _wrapped(yaw - rear[2])
    from_toe = np.array(rear[:2]) + limbs.feet[back].toe * _ahead(rear[2])
    origin = from_toe + way - limbs.feet[front].heel * _ahead(yaw)
    if stride != 1.0:
        away = origin - np.array(rear[:2])
        along = float(away @ _ahead(rear[2]))
        origin = origin - (1.0 - stride) * along * _ahead(rear[2])
    return float(origin[0]), float(origin[1]), float(yaw)


def _possible(
    wish: Place,
    rear: Place,
    front: str,
    limbs: Limbs,
    stature: Stature,
    most_turn: tuple[float, float],
    width: float,
) -> tuple[Place, bool, bool]:
    """The nearest place where the robot's foot can stand beside the other one."""
    out = 1.0 if front == "left" else -1.0
    yaw = rear[2] + out * float(np.clip(out * (wish[2] - rear[2]), -most_turn[0], most_turn[1]))
    middle = 0.5 * (rear[2] + yaw)
    across = out * np.array([-np.sin(middle), np.cos(middle)])
    away = np.array(wish[:2]) - np.array(rear[:2])
    apart = float(away @ across)
    bend = abs(yaw - rear[2])
    foot = limbs.feet[front]
    reach = foot.inner * np.cos(0.5 * bend)
    reach += max(foot.toe, -foot.heel) * np.sin(0.5 * bend)
    least = 2.0 * reach + BETWEEN * limbs.leg_length
    least = width * max(least, 2.0 * NARROW * stature.step_width)
    along = float(away @ np.array([np.cos(middle), np.sin(middle)]))
    wide = min(max(apart, least), max(2.0 * WIDE * stature.step_width, least))
    place = np.array(rear[:2]) + wide * across + along * np.array([np.cos(middle), np.sin(middle)])
    return (
        (float(place[0]), float(place[1]), yaw),
        abs(wide - apart) > 1e-9,
        abs(yaw - wish[2]) > 1e-9,
    )


@lru_cache(maxsize=64)  # a search asks for the same ones many times
def _heights(
    side: str, lift: float, land: float, aims: Aims, limbs: Limbs, rockers: float
) -> tuple[float, float, float, float, float, float, float]:
    """Heel at toe-off, its top and when; toes in the middle, their top and when, at contact."""
    scale = limbs.leg_length / aims.leg_length
    foot, t = limbs.feet[side], aims.time
    span = land - lift
    inside = (t >= lift) & (t <= land)
    least = CLEARANCE * limbs.leg_length
    if inside.sum() < 5:
        return 0.0, 2.0 * least, lift + 0.4 * span, least, least, lift + 0.6 * span, 0.0
    heel, toe, when = aims.heel[side][inside], aims.toe[side][inside], t[inside]
    pitch_on = float(np.interp(land, t, aims.foot_pitch[side]))
    pitch_off = float(np.interp(lift, t, aims.foot_pitch[side])) if t[0] <= lift else 0.0
    up = float(np.clip(rockers * pitch_on, 0.0, MOST_CONTACT))
    down = float(np.clip(rockers * -pitch_off, 0.0, MOST_TOE_OFF))
    toe_land = foot.length * np.sin(up)
    heel_lift = min(
        foot.length * np.sin(down), scale * max(float(heel[0]), 0.0) + 0.25 * foot.length
    )
    heel_top = max(scale * float(heel.max()) * rockers, heel_lift, 1.5 * least)
    heel_when = float(np.clip(when[heel.argmax()], lift + 0.3 * span, lift + 0.5 * span))
    toe_top = max(scale * float(toe.max()) * rockers, toe_land, 1.2 * least)
    toe_when = float(np.clip(when[toe.argmax()], lift + 0.65 * span, lift + 0.85 * span))
    middle = float(np.interp(lift + 0.4 * span, t, aims.toe[side]))
    toe_middle = float(np.clip(scale * middle, least, toe_top))
    return heel_lift, heel_top, heel_when, toe_middle, toe_top, toe_when, toe_land


def flat_where_light(walk: Walk, off: Collection[int], on: Collection[int], leg: float) -> Walk:
    """The walk with some feet flat until they leave and some flat when they land.

    Args:
        walk: with rockers.
        off: steps whose foot leaves without rolling over its toes.
        on: steps whose foot lands without rolling over its heel.
        leg: length of a leg [m].
    """
    steps = list(walk.steps)
    for k in off:
        step = steps[k]
        low = min(step.heel_top, 1.5 * CLEARANCE * leg)
        top = max(step.heel_top - step.heel_lift, low)  # it does not rise in less time instead
        steps[k] = _in_time(replace(step, heel_lift=0.0, heel_top=top))
    for k in on:
        steps[k] = _in_time(replace(steps[k], toe_land=0.0))
    return replace(walk, steps=tuple(steps))


def _opening(step: Step, limbs: Limbs) -> Step:
    """The first step leaves from flat feet side by side: half as far, so half as much."""
    foot = limbs.feet[step.side]
    low = min(step.heel_lift, foot.length * np.sin(np.deg2rad(10.0)))
    return replace(step, heel_lift=low, heel_top=max(0.6 * step.heel_top, low))


def _closing(
    steps: list[Step], side: str, lift: float, land: float, start: Place, end: Place, limbs: Limbs
) -> Step:
    """A last step that puts the feet side by side, with the heights of the one before."""
    before = [s for s in steps if s.side == side] or steps
    model = before[-1]
    least = CLEARANCE * limbs.leg_length
    span = land - lift
    return Step(
        side, lift, land, start, end, model.heel_lift, max(0.6 * model.heel_top, model.heel_lift),
        lift + 0.3 * span, least, 1.2 * least, lift + 0.65 * span, 0.0,
    )  # fmt: skip


def _later(step: Step, delay: float) -> Step:
    return replace(
        step,
        lift=step.lift + delay,
        land=step.land + delay,
        heel_top_time=step.heel_top_time + delay,
        toe_top_time=step.toe_top_time + delay,
    )


def sole_point(foot: Foot, place: Place, forward: float, outward: float, side: str) -> np.ndarray:
    """A point of a flat sole in the world [m], (2,)."""
    out = 1.0 if side == "left" else -1.0
    x, y, _ = moved(place, forward, out * outward)
    return np.array([x, y])


def _ahead(yaw: float) -> np.ndarray:
    return np.array([np.cos(yaw), np.sin(yaw)])


def _wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)
