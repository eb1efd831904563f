"""The person's rhythm as a row of swings, left and right in turn.

A clip begins and ends somewhere in a stride. Whatever of the first swing and the last double
support was not seen is taken from the middle values of those that were.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.engines.imitate.human_model import Human
from poise.errors import BadInput
from poise.motion.marker_names import SIDES

DOUBLE = 0.24  # of a step: double support, where none is seen
LEAST_DOUBLE, MOST_DOUBLE = 0.06, 0.6  # of a step
PAUSE = 3.0  # times the usual step: the person stopped in between


@dataclass(frozen=True)
class Swing:
    """One foot in the air."""

    side: str
    lift: float  # [s], toe-off
    land: float  # [s], initial contact
    seen: bool  # whether the initial contact lies in the clip


@dataclass(frozen=True)
class Rhythm:
    """Swings in order of time; the foot that does not swing first stands at the start."""

    swings: tuple[Swing, ...]
    step_time: float  # [s], median
    double: float  # [s], median of double supports
    notes: tuple[str, ...] = ()

    @property
    def stands(self) -> str:
        """The foot that stands at the start."""
        return other(self.swings[0].side)


def other(side: str) -> str:
    """The other side."""
    return SIDES[1 - SIDES.index(side)]


def rhythm_of(person: Human) -> Rhythm:
    """Swings of a clip: from contacts that alternate, with the toe-offs between them."""
    start, end = float(person.time[0]), float(person.time[-1])
    contacts = sorted(
        (float(t), side) for side in SIDES for t in person.events.side(side).ic if start <= t <= end
    )
    run, notes = _longest_turns(contacts)
    if len(run) < 2:
        found = f"too short to imitate ({len(contacts)} initial contacts seen)"
        raise BadInput(person.source, "the walk", found, "at least two steps, left and right")
    times = np.array([t for t, _ in run])
    step = float(np.median(np.diff(times)))
    offs = {side: np.asarray(person.events.side(side).to) for side in SIDES}
    seen = []
    for k, (t, side) in enumerate(run):
        until = times[k + 1] if k + 1 < len(run) else np.inf
        leaves = offs[other(side)]
        leaves = leaves[(leaves > t) & (leaves < until)]
        seen.append(float(leaves[0] - t) if len(leaves) else np.nan)
    known = np.array([d for d in seen if np.isfinite(d)])
    usual = float(np.median(known)) if len(known) else DOUBLE * step
    doubles = [
        float(np.clip(usual if np.isnan(d) else d, LEAST_DOUBLE * step, MOST_DOUBLE * step))
        for d in seen
    ]
    swings = []
    first_offs = offs[run[0][1]]
    first_offs = first_offs[(first_offs >= start) & (first_offs < times[0])]
    lift = float(first_offs[-1]) if len(first_offs) else times[0] - (step - usual)
    lift = float(np.clip(lift, times[0] - 1.2 * step, times[0] - 0.4 * step))
    for k, (t, side) in enumerate(run):
        swings.append(Swing(side, lift, t, True))
        lift = t + doubles[k]
    return Rhythm(tuple(swings), step, float(np.median(doubles)), tuple(notes))


def _longest_turns(
    contacts: list[tuple[float, str]],
) -> tuple[list[tuple[float, str]], list[str]]:
    """The longest run of contacts in which the sides take turns without a pause."""
    if not contacts:
        return [], []
    gaps = np.diff([t for t, _ in contacts])
    usual = float(np.median(gaps)) if len(gaps) else 1.0
    runs: list[list[tuple[float, str]]] = [[contacts[0]]]
    for before, now in pairwise(contacts):
        turns = before[1] != now[1] and now[0] - before[0] < PAUSE * usual
        if turns:
            runs[-1].append(now)
        else:
            runs.append([now])
    best = max(runs, key=len)
    left_out = len(contacts) - len(best)
    notes = [f"{left_out} contacts that do not alternate left out"] if left_out else []
    return best, notes
