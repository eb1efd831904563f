"""A trajectory is a function of time with a rate.

Call it with a time, or with an array of times, and it answers with a value, or with one value a
time. Its `rate` is again a trajectory. Outside [start, end] it holds its first or last value, so
that its rate there is zero.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from poise.errors import BadInput


@runtime_checkable
class Trajectory(Protocol):
    """A function of time with a rate."""

    @property
    def start(self) -> float:
        """First instant [s]."""
        ...

    @property
    def end(self) -> float:
        """Last instant [s]."""
        ...

    @property
    def rate(self) -> Trajectory:
        """Time derivative, a trajectory as well [unit of the value / s]."""
        ...

    def __call__(self, time: ArrayLike) -> Any:
        """Value at a time [s], or values at times (k,), stacked along a first axis."""
        ...


def refuse_empty_span(where: str, start: float, end: float) -> None:
    """Raise BadInput unless start < end, both finite."""
    if not (np.isfinite(start) and np.isfinite(end) and start < end):
        raise BadInput(where, "time span", f"[{start}, {end}] s", "start < end, both finite")


def silenced(values: np.ndarray, time: ArrayLike, start: float, end: float) -> np.ndarray:
    """Values of a rate, with those outside [start, end] put to zero."""
    if isinstance(time, float | int):
        return values if start <= time <= end else 0.0 * values
    inside = (np.asarray(time) >= start) & (np.asarray(time) <= end)
    if np.all(inside):
        return values
    shape = inside.shape + (1,) * (np.ndim(values) - inside.ndim)
    return np.where(inside.reshape(shape), values, 0.0)
