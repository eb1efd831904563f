"""Trajectories made of others: one after the other, side by side, along a direction, later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.errors import BadInput
from poise.trajectories.trajectory import Trajectory

MEET = 1e-9  # pieces whose ends are closer than this meet [s]


@dataclass(frozen=True, eq=False)
class Piecewise:
    """Trajectories one after the other; where two meet, the later one speaks.

    Args:
        pieces: in order of time, each starting where the one before ends.
    """

    pieces: Sequence[Trajectory]

    def __post_init__(self) -> None:
        """Refuse gaps and overlaps."""
        if not self.pieces:
            raise BadInput("Piecewise", "pieces", "empty", "at least one trajectory")
        for number, (one, after) in enumerate(zip(self.pieces, self.pieces[1:], strict=False)):
            if abs(one.end - after.start) > MEET:
                found = f"at {after.start} s"
                accepted = f"{one.end} s, where piece {number} ends"
                raise BadInput("Piecewise", f"start of piece {number + 1}", found, accepted)

    @property
    def start(self) -> float:
        """First instant [s]."""
        return self.pieces[0].start

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return self.pieces[-1].end

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.array([piece.start for piece in self.pieces[1:]])

    @cached_property
    def rate(self) -> Piecewise:
        """Time derivative, piece by piece."""
        return Piecewise([piece.rate for piece in self.pieces])

    def piece(self, time: float) -> Trajectory:
        """The trajectory that speaks at a time [s]."""
        return self.pieces[int(np.searchsorted(self._starts, time, side="right"))]

    def __call__(self, time: ArrayLike) -> Any:
        """Value at a time [s], or values at times (k,)."""
        if np.ndim(time) == 0:
            return self.piece(float(np.asarray(time)))(time)
        times = np.asarray(time, dtype=float)
        number = np.searchsorted(self._starts, times, side="right")
        first = self.pieces[0](self.start)
        if not isinstance(first, np.ndarray | float):
            return [self(t) for t in times]  # values that are no arrays, e.g. poses
        values = np.empty(times.shape + np.shape(first))
        for k in np.unique(number):
            values[number == k] = self.pieces[k](times[number == k])
        return values

    def jumps(self) -> np.ndarray:
        """Largest jump of any component where pieces meet, (pieces - 1,) [unit]."""
        meeting = zip(self.pieces, self.pieces[1:], strict=False)
        return np.array([np.abs(after(after.start) - one(one.end)).max() for one, after in meeting])


@dataclass(frozen=True, eq=False)
class Stacked:
    """Trajectories side by side: their components in one vector, numbers or vectors each."""

    parts: Sequence[Trajectory]

    @property
    def start(self) -> float:
        """First instant of any part [s]."""
        return min(part.start for part in self.parts)

    @property
    def end(self) -> float:
        """Last instant of any part [s]."""
        return max(part.end for part in self.parts)

    @cached_property
    def rate(self) -> Stacked:
        """Time derivative, part by part."""
        return Stacked([part.rate for part in self.parts])

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Value at a time [s], or values at times (k,)."""
        width = np.ndim(time) + 1
        values = [np.asarray(part(time)) for part in self.parts]
        values = [value if value.ndim == width else value[..., None] for value in values]
        return np.concatenate(values, axis=-1)


@dataclass(frozen=True, eq=False)
class Along:
    """A number that changes in time, times a fixed vector.

    Args:
        vector: (n,).
        number: scalar trajectory.
    """

    vector: np.ndarray
    number: Trajectory

    @property
    def start(self) -> float:
        """First instant [s]."""
        return self.number.start

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return self.number.end

    @cached_property
    def rate(self) -> Along:
        """Time derivative."""
        return Along(self.vector, self.number.rate)

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Value at a time [s], or values at times (k,)."""
        return np.multiply.outer(self.number(time), self.vector)


@dataclass(frozen=True, eq=False)
class Delayed:
    """The same trajectory, later.

    Args:
        trajectory: any.
        delay: [s].
    """

    trajectory: Trajectory
    delay: float

    @property
    def start(self) -> float:
        """First instant [s]."""
        return self.trajectory.start + self.delay

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return self.trajectory.end + self.delay

    @cached_property
    def rate(self) -> Delayed:
        """Time derivative."""
        return Delayed(self.trajectory.rate, self.delay)

    def __call__(self, time: ArrayLike) -> Any:
        """Value at a time [s], or values at times (k,)."""
        return self.trajectory(np.asarray(time, dtype=float) - self.delay)
