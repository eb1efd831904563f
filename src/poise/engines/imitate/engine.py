"""A person's captured walk on any humanoid, from a Human to a Motion.

The marionette says where the feet should go and what the body above them does. Balance is made
true by preview control of the centre of mass, corrected by the whole body's ZMP ("dynamic"), or by
keeping the centre of mass over the ZMP and playing slowly enough ("quasistatic"). What the joints
cannot do at the person's speed is done slower, and the plan says by how much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from poise.contacts import ContactPlan
from poise.engines.imitate.aims import aims_of
from poise.engines.imitate.clearances import crossed
from poise.engines.imitate.draft import Draft, Draughtsman
from poise.engines.imitate.human_model import Human
from poise.engines.imitate.leg_kinematics import Postures
from poise.engines.imitate.limbs import limbs_of
from poise.engines.imitate.marionette import Marionette, marionette
from poise.engines.imitate.options import QUASISTATIC, ImitateOptions
from poise.engines.imitate.limits import jump_of, resting, use_of
from poise.engines.imitate.whole_body import Demand, demand
from poise.motion import Motion, motion_of
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.walking.preview import preview_path

SQUAT = 0.10  # of a leg, that the base may go lower than in half-sitting
ROUNDS, SLOWEST = 24, 8.0  # of the search for a speed
COARSE = 40.0  # [Hz] at the person's speed, of the drafts on which it is searched
COARSENESS = 0.2  # of a sole's width: how far its ZMP may be off, which is not yet corrected
PEAKS, TWISTS = 0.96, 0.9  # of the highest joint speeds, and twists, that a coarse draft shows
ENOUGH = 1.01  # times what a joint needs, so that one more try is not for nothing
IDLE = 0.94  # of what may be used: a walk that uses less is slower than it need be
SHRINKS = 1.4  # power of the length of steps, with which joint speeds fall
KEPT_STRIDE = 0.6  # of the marionette's steps: shorter ones are not taken for the rhythm's sake
LEAST_STRIDE = 0.2
BEYOND = 0.045  # [rad], that a joint may go over the wall before its limit
FINISHING = 12  # times that arms, steps or speed are made to fit
ASIDE = (0.1, 0.35)  # [rad], that arms are held away from the body each time, and at most
STATIC = 0.9  # of a torque limit: where standing takes more, it is the posture that has to change
LEAST_BEND = 0.25  # [rad], of knees
TWISTED = 1.2  # times the twist that may be
LEAST_SWAY = 0.6  # of how far over a foot the ZMP usually goes
LEAST_TURNS = 0.2  # of what the hips can turn
ARMS = 0.6  # of the arms' motion that is left each time they hit the body
AGAIN, FELL = 1.15, 1.3  # times slower, when a plan did not please or a replay of it fell
SHORTER = 0.9  # of the steps of a plan that did not please
LIKE_PASSES = 1  # corrections of a walk that is like one that was corrected before
TIGHT = 1e-3  # relative, of the slowest that will do


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that was decided on the way to a motion."""

    person: Human
    puppet: Marionette
    draft: Draft
    com: np.ndarray  # [m], (n, 2), reference
    postures: Postures
    demand: Demand
    slower: float  # times slower than the person
    stretch: float  # of that, the share by stretching time alone

    @property
    def time(self) -> np.ndarray:
        """Instants [s], (n,)."""
        return self.stretch * self.draft.time

    @property
    def zmp(self) -> np.ndarray:
        """Of the whole body [m], (n, 2)."""
        return self.demand.zmp(self.stretch)

    @property
    def margin(self) -> np.ndarray:
        """How far the ZMP is inside the support [m], (n,)."""
        return self.draft.support.margins(self.draft.time, self.zmp)


