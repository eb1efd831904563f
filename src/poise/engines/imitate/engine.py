"""A person's captured walk on any humanoid, from a Human to a Motion.

The marionette says where the feet should go and what the body above them does. Balance is made
true by preview control of the centre of mass, corrected by the whole body's ZMP ("dynamic"), or by
keeping the centre of mass over the ZMP and playing slowly enough ("quasistatic"). What the joints
cannot do at the person's speed is done slower, and the plan says by how much.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from poise.contacts import ContactPlan
from poise.engines.imitate.aims import aims_of
from poise.engines.imitate.balancing import previewed, slowly
from poise.engines.imitate.draft import Draughtsman
from poise.engines.imitate.human_model import Human
from poise.engines.imitate.limbs import limbs_of
from poise.engines.imitate.limits import jump_of, resting, use_of
from poise.engines.imitate.marionette import marionette
from poise.engines.imitate.options import QUASISTATIC, ImitateOptions
from poise.engines.imitate.plan import Plan
from poise.engines.imitate.search import (
    ENOUGH,
    LEAST_STRIDE,
    LEAST_TURNS,
    SLOWEST,
    STATIC,
    apart_of,
    less,
    possible,
)
from poise.motion import Motion, motion_of
from poise.robot import Robot

FINISHING = 12  # times that arms, steps or speed are made to fit
TWISTED = 1.2  # times the twist that may be
AGAIN, FELL = 1.15, 1.3  # times slower, when a plan did not please or a replay of it fell
SHORTER = 0.9  # of the steps of a plan that did not please


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
    balanced = slowly if options.balance == QUASISTATIC else previewed
    draft, options, sketch = possible(artist, options, balanced)
    made = balanced(person, puppet, draft, options, sketch)
    changed = False
    for _ in range(FINISHING):
        use = use_of(made)
        apart = apart_of(made, options) if changed else None
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
            options, changed = replace(options, lean=less(options.lean)), True
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
