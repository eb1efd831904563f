"""Two generators, the same wishes: what each of them gives up.

A robot of the paper's size walks with steps of some length. In the first quarter of a swing, the
foot is asked to land somewhere else. One generator moves the landing in time and lands where it is
told, as long as that keeps the ZMP within bounds; the other one trades place, time and ZMP against
each other.
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot
from typing import Any

import numpy as np

from poise.engines.interact.scenario import ASIDE, HEIGHT
from poise.walking.pendulum import pendulum_rate
from poise.walking.replanning import GENERATORS, Replan, ReplanOptions, Request
from poise.walking.stepping import Stance, Timing, Walk, stance, start_walking
from poise.walking.swing_foot import Place

TIMING = Timing(0.7, 0.2, 1.4, 1.6)  # [s], of the paper's robot by default
STEPS = (-0.15, 0.20)  # [m], planned
FORWARD, SIDEWAYS = (-0.20, 0.20), (-0.03, 0.08)  # [m], asked for on top
WHEN = (0.0, 0.25)  # of a swing


def compare_generators(count: int = 500, seed: int = 0) -> dict[str, dict[str, float]]:
    """Ask both generators for the same changes of a landing.

    Args:
        count: how many.
        seed: of the random changes.

    Returns:
        For each generator: share of wishes refused, and mean and 95th percentile of what it
        gave up: distance from the wish [mm], change of the landing time [ms], highest deviation
        of the ZMP [mm].
    """
    random = np.random.default_rng(seed)
    answers: dict[str, list[Replan]] = {name: [] for name in GENERATORS}
    walks: dict[float, Walk] = {}
    for _ in range(count):
        step = float(np.round(random.uniform(*STEPS), 2))
        change = float(random.uniform(*FORWARD)), float(random.uniform(*SIDEWAYS))
        follow = _follow(step)
        if step not in walks:
            feet = follow((step, ASIDE, 0.0))
            walks[step] = start_walking(pendulum_rate(HEIGHT), TIMING, (0.0, 0.0), feet)
        wish = (step + change[0], ASIDE + change[1], 0.0)
        now = TIMING.start + TIMING.double + random.uniform(*WHEN) * TIMING.single
        ask = Request(walks[step], float(now), wish, follow)
        for name, generator in GENERATORS.items():
            answers[name].append(generator(ask, ReplanOptions()))
    return {name: _summary(found) for name, found in answers.items()}


def _follow(step: float) -> Callable[[Place], tuple[Stance, ...]]:
    def follow(place: Place) -> tuple[Stance, ...]:
        x, y, _ = place
        return (
            stance(False, (0.0, -ASIDE, 0.0)),
            stance(True, place),
            stance(False, (x + step, y - 2.0 * ASIDE, 0.0)),
            stance(True, (x + step, y, 0.0)),
        )

    return follow


def _summary(answers: list[Replan]) -> dict[str, float]:
    done = [one for one in answers if one.accepted]
    values = {
        "off_mm": [1e3 * hypot(o.landing[0] - o.wish[0], o.landing[1] - o.wish[1]) for o in done],
        "shift_ms": [1e3 * abs(o.shift) for o in done],
        "zmp_mm": [1e3 * max(map(abs, o.fluctuation)) for o in done],
    }
    found: dict[str, Any] = {"refused": 1.0 - len(done) / len(answers)}
    for key, row in values.items():
        found |= {f"{key}_mean": float(np.mean(row)), f"{key}_p95": float(np.percentile(row, 95))}
    return found
