"""Recording: what a person did, as markers or as a skeleton, with names and force plates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.errors import BadInput, NotFound


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """A force plate: wrench of the ground on the person, in the world."""

    corners: np.ndarray  # [m], (4, 3)
    rate: float  # [Hz]
    force: np.ndarray  # [N], (n, 3), world axes, on the person
    moment: np.ndarray  # [N m], (n, 3), about the centre of the corners
    """The centre of pressure follows from these; offsets are as recorded."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A person as bones: joints with parents, their rotations and positions over time."""

    names: tuple[str, ...]
    parents: tuple[int, ...]  # -1 for the root
    offsets: np.ndarray  # [m], (joints, 3), in the parent's frame
    positions: np.ndarray  # [m], (n, joints, 3), world
    rotations: np.ndarray  # (n, joints, 3, 3), R_world_joint


@dataclass(frozen=True, eq=False)
class Recording:
    """A captured motion: z up, metres, seconds; gaps are NaN."""

    source: str  # file name, without folders
    rate: float  # [Hz], of the markers
    marker_names: tuple[str, ...] = ()
    markers: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # [m], (n, m, 3)
    plates: tuple[ForcePlate, ...] = ()
    skeleton: Skeleton | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)  # units found, axes turned, ...

    def __post_init__(self) -> None:
        shape = self.markers.shape
        if shape[1:] != (len(self.marker_names), 3):
            raise BadInput(
                self.source, "markers", f"of shape {shape}", f"(n, {len(self.marker_names)}, 3)"
            )
        if not self.rate > 0.0:
            raise BadInput(self.source, "rate", f"{self.rate} Hz", "a positive number")

    def __len__(self) -> int:
        return len(self.skeleton.positions) if self.skeleton is not None else len(self.markers)

    @property
    def duration(self) -> float:
        """From the first to the last frame [s]."""
        return (len(self) - 1) / self.rate

    @property
    def time(self) -> np.ndarray:
        """Instants of the frames, from zero [s], (n,)."""
        return np.arange(len(self)) / self.rate

    def marker(self, name: str) -> np.ndarray:
        """Path of one marker [m], (n, 3), NaN where it was not seen."""
        if name not in self.marker_names:
            raise NotFound("marker", name, self.marker_names)
        return self.markers[:, self.marker_names.index(name)]
