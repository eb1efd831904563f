"""Splines of all phases as functions of free control points and durations.

Each phase has its own clamped uniform cubic spline. Its first three control points follow from how
the phase before it ended, so position, velocity and acceleration are continuous whatever the
free points are; the motion starts and ends at rest. What remains free is numbered through:
`places` (c, nv) is one row a free point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.errors import BadInput
from poise.trajectories.spline_maps import basis_matrix

DEGREE = 3
LEAST_SPANS = 4


@dataclass(frozen=True, eq=False)
class PhaseBasis:
    """A phase's splines at some shares of its time, for given durations.

    `value`, `rate` and `bend` map the phase's own free points (those in `points`) to positions,
    velocities and accelerations, (k, len(points)); the `*_by_ratio` ones say how these matrices
    change with the ratio of its span to the one before.
    """

    value: np.ndarray
    rate: np.ndarray
    bend: np.ndarray
    value_by_ratio: np.ndarray
    rate_by_ratio: np.ndarray
    bend_by_ratio: np.ndarray


@dataclass(frozen=True, eq=False)
class Layout:
    """Which free control points make which phase."""

    spans: tuple[int, ...]  # of each phase

    def __post_init__(self) -> None:
        if not self.spans or min(self.spans) < LEAST_SPANS:
            accepted = f"at least {LEAST_SPANS} in every phase"
            raise BadInput("multicontact", "spans", f"{list(self.spans)}", accepted)

    @property
    def phases(self) -> int:
        """How many."""
        return len(self.spans)

    @property
    def count(self) -> int:
        """Number of free control points."""
        return 1 + sum(self.spans) - 2  # the start, one a span, the last three are one

    def own(self, phase: int) -> np.ndarray:
        """Free points that begin in a phase."""
        start = 1 + sum(self.spans[:phase])
        end = start + self.spans[phase] - (2 if phase == self.phases - 1 else 0)
        return np.arange(0 if phase == 0 else start, end)

    def points(self, phase: int) -> np.ndarray:
        """Free points that a phase depends on, rising."""
        if phase == 0:
            return self.own(0)
        first = self.own(phase)[0]
        return np.concatenate([np.arange(first - 3, first), self.own(phase)])

    def mixing(self, phase: int, ratio: float) -> tuple[np.ndarray, np.ndarray]:
        """All control points of a phase from its free points, and the derivative by ratio.

        Args:
            phase: which.
            ratio: its span over the span of the phase before it.
        """
        spans = self.spans[phase]
        free = self.points(phase)
        M = np.zeros((spans + DEGREE, len(free)))
        dM = np.zeros_like(M)
        if phase == 0:
            M[:3, 0] = 1.0  # at rest
            lead = 1
        else:
            r = ratio
            M[:3, :3] = [
                [0.0, 0.0, 1.0],
                [0.0, -r, 1.0 + r],
                [r * r, -3.0 * r - 3.0 * r * r, 1.0 + 3.0 * r + 2.0 * r * r],
            ]
            dM[:3, :3] = [
                [0.0, 0.0, 0.0],
                [0.0, -1.0, 1.0],
                [2.0 * r, -3.0 - 6.0 * r, 3.0 + 4.0 * r],
            ]
            lead = 3
        rest = len(free) - lead
        M[3 : 3 + rest, lead:] = np.eye(rest)
        M[3 + rest :, -1] = 1.0  # the last phase ends at rest
        return M, dM

    def basis(self, phase: int, share: np.ndarray, durations: np.ndarray) -> PhaseBasis:
        """The splines of a phase at shares (k,) of its time, given all durations [s]."""
        spans = self.spans[phase]
        M, dM = self.mixing(phase, self.ratio(phase, durations))
        T = durations[phase]
        B = [spline_basis(spans, share, order) / T**order for order in range(3)]
        return PhaseBasis(*(b @ M for b in B), *(b @ dM for b in B))

    def ratio(self, phase: int, durations: np.ndarray) -> float:
        """A phase's span over the one before."""
        if phase == 0:
            return 1.0
        before, now = self.spans[phase - 1], self.spans[phase]
        return float((durations[phase] / now) / (durations[phase - 1] / before))

    def touched(self, phase: int, span: int) -> np.ndarray:
        """Positions in `points(phase)` that matter on one of its spans."""
        found = self._touched.get((phase, span))
        if found is None:
            M, _ = self.mixing(phase, 0.7345)  # no ratio at which something cancels
            found = np.flatnonzero(np.abs(M[span : span + DEGREE + 1]).max(axis=0) > 0.0)
            self._touched[phase, span] = found
        return found

    @cached_property
    def _touched(self) -> dict[tuple[int, int], np.ndarray]:
        return {}

    def control_points(
        self, places: np.ndarray, durations: Sequence[float] | np.ndarray
    ) -> list[np.ndarray]:
        """All control points of each phase, (spans + 3, nv) each."""
        durations = np.asarray(durations, dtype=float)
        return [
            self.mixing(p, self.ratio(p, durations))[0] @ places[self.points(p)]
            for p in range(self.phases)
        ]


_CACHE: dict[tuple[int, bytes, int], np.ndarray] = {}


def spline_basis(spans: int, share: np.ndarray, order: int) -> np.ndarray:
    """Derivatives of a phase's splines at shares (k,) of its time, by these, (k, spans + 3)."""
    key = (spans, share.tobytes(), order)
    found = _CACHE.get(key)
    if found is None:
        found = _CACHE[key] = basis_matrix(spans, share, DEGREE, order).toarray()
    return found
