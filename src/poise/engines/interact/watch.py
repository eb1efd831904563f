"""When to stop, and why: a pull too strong, a hand too far, a sensor that is silent or mad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, isfinite

import numpy as np


@dataclass
class Watch:
    """Looks at the hands every period; the first reason to stop is kept."""

    most_force: float  # [N]
    most_lead: float  # [m]
    reason: str = ""
    patience: float = 0.2  # [s], for which a pull may be more than the robot can lean against
    time: float | None = None  # [s], when
    _leant: float = 0.0  # [s], when the robot could last lean as it should

    def wrench(self, time: float, hand: str, wrenches: Mapping[str, np.ndarray]) -> np.ndarray:
        """The wrench of a hand, or nothing when it cannot be believed, (6,).

        Args:
            time: now [s].
            hand: which.
            wrenches: what the sensors say.
        """
        name = hand.replace("_", " ")
        found = wrenches.get(hand)
        if found is None:
            self._stop(time, f"the force sensor of the {name} is silent")
            return np.zeros(6)
        if not isfinite(found.sum()):  # one number that is none makes the sum one
            self._stop(time, f"the force sensor of the {name} gives no numbers")
            return np.zeros(6)
        force = hypot(found[0], found[1], found[2])
        if force > self.most_force:
            self._stop(
                time, f"the {name} is pulled with {force:.0f} N, more than {self.most_force:.0f} N"
            )
        return found

    def lead(self, time: float, hand: str, lead: float, stretched: bool) -> None:
        """Judge where a hand is.

        Args:
            time: now [s].
            hand: which.
            lead: how far it is from its place beside the body [m].
            stretched: whether the arm is at its end.
        """
        name = hand.replace("_", " ")
        if lead > self.most_lead:
            self._stop(
                time, f"the {name} is {lead:.2f} m from its place, more than {self.most_lead:.2f} m"
            )
        elif stretched:
            self._stop(time, f"the {name} is beyond reach")

    def lean(self, time: float, hand: str, share: float) -> None:
        """Judge whether the robot can lean against what is pulled.

        Args:
            time: now [s].
            hand: which.
            share: how far it would have to lean, of what it can.
        """
        if share <= 1.0:
            self._leant = time
        elif time > self._leant + self.patience:
            name = hand.replace("_", " ")
            self._stop(time, f"the {name} is pulled harder than the robot can lean against")

    def _stop(self, time: float, reason: str) -> None:
        if not self.reason:
            self.reason, self.time = reason, time
