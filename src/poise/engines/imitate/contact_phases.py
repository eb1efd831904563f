"""Which foot stands when, from the events of both feet."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from poise.engines.imitate.events import Events, FootEvents
from poise.motion.marker_names import SIDES


@dataclass(frozen=True)
class Stance:
    """One foot on the ground, from initial contact to toe-off."""

    side: str  # "left" or "right"
    start: float  # [s]
    end: float  # [s]
    starts: bool = True  # whether the initial contact was seen, or the clip begins within
    ends: bool = True  # whether the toe-off was seen


@dataclass(frozen=True)
class Phase:
    """A time in which the same feet stand."""

    support: tuple[str, ...]  # (), ("left",), ("right",) or ("left", "right")
    start: float  # [s]
    end: float  # [s]


def stances(events: FootEvents, start: float, end: float) -> tuple[Stance, ...]:
    """All stances between two instants [s], in the order of their starts."""
    found = [s for side in SIDES for s in _of_side(side, events.side(side), start, end)]
    return tuple(sorted(found, key=lambda s: (s.start, s.side)))


def _of_side(side: str, events: Events, start: float, end: float) -> list[Stance]:
    turns = sorted(
        [(float(t), "ic") for t in events.ic if start <= t <= end]
        + [(float(t), "to") for t in events.to if start <= t <= end]
    )
    found = []
    since: float | None = None
    if not turns or turns[0][1] == "to":
        since = start
    began = False
    for t, kind in turns:
        if kind == "ic":
            since, began = t, True
        elif since is not None:
            found.append(Stance(side, since, t, began, True))
            since = None
    if since is not None and turns:
        found.append(Stance(side, since, end, began, False))
    return found


def phases(found: tuple[Stance, ...], start: float, end: float) -> tuple[Phase, ...]:
    """The supports in turn, without gaps, from one instant to another [s]."""
    cuts = sorted({start, end} | {t for s in found for t in (s.start, s.end) if start < t < end})
    out: list[Phase] = []
    for a, b in itertools.pairwise(cuts):
        middle = 0.5 * (a + b)
        standing = {s.side for s in found if s.start <= middle < s.end}
        support = tuple(side for side in SIDES if side in standing)
        if out and out[-1].support == support:
            out[-1] = Phase(support, out[-1].start, b)
        else:
            out.append(Phase(support, a, b))
    return tuple(out)