def plan(robot: Robot, person: Human, options: ImitateOptions | None = None) -> Plan:
    """Decide how a robot imitates a person.

    Args:
        robot: who imitates.
        person: who walked.
        options: what is wanted.
    """
    options = options or ImitateOptions()
    limbs, aims = limbs_of(robot), aims_of(person)
    puppet = marionette(robot, limbs, aims, person.stances)
    artist = Draughtsman(robot, limbs, person, aims, puppet)
    balanced = _slowly if options.balance == QUASISTATIC else _previewed
    draft, options, sketch = _possible(artist, options, balanced)
    made = balanced(person, puppet, draft, options, sketch)
    changed = False
    for _ in range(FINISHING):
        use = use_of(made)
        apart = _apart(made, options) if changed else None
        if apart is not None:
            options = apart
        elif made.margin.min() < 0.0 and options.stride > LEAST_STRIDE:
            options, changed = replace(options, stride=0.85 * options.stride), True
        elif use.twist > TWISTED and options.stride > LEAST_STRIDE:
            # so much comes of joints near their limits: shorter steps take them away from there
            stride, slow = 0.94 * options.stride, min(1.04 * options.slow, SLOWEST)
            options, changed = replace(options, stride=stride, slow=slow), True
        elif use.need > 1.0 and options.balance != QUASISTATIC:
            slow = options.slow * max(ENOUGH * use.need, 1.02)
            options = replace(options, slow=min(slow, SLOWEST))
        elif options.balance != QUASISTATIC and (jump := jump_of(made)) > 1.0:
            slow = options.slow * min(max(jump**0.5, 1.03), 1.2)
            options = replace(options, slow=min(slow, SLOWEST))
        elif use.peak > 1.0 and options.lean > 0.0 and resting(made) > STATIC:
            options, changed = replace(options, lean=_less(options.lean)), True
        elif use.peak > 1.0 and options.stride > LEAST_STRIDE:
            stride, slow = 0.93 * options.stride, 1.02 * options.slow
            options, changed = replace(options, stride=stride, slow=slow), True
        elif use.peak > 1.0 and options.turns > LEAST_TURNS:
            options, changed = replace(options, turns=0.8 * options.turns), True
        else:
            break
        draft = artist.draw(options)
        made = balanced(person, puppet, draft, options, made)
    if made.stretch > 1.0:  # as many instants a second as were asked for, after stretching
        draft = artist.draw(replace(options, rate=options.rate * made.stretch))
        made = balanced(person, puppet, draft, options)
        calmer = max(use_of(made).speed, ENOUGH * jump_of(made) ** 0.5)
        if calmer > 1.0:
            made = replace(made, slower=calmer * made.slower, stretch=calmer * made.stretch)
    return made


def _possible(
    artist: Draughtsman, options: ImitateOptions, balanced: Callable[..., Plan]
) -> tuple[Draft, ImitateOptions, Plan]:
    """Steps and a speed within the limits of the joints, and the sketch that showed them.

    Knees that carry too much stand higher, with shorter steps; a joint that comes to its limit
    gets shorter steps too. What is too fast for the joints, or twists the foot that stands out of
    its grip, is first done with shorter steps, so that the person's rhythm is kept, and then slower,
    by as much as is needed. Tried on a coarse draft.
    """
    leg = artist.limbs.leg_length
    squat = SQUAT * leg
    quasistatic = options.balance == QUASISTATIC
    coarse = replace(options, rate=COARSE, passes=1)
    if not quasistatic:
        coarse = replace(coarse, **_guess(artist, options))
    too_fast = 0.0
    like: Plan | None = None
    for _ in range(ROUNDS):
        draft = artist.within_reach(coarse, squat)
        made = balanced(artist.person, artist.puppet, draft, coarse, like)
        stride, slow = draft.walk.stride, coarse.slow
        coarse = replace(coarse, stride=stride)
        use = use_of(made)
        need = max(use.speed / PEAKS, use.others, (use.twist / TWISTS) ** 0.5)
        off = made.margin.min() < -COARSENESS * artist.stature.sole_width
        rough = off or draft.kinematics.beyond(made.postures.q) > BEYOND
        like = None if rough else made
        if rough and quasistatic and coarse.lean > 0.0:
            coarse = replace(coarse, lean=_less(coarse.lean))
        elif rough and quasistatic and coarse.sway > LEAST_SWAY:
            coarse = replace(coarse, sway=coarse.sway - 0.15)
        elif rough and stride > LEAST_STRIDE:
            coarse = replace(coarse, stride=0.9 * stride, turns=0.75 * coarse.turns)
        elif max(use.knees, use.others) > 1.0 and coarse.lean > 0.0 and resting(made) > STATIC:
            coarse = replace(coarse, lean=_less(coarse.lean))
        elif use.knees > 1.0 and squat > 0.02 * leg:
            squat -= 0.02 * leg
        elif use.knees > 1.0 and stride > LEAST_STRIDE:
            coarse = replace(coarse, stride=0.88 * stride)
        elif use.knees > 1.0 and coarse.bend > LEAST_BEND:
            coarse = replace(coarse, bend=coarse.bend - 0.1)
        elif use.knees > 1.0 and coarse.turns > LEAST_TURNS:
            coarse = replace(coarse, turns=0.75 * coarse.turns)
        elif need > 1.0:
            shorter = min(stride, max(KEPT_STRIDE, stride / need))
            # speeds fall a little more than steps do: what is left is taken a little smaller
            rest = need * (shorter / stride) ** SHRINKS
            if shorter <= KEPT_STRIDE:
                too_fast = slow if shorter == stride else too_fast
                slow *= min(max(ENOUGH * rest, 1.03), 1.6)
            coarse = replace(coarse, stride=shorter, slow=min(slow, SLOWEST))
        elif need < IDLE and slow > max(options.slow, 1.03 * too_fast):
            slow = max(options.slow, 1.02 * too_fast, ENOUGH * need * slow)
            coarse = replace(coarse, slow=slow)
        elif (apart := _apart(made, coarse)) is not None:
            coarse = apart
        else:
            break
        coarse = replace(coarse, rate=COARSE / min(coarse.slow, 1.6))
    options = replace(coarse, rate=options.rate, passes=options.passes)
    return artist.draw(options), options, made


