"""The unknowns: free control points, durations, sharing weights, free coordinates of contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.stage import Stage

LOG_BETA = 7.0  # weights of contacts stay within exp(-7) .. exp(7)


@dataclass(frozen=True, eq=False)
class Unpacked:
    """A point of the program in its parts."""

    places: np.ndarray  # (c, nv)
    durations: np.ndarray  # [s], (phases,)
    log_beta: list[np.ndarray]  # of each phase, (contacts,)
    floats: np.ndarray  # (f,)


class Variables:
    """Where everything stands in the vector of unknowns."""

    def __init__(self, stage: Stage, layout: Layout, nv: int) -> None:
        self.stage, self.layout, self.nv = stage, layout, nv
        self.place_count = layout.count * nv
        self.time_at = self.place_count
        self.beta_at = []
        at = self.time_at + layout.phases
        for phase in stage.phases:
            self.beta_at.append(at)
            at += len(phase.holds)
        self.float_at = at
        self.slots = stage.float_slots()
        self.float_count = sum(len(hold.free) for hold in stage.holds)
        self.count = at + self.float_count

    def unpack(self, x: np.ndarray) -> Unpacked:
        """The parts of a point."""
        return Unpacked(
            x[: self.place_count].reshape(self.layout.count, self.nv),
            x[self.time_at : self.time_at + self.layout.phases],
            [
                x[at : at + len(phase.holds)]
                for at, phase in zip(self.beta_at, self.stage.phases, strict=True)
            ],
            x[self.float_at :],
        )

    def pack(self, u: Unpacked) -> np.ndarray:
        """A point of its parts."""
        return np.concatenate([u.places.ravel(), u.durations, *u.log_beta, u.floats])

    def sharing_columns(self, phase: int) -> np.ndarray:
        """Unknowns behind the parameters of a phase's sharing, in their order."""
        holds = self.stage.phases[phase].holds
        betas = self.beta_at[phase] + np.arange(len(holds))
        floats = [self.float_columns(h) for h in holds]
        return np.concatenate([betas, *floats]).astype(int)

    def float_columns(self, hold: int) -> np.ndarray:
        """Unknowns of a hold's free coordinates."""
        slot = self.slots[hold]
        return self.float_at + np.arange(slot.start, slot.stop)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest values of all unknowns."""
        stage, nv, count = self.stage, self.nv, self.layout.count
        low, high = np.full(self.count, -np.inf), np.full(self.count, np.inf)
        low[: self.place_count] = np.tile(stage.lower, count)
        high[: self.place_count] = np.tile(stage.upper, count)
        low[:nv] = high[:nv] = stage.start
        if stage.end is not None:
            last = slice(self.place_count - nv, self.place_count)
            low[last] = high[last] = stage.end
        for k, phase in enumerate(stage.phases):
            low[self.time_at + k], high[self.time_at + k] = phase.shortest, phase.longest
            betas = slice(self.beta_at[k], self.beta_at[k] + len(phase.holds))
            low[betas], high[betas] = -LOG_BETA, LOG_BETA
            low[self.beta_at[k]] = high[self.beta_at[k]] = 0.0  # only ratios matter
        for hold, slot in zip(stage.holds, self.slots, strict=True):
            for j, name in enumerate(hold.free):
                at = self.float_at + slot.start + j
                low[at], high[at] = hold.reach[name]
        return low, high
