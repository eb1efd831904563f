"""The paper's scenario: a landing moved by 15 cm as the foot lifts off, as curves to be drawn."""

from __future__ import annotations

import numpy as np

from poise.walking.analytic import Pair
from poise.walking.orthogonal import preview_correction
from poise.walking.pendulum import pendulum_rate
from poise.walking.replanning import ReplanOptions, Request, adapt_time
from poise.walking.stepping import Stance, Timing, Walk, continue_walking, stance, start_walking
from poise.walking.swing_foot import Place

HEIGHT, STEP, CHANGE, ASIDE = 0.814, 0.20, 0.15, 0.095  # [m]
DT, LENGTH = 0.005, 2.5  # [s]

Curve = tuple[str, np.ndarray, np.ndarray]


def feet(change: float = 0.0) -> tuple[Stance, ...]:
    """The standing foot and two landings, moved along x by a change [m]."""
    return tuple(
        stance(k % 2 == 1, (STEP * k + (change if k else 0.0), ASIDE if k % 2 else -ASIDE, 0.0))
        for k in range(3)
    )


def end_of(stances: tuple[Stance, ...]) -> Pair:
    """Beside the last foot: the one behind it closes."""
    a, b = stances[-2].zmp, stances[-1].zmp
    return b[0], 0.5 * (a[1] + b[1])


def curves() -> list[tuple[str, list[Curve]]]:
    """Panels with titles: figure 2 (along x) and figure 3 (along y) of the paper."""
    timing = Timing()
    walk = start_walking(pendulum_rate(HEIGHT), timing, (0.0, 0.0), feet(), end=end_of(feet()))
    begin = timing.start + timing.double
    wish: Place = (STEP + CHANGE, ASIDE, 0.0)

    def changed(options: ReplanOptions) -> Walk:
        ask = Request(walk, begin, wish, lambda p: feet(p[0] - STEP), end_of)
        return adapt_time(ask, options).walk

    moved = feet(CHANGE)
    kept = continue_walking(walk, begin, moved, timing.single, "quartic", end_of(moved))
    later = changed(ReplanOptions("quartic", "cancel"))
    plateau = changed(ReplanOptions("plateau", "cancel"))
    bounded = changed(ReplanOptions())
    time = np.arange(begin, begin + LENGTH, DT)
    _, added = preview_correction(later, DT)

    def zmp(plan: Walk, axis: int) -> np.ndarray:
        return np.array([plan.at(float(t)).zmp[axis] for t in time])

    mass = np.array([later.at(float(t)).com[0] for t in time])
    return [
        (
            "along x: a landing 15 cm further, decided as the foot lifts off",
            [
                ("ZMP, quartic, landing time kept", time, zmp(kept, 0)),
                ("ZMP, quartic, landing 154 ms later (the paper's)", time, zmp(later, 0)),
                ("ZMP, plateau, landing time kept", time, zmp(bounded, 0)),
                ("mass", time, mass),
            ],
        ),
        (
            "along y: what the later landing does, and two corrections",
            [
                ("ZMP, quartic", time, zmp(later, 1)),
                (
                    "with preview control (the paper's)",
                    time,
                    zmp(later, 1) + added.zmp[: len(time), 1],
                ),
                ("ZMP, plateau", time, zmp(plateau, 1)),
            ],
        ),
    ]
