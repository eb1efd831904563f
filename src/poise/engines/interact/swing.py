"""The swinging foot, whose landing may move in place and time while it is in the air.

Over the ground it goes by quintics from wherever it is, however fast, to the landing, and is there
a little before it touches; in height it goes up to an apex and down, each a quintic too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.trajectories.polynomials import quintic
from poise.walking.swing_foot import Place

STILL = 0.1  # of a swing: over its landing before it touches
APEX = 0.45  # of a swing: when it is highest
SHORTEST = 0.02  # [s], of a piece


@dataclass(frozen=True, eq=False)
class FootState:
    """Place with height (x, y, z, heading), its rate and the rate of that, (4,) each."""

    place: np.ndarray  # [m, m, m, rad]
    rate: np.ndarray
    rate2: np.ndarray


def resting(place: Place) -> FootState:
    """A foot flat on the ground."""
    return FootState(np.array([place[0], place[1], 0.0, place[2]]), np.zeros(4), np.zeros(4))


@dataclass(frozen=True)
class _Way:
    """Quintics of some coordinates, ready to be evaluated every period."""

    start: float  # [s]
    end: float  # [s]
    coefficients: tuple[tuple[float, ...], ...]  # of s = 0 to 1, constant first

    def at(self, time: float) -> list[tuple[float, float, float]]:
        """Value, rate and rate of that of each coordinate; it rests at the end."""
        T = self.end - self.start
        s = min(max((time - self.start) / T, 0.0), 1.0)
        found = []
        for a, b, c, d, e, f in self.coefficients:
            value = a + s * (b + s * (c + s * (d + s * (e + s * f))))
            rate = b + s * (2 * c + s * (3 * d + s * (4 * e + s * 5 * f)))
            bend = 2 * c + s * (6 * d + s * (12 * e + s * 20 * f))
            moving = 1.0 if time < self.end else 0.0
            found.append((value, moving * rate / T, moving * bend / (T * T)))
        return found


def _way(start: float, end: float, *more: Any) -> _Way:
    rows = np.atleast_2d(quintic(start, end, *more).monomials.T)
    return _Way(start, end, tuple(tuple(row) for row in rows.tolist()))


class SwingFoot:
    """One swing, from lift-off to landing."""

    def __init__(
        self, start: Place, landing: Place, time: float, end: float, height: float
    ) -> None:
        """Lift off.

        Args:
            start: where it stood.
            landing: where it is to land.
            time: now [s].
            end: when it is to land [s].
            height: of the apex [m].
        """
        self.height = height
        self._lift, self._end = time, end
        self._up: _Way | None = None
        self._aim(resting(start), landing, time, end)

    @property
    def end(self) -> float:
        """When it lands [s]."""
        return self._end

    @property
    def lifted(self) -> float:
        """When it lifted off [s]."""
        return self._lift

    @property
    def arrival(self) -> float:
        """When it is over its landing [s]."""
        return self._over.end

    def land_at(self, landing: Place, time: float, end: float) -> None:
        """Aim at another landing from now on.

        Args:
            landing: where.
            time: now [s].
            end: when [s].
        """
        self._aim(self.at(time), landing, time, end)

    def at(self, time: float) -> FootState:
        """Where the foot should be at a time [s]."""
        time = min(time, self._end)
        part = self._down if self._up is None or time >= self._up.end else self._up
        (x, y, heading), (z,) = self._over.at(time), part.at(time)
        rows = zip(x, y, z, heading, strict=True)
        return FootState(*(np.array(row) for row in rows))

    def _aim(self, now: FootState, landing: Place, time: float, end: float) -> None:
        span = end - self._lift
        arrival = max(end - STILL * span, time + SHORTEST)
        ground = [0, 1, 3]
        self._over = _way(
            time,
            arrival,
            now.place[ground],
            np.array(landing),
            (now.rate[ground], 0.0),
            (now.rate2[ground], 0.0),
        )
        apex = self._lift + APEX * span
        z = (now.place[2:3], now.rate[2:3], now.rate2[2:3])
        if time < apex - SHORTEST:
            self._up = _way(time, apex, z[0], self.height, (z[1], 0.0), (z[2], 0.0))
            self._down = _way(apex, end, np.array([self.height]), 0.0)
        else:
            self._up = None
            self._down = _way(time, end, z[0], 0.0, (z[1], 0.0), (z[2], 0.0))
        self._end = end
