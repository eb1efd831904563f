"""Tick: one instant of a live walk, and what of it is worth showing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.contacts import Touch, zmp
from poise.motion import Mark

ORANGE, BLUE, GREEN, GREY, RED = (
    (230, 120, 20), (40, 110, 220), (40, 160, 80), (120, 125, 135), (200, 40, 40),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Tick:
    """The robot at one instant of a walk, and what keeps it there; arrays are its own."""

    time: float  # [s]
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray  # [N m], (na,)
    forces: Mapping[str, np.ndarray]  # part -> wrench at its frame, world axes [N, N m]
    contacts: tuple[Touch, ...]  # where forces may act, a little inside the soles
    feet: Mapping[str, np.ndarray]  # part -> where its frame is [m], (3,)
    com: np.ndarray  # [m], (3,)
    com_velocity: np.ndarray  # [m/s], (3,)
    com_ref: np.ndarray  # [m], (3,)
    zmp_ref: np.ndarray  # [m], (2,), of the pendulum that the references belong to
    momentum: np.ndarray  # [N m s], (3,), angular, about the centre of mass
    state: str  # "standing", "starting", "walking", "stopping" or "fallen"
    steps: int  # that have been made
    events: tuple[str, ...] = ()  # "lift left_foot", "land left_foot", "stand", "fall", ...
    gave_way: tuple[str, ...] = ()  # requirements that could not all be met, softest first
    reason: str = ""  # why it fell, when it did

    @cached_property
    def zmp(self) -> np.ndarray:
        """The ZMP on the floor under the contact forces [m], (2,); NaN when nothing pushes."""
        force, moment = np.zeros(3), np.zeros(3)
        for part, wrench in self.forces.items():
            force += wrench[:3]
            moment += wrench[3:] + np.cross(self.feet[part], wrench[:3])
        return zmp(force, moment) if force[2] > 1e-9 else np.full(2, np.nan)

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Soles that carry, their forces, the ZMP and the centre of mass with its reference."""
        marks = [
            Mark(f"walk/sole/{touch.part}", touch.anchors, GREY, closed=True)
            for touch in self.contacts
        ]
        scale = 0.5 * self.com[2] / max(sum(f[2] for f in self.forces.values()), 1e-9)
        for part, wrench in self.forces.items():
            tail = self.feet[part]
            tip = tail + scale * wrench[:3]
            marks.append(Mark(f"walk/force/{part}", np.array([tail, tip]), GREEN, arrow=True))
        ground = np.array([[self.com[0], self.com[1], 0.0]])
        wanted = np.array([[self.com_ref[0], self.com_ref[1], 0.0]])
        marks += [
            Mark("walk/com", np.array([self.com]), BLUE),
            Mark("walk/com_ground", ground, BLUE),
            Mark("walk/com_ref", wanted, GREY),
        ]
        if np.isfinite(self.zmp).all():
            marks.append(Mark("walk/zmp", np.array([[*self.zmp, 0.0]]), ORANGE))
        if self.gave_way or self.reason:
            marks.append(Mark("walk/trouble", ground, RED))
        return tuple(marks)
