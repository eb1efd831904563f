"""Which touches hold at which instant, and the spans over which none begins or ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.contacts import Touch

SAME = 1e-9  # [s], instants closer than this are the same: files round


@dataclass(frozen=True)
class Phase:
    """Rows [start, stop) of a motion over which the same touches hold."""

    start: int
    stop: int
    touches: tuple[int, ...]  # positions in the list of touches

    @property
    def rows(self) -> slice:
        """The rows of the phase."""
        return slice(self.start, self.stop)


def active_touches(time: np.ndarray, touches: Sequence[Touch]) -> np.ndarray:
    """Which touch holds at which instant, (n, touches); the very last instant counts as held."""
    last = max((t.end for t in touches), default=0.0)
    held = np.zeros((len(time), len(touches)), dtype=bool)
    for column, touch in zip(held.T, touches, strict=True):
        column[:] = (time >= touch.start - SAME) & (time < touch.end - SAME)
        if touch.end >= last - SAME:
            column |= np.abs(time - last) <= SAME
    return held


def phases_of(active: np.ndarray) -> tuple[Phase, ...]:
    """Spans of rows with the same touches."""
    if not len(active):
        return ()
    changes = np.flatnonzero((active[1:] != active[:-1]).any(axis=1)) + 1
    edges = [0, *changes.tolist(), len(active)]
    return tuple(Phase(a, b, tuple(np.flatnonzero(active[a]).tolist())) for a, b in pairwise(edges))
