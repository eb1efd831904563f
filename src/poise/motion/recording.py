"""Recording: what a person did, as markers or as a skeleton, with names and force plates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.errors import BadInput, NotFound


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """A force plate: wrench of the ground on the person, in the world, offset removed."""

    corners: np.ndarray  # [m], (4, 3)
    rate: float  # [Hz]
    force: np.ndarray  # [N], (n, 3), world axes, on the person
    moment: np.ndarray  # [N m], (n, 3), about the centre of the corners
    notes: Mapping[str, Any] = field(default_factory=dict)  # type, offset removed, ...

    @property
    def centre(self) -> np.ndarray:
        """Middle of the corners [m], (3,)."""
        return self.corners.mean(axis=0)

    @property
    def time(self) -> np.ndarray:
        """Instants of the samples, from the first frame of the recording [s], (n,)."""
        return np.arange(len(self.force)) / self.rate

    def centre_of_pressure(self, least: float = 20.0) -> np.ndarray:
        """Point of the plate where the force acts [m], (n, 3), NaN below a vertical force [N]."""
        vertical = self.force[:, 2]
        loaded = vertical > least
        fz = np.where(loaded, vertical, np.nan)
        x = -self.moment[:, 1] / fz
        y = self.moment[:, 0] / fz
        return np.column_stack([x, y, np.where(loaded, 0.0, np.nan)]) + self.centre


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A person as bones: joints with parents, their rotations and positions over time.

    With all rotations at identity the joints stand at the sums of their offsets: the rest pose of
    the file, in world axes. Ends of bones are joints too, with the name of the bone and "_end".
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]  # -1 for the root
    offsets: np.ndarray  # [m], (joints, 3), in the parent's frame
    positions: np.ndarray  # [m], (n, joints, 3), world
    rotations: np.ndarray  # (n, joints, 3, 3), R_world_joint

    @property
    def rest(self) -> np.ndarray:
        """Joints with all rotations at identity and the root at zero [m], (joints, 3)."""
        rest = np.zeros((len(self.names), 3))
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                rest[joint] = rest[parent] + self.offsets[joint]
        return rest


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
    start: float = 0.0  # [s], of the first frame kept, from the first frame of the file

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
