"""Everything that was decided on the way to a motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.engines.imitate.draft import Draft
from poise.engines.imitate.human_model import Human
from poise.engines.imitate.leg_kinematics import Postures
from poise.engines.imitate.marionette import Marionette
from poise.engines.imitate.whole_body import Demand


@dataclass(frozen=True, eq=False)
class Plan:
    """A walk with its balance, postures and speed."""

    person: Human
    puppet: Marionette
    draft: Draft
    com: np.ndarray  # [m], (n, 2), reference
    postures: Postures
    demand: Demand
    slower: float  # times slower than the person
    stretch: float  # of that, the share by stretching time alone

    @property
    def time(self) -> np.ndarray:
        """Instants [s], (n,)."""
        return self.stretch * self.draft.time

    @property
    def zmp(self) -> np.ndarray:
        """Of the whole body [m], (n, 2)."""
        return self.demand.zmp(self.stretch)

    @property
    def margin(self) -> np.ndarray:
        """How far the ZMP is inside the support [m], (n,)."""
        return self.draft.support.margins(self.draft.time, self.zmp)