def _apart(made: Plan, options: ImitateOptions) -> ImitateOptions | None:
    """What to ask for so that arms keep clear of the body and legs of each other, where they do not.

    First less of the arms' motion, then arms held away; smaller turns and wider steps for legs.
    """
    draft = made.draft
    arms, legs = crossed(draft.robot, made.postures.q, draft.dt / draft.walk.slow)
    if arms and options.aside < ASIDE[1]:
        less = ARMS * options.arms if options.arms > 0.2 else 0.0
        aside = options.aside + (ASIDE[0] if options.arms == 0.0 else 0.0)
        return replace(options, arms=less, aside=aside)
    if legs and options.turns > LEAST_TURNS:
        return replace(options, turns=0.75 * options.turns, width=1.06 * options.width)
    return None


def _guess(artist: Draughtsman, options: ImitateOptions) -> dict[str, float]:
    """Length of steps to begin with, by how fast the person's angles are for the robot's legs."""
    robot, puppet = artist.robot, artist.puppet
    legs = [artist.limbs.joints.column(j) for j in artist.limbs.leg_joints]
    limit = np.where(robot.velocity_limit > 0.0, robot.velocity_limit, np.inf)[legs]
    rates = np.abs(np.gradient(puppet.angles[:, legs], artist.aims.time, axis=0)) / limit
    need = float(np.percentile(rates, 99.0, axis=0).max()) / options.slow
    return {"stride": min(options.stride, max(KEPT_STRIDE, 1.0 / max(need, 1e-3)))}


def _less(share: float) -> float:
    """Half of a share, or nothing."""
    return 0.5 * share if share > 0.5 else 0.0


def _previewed(
    person: Human,
    puppet: Marionette,
    draft: Draft,
    options: ImitateOptions,
    like: Plan | None = None,
) -> Plan:
    """Balanced by preview control, with the whole body's ZMP corrected.

    Args:
        person: who walked.
        puppet: the marionette.
        draft: of the walk.
        options: what is wanted.
        like: a plan of nearly the same walk; what it corrected need not be found again.
    """
    com, postures, passes = draft.com, None, options.passes
    if like is not None:
        com, postures = resampled(like, draft)
        passes = LIKE_PASSES
    best, least = None, np.inf
    for turn in range(passes + 1):
        # what is corrected afterwards need not be exact
        passing = like is not None and turn < passes
        postures = draft.solve(com, postures, passing)
        asked = demand(draft.robot, postures.q, draft.dt)
        missing = draft.zmp - asked.zmp()
        rms = float(np.sqrt(np.mean(missing**2)))
        if rms < least and not passing:  # sharp corners of a reference ring on
            best, least = (com, postures, asked), rms
        if turn < passes:
            com = com + preview_path(missing, draft.gains, start=np.zeros(2)).com
    assert best is not None
    return Plan(person, puppet, draft, *best, draft.walk.slow, 1.0)


def resampled(like: Plan, draft: Draft) -> tuple[np.ndarray, Postures]:
    """Centre of mass [m], (n, 2), and first postures of a draft, from a plan of a similar walk.

    What the plan's centre of mass was moved by is kept, step for step.
    """
    when = np.interp(draft.time, _beats(draft), _beats(like.draft))
    old = like.draft.time
    paths = np.hstack([like.com - like.draft.com, like.com, like.postures.q])
    paths = CubicSpline(old, paths)(when)
    moved, com, q = paths[:, :2], paths[:, 2:4], paths[:, 4:]
    q[:, 3:BASE_Q] /= np.linalg.norm(q[:, 3:BASE_Q], axis=1, keepdims=True)
    return draft.com + moved, Postures(q, com, np.zeros(len(q)), 0.0)


