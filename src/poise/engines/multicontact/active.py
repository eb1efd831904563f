"""Which constraints that hold at all times are in the program: those that may matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Active:
    """Which continuous constraints are in the program, phase by phase."""

    spans: tuple[np.ndarray, ...]  # (spans, kinds) of bool
    speeds: tuple[np.ndarray, ...]  # (spans + 2, nv) of bool, control points of the rates
    places: tuple[np.ndarray, ...]  # (spans + 3, nv) of bool, control points that are not free
    pairs: tuple[dict[int, np.ndarray], ...]  # pair of links -> (spans,) of bool

    def joined(self, other: Active) -> Active:
        """What is in either."""
        pairs = []
        for mine, theirs in zip(self.pairs, other.pairs, strict=True):
            both = dict(mine)
            for pair, spans in theirs.items():
                both[pair] = both[pair] | spans if pair in both else spans
            pairs.append(both)
        return Active(
            tuple(a | b for a, b in zip(self.spans, other.spans, strict=True)),
            tuple(a | b for a, b in zip(self.speeds, other.speeds, strict=True)),
            tuple(a | b for a, b in zip(self.places, other.places, strict=True)),
            tuple(pairs),
        )

    @property
    def count(self) -> int:
        """How many (constraint, span) there are."""
        tables = [*self.spans, *self.speeds, *self.places]
        tables += [spans for phase in self.pairs for spans in phase.values()]
        return int(sum(table.sum() for table in tables))


def nothing_active(spans: Sequence[int], kinds: Sequence[int], nv: int) -> Active:
    """No constraint at all, for phases with some spans and numbers of kinds."""
    return Active(
        tuple(np.zeros((s, k), dtype=bool) for s, k in zip(spans, kinds, strict=True)),
        tuple(np.zeros((s + 2, nv), dtype=bool) for s in spans),
        tuple(np.zeros((s + 3, nv), dtype=bool) for s in spans),
        tuple({} for _ in spans),
    )
