"""Force sensors that are read a little late, sometimes more, sometimes less."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np

from poise.motion import Command, Controller, Observation


class StaleSoles:
    """A controller that gets what the soles felt up to some periods ago, at random."""

    def __init__(self, controller: Controller, periods: int, seed: int = 0) -> None:
        """Take the controller, the oldest age in periods, and a seed."""
        self.controller = controller
        self._held: deque[Observation] = deque(maxlen=periods + 1)
        self._random = np.random.default_rng(seed)

    def command(self, seen: Observation) -> Command:
        """As the controller decides from older soles."""
        self._held.append(seen)
        old = self._held[int(self._random.integers(len(self._held)))]
        return self.controller.command(
            replace(seen, pressures=old.pressures, wrenches=old.wrenches)
        )