def _beats(draft: Draft) -> np.ndarray:
    """Instants of a walk that correspond in every walk after the same person [s]."""
    walk = draft.walk
    return np.array([walk.begin, *(t for s in walk.steps for t in (s.lift, s.land)), walk.end])


def _slowly(
    person: Human,
    puppet: Marionette,
    draft: Draft,
    options: ImitateOptions,
    like: Plan | None = None,
) -> Plan:
    """The centre of mass over the ZMP reference, played as fast as the margin allows."""
    postures = draft.solve(draft.com)
    asked = demand(draft.robot, postures.q, draft.dt)
    stretch = tightest(draft, asked, options.margin)
    slower = draft.walk.slow * stretch
    return Plan(person, puppet, draft, draft.com, postures, asked, slower, stretch)


def tightest(draft: Draft, asked: Demand, margin: float) -> float:
    """The least stretch of time, at least 1, with the ZMP inside by a margin [m] all the time.

    Where even standing still in every posture does not leave that much, as much as that leaves.
    """

    def least(stretch: float) -> float:
        return float(draft.support.margins(draft.time, asked.zmp(stretch)).min())

    margin = min(margin, 0.9 * least(1e6))
    if least(1.0) >= margin:
        return 1.0
    low, high = 1.0, 2.0
    while least(high) < margin and high < 1e4:
        low, high = high, 2.0 * high
    while high / low > 1.0 + TIGHT:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if least(middle) >= margin else (middle, high)
    return high


def slower_still(made: Plan, options: ImitateOptions, fell: bool = False) -> ImitateOptions:
    """What to ask for when a plan did not please: slower, with steps a little shorter.

    Slow walks are not made better by more time: they get a wider margin and shorter steps.

    Args:
        made: that did not please.
        options: it was made with.
        fell: whether a replay of it fell; then much slower, else less.
    """
    if options.balance == QUASISTATIC:
        margin, stride = min(options.margin + 0.004, 0.05), 0.85 * made.draft.walk.stride
        return replace(options, margin=margin, stride=stride)
    slow = made.slower * (FELL if fell else AGAIN)
    # steps that were shortened at the speed that was asked for may be longer at another one
    kept = made.slower <= options.slow
    stride = SHORTER * (options.stride if kept else made.draft.walk.stride)
    return replace(options, slow=min(slow, SLOWEST), stride=stride)


def motion_of_plan(
    made: Plan, options: ImitateOptions, recipe: dict[str, Any] | None = None
) -> Motion:
    """The motion of a plan, with its contacts and references."""
    draft, k = made.draft, made.stretch
    touches = [
        replace(touch, start=k * touch.start, end=k * touch.end)
        for path in draft.feet.values()
        for touch in path.touches
    ]
    told = {
        "engine": "imitate",
        "source": made.person.source,
        "options": asdict(options),
        "slower": made.slower,
        "stride": draft.walk.stride,
        "notes": [*made.person.notes, *draft.walk.notes],
        **(recipe or {}),
    }
    whole = motion_of(
        draft.robot,
        made.time,
        made.postures.q,
        v=made.demand.v / k,
        contacts=ContactPlan.of(touches),
        signals={"zmp_ref": draft.zmp, "com_ref": made.com, "zmp": made.zmp},
        recipe=told,
    )
    return whole if options.lead else _clip_only(whole, made)


def _clip_only(whole: Motion, made: Plan) -> Motion:
    """What of a motion plays while the recording does, without the steps from and to standing."""
    k = made.stretch
    start, end = (k * t for t in made.draft.walk.clip)
    rows = (whole.time >= start - 1e-9) & (whole.time <= end + 1e-9)
    time = whole.time[rows]
    return replace(
        whole,
        time=time - time[0],
        q=whole.q[rows],
        v=whole.v[rows],
        contacts=whole.contacts.between(time[0], time[-1]).shifted(-time[0]),
        signals={name: signal[rows] for name, signal in whole.signals.items()},
    )


def imitate(
    robot: Robot,
    person: Human,
    options: ImitateOptions | None = None,
    recipe: dict[str, Any] | None = None,
) -> Motion:
    """A robot that walks as a person did.

    Args:
        robot: who imitates.
        person: who walked.
        options: what is wanted.
        recipe: what else is to be remembered of how the motion was made.
    """
    options = options or ImitateOptions()
    return motion_of_plan(plan(robot, person, options), options, recipe)
