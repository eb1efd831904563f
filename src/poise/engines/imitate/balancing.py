"""A draft made true: by preview control of the centre of mass, or slowly with it over the feet."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from poise.engines.imitate.draft import Draft
from poise.engines.imitate.human_model import Human
from poise.engines.imitate.leg_kinematics import Postures
from poise.engines.imitate.marionette import Marionette
from poise.engines.imitate.options import ImitateOptions
from poise.engines.imitate.plan import Plan
from poise.engines.imitate.whole_body import Demand, demand
from poise.robot.robot import BASE_Q
from poise.walking.preview import CartPath, with_multibody

TIGHT = 1e-3  # relative, of the slowest that will do


def previewed(
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
    moved, before = (None, None) if like is None else resampled(like, draft)
    tried: list[tuple[Postures, Demand]] = []

    def measure(cart: CartPath) -> np.ndarray:
        # what is corrected afterwards need not be exact
        passing = like is not None and len(tried) < options.passes
        postures = draft.solve(cart.com, tried[-1][0] if tried else before, passing)
        tried.append((postures, demand(draft.robot, postures.q, draft.dt)))
        return tried[-1][1].zmp()

    cart, _ = with_multibody(draft.zmp, draft.gains, measure, options.passes, moved=moved)
    postures, asked = next(entry for entry in tried if entry[0].com is cart.com)
    if like is not None and postures is not tried[-1][0]:
        postures = draft.solve(cart.com, postures)
        asked = demand(draft.robot, postures.q, draft.dt)
    return Plan(person, puppet, draft, cart.com, postures, asked, draft.walk.slow, 1.0)


def resampled(like: Plan, draft: Draft) -> tuple[np.ndarray, Postures]:
    """What a similar plan moved its centre of mass by [m], (n, 2), and postures to begin with.

    Step for step, at the times of a draft.
    """
    when = np.interp(draft.time, _beats(draft), _beats(like.draft))
    old = like.draft.time
    paths = np.hstack([like.com - like.draft.com, like.com, like.postures.q])
    paths = CubicSpline(old, paths)(when)
    moved, com, q = paths[:, :2], paths[:, 2:4], paths[:, 4:]
    q[:, 3:BASE_Q] /= np.linalg.norm(q[:, 3:BASE_Q], axis=1, keepdims=True)
    return moved, Postures(q, com, np.zeros(len(q)), 0.0)


def _beats(draft: Draft) -> np.ndarray:
    """Instants of a walk that correspond in every walk after the same person [s]."""
    walk = draft.walk
    return np.array([walk.begin, *(t for s in walk.steps for t in (s.lift, s.land)), walk.end])


def slowly(
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
