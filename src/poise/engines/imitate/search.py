"""The search for steps and a speed that a robot's joints and motors allow, on coarse sketches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise.engines.imitate.clearances import crossed
from poise.engines.imitate.draft import Draft, Draughtsman
from poise.engines.imitate.limits import resting, use_of
from poise.engines.imitate.options import QUASISTATIC, ImitateOptions
from poise.engines.imitate.plan import Plan

SQUAT = 0.10  # of a leg, that the base may go lower than in half-sitting
ROUNDS, SLOWEST = 24, 8.0  # of the search for a speed
COARSE = 40.0  # [Hz] at the person's speed, of the drafts on which it is searched
COARSENESS = 0.2  # of a sole's width: how far its ZMP may be off, which is not yet corrected
PEAKS, TWISTS = 0.96, 0.9  # of the highest joint speeds, and twists, that a coarse draft shows
IDLE = 0.94  # of what may be used: a walk that uses less is slower than it need be
ENOUGH = 1.01  # times what a joint needs, so that one more try is not for nothing
SHRINKS = 1.4  # power of the length of steps, with which joint speeds fall
KEPT_STRIDE = 0.6  # of the marionette's steps: shorter ones are not taken for the rhythm's sake
LEAST_STRIDE = 0.2
BEYOND = 0.045  # [rad], that a joint may go over the wall before its limit
ASIDE = (0.1, 0.35)  # [rad], that arms are held away from the body each time, and at most
STATIC = 0.9  # of a torque limit: where standing takes more, it is the posture that has to change
LEAST_BEND = 0.25  # [rad], of knees
LEAST_SWAY = 0.6  # of how far over a foot the ZMP usually goes
LEAST_TURNS = 0.2  # of what the hips can turn
ARMS = 0.6  # of the arms' motion that is left each time they hit the body


def possible(
    artist: Draughtsman, options: ImitateOptions, balanced: Callable[..., Plan]
) -> tuple[Draft, ImitateOptions, Plan]:
    """Steps and a speed within the limits of the joints, and the sketch that showed them.

    Knees that carry too much stand higher, with shorter steps; a joint that comes to its limit
    gets shorter steps too. What is too fast for the joints, or would twist the standing foot out
    of its grip, is first done with shorter steps, so that the person's rhythm is kept, and then
    slower, by as much as is needed. Tried on coarse sketches.
    """
    leg = artist.limbs.leg_length
    squat = SQUAT * leg
    quasistatic = options.balance == QUASISTATIC
    coarse = replace(options, rate=COARSE, passes=1)
    if not quasistatic:
        coarse = replace(coarse, stride=first_stride(artist, options))
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
            coarse = replace(coarse, lean=less(coarse.lean))
        elif rough and quasistatic and coarse.sway > LEAST_SWAY:
            coarse = replace(coarse, sway=coarse.sway - 0.15)
        elif rough and stride > LEAST_STRIDE:
            coarse = replace(coarse, stride=0.9 * stride, turns=0.75 * coarse.turns)
        elif max(use.knees, use.others) > 1.0 and coarse.lean > 0.0 and resting(made) > STATIC:
            coarse = replace(coarse, lean=less(coarse.lean))
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
        elif (apart := apart_of(made, coarse)) is not None:
            coarse = apart
        else:
            break
        coarse = replace(coarse, rate=COARSE / min(coarse.slow, 1.6))
    options = replace(coarse, rate=options.rate, passes=options.passes)
    return artist.draw(options), options, made


def apart_of(made: Plan, options: ImitateOptions) -> ImitateOptions | None:
    """What to ask for where arms do not keep clear of the body, or legs of each other.

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


def first_stride(artist: Draughtsman, options: ImitateOptions) -> float:
    """Length of steps to begin with, by how fast the person's angles are for the robot's legs."""
    robot, puppet = artist.robot, artist.puppet
    legs = [artist.limbs.joints.column(j) for j in artist.limbs.leg_joints]
    limit = np.where(robot.velocity_limit > 0.0, robot.velocity_limit, np.inf)[legs]
    rates = np.abs(np.gradient(puppet.angles[:, legs], artist.aims.time, axis=0)) / limit
    need = float(np.percentile(rates, 99.0, axis=0).max()) / options.slow
    return min(options.stride, max(KEPT_STRIDE, 1.0 / max(need, 1e-3)))


def less(share: float) -> float:
    """Half of a share, or nothing."""
    return 0.5 * share if share > 0.5 else 0.0
