"""Poses of body segments over time: rigid shapes laid through the markers that are seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from poise.engines.imitate.filters import runs
from poise.engines.imitate.rigid import rigid_fit

LINE = 0.05  # of the largest extent of a shape: below it the points lie on a line


@dataclass(frozen=True, eq=False)
class Segment:
    """A rigid part of the body over time; ISB axes, x ahead, y up, z right."""

    R: np.ndarray  # (n, 3, 3), R_world_segment
    origin: np.ndarray  # [m], (n, 3), proximal joint

    def point(self, place: np.ndarray) -> np.ndarray:
        """A point of the segment in the world [m], (n, 3)."""
        return self.origin + self.R @ place

    @property
    def known(self) -> np.ndarray:
        """Frames in which the pose is known, (n,)."""
        return np.isfinite(self.R).all(axis=(1, 2)) & np.isfinite(self.origin).all(axis=1)


def tracked(
    shape: Mapping[str, np.ndarray], points: Mapping[str, np.ndarray], least: int = 3
) -> Segment:
    """The pose of a shape in every frame where enough of its points are seen.

    Args:
        shape: places of points in the segment's frame [m], (3,) each.
        points: paths of points in the world [m], (n, 3) each.
        least: points that must be seen.
    """
    names = [name for name in shape if name in points]
    n = len(next(iter(points.values())))
    R, t = np.full((n, 3, 3), np.nan), np.full((n, 3), np.nan)
    if len(names) < least:
        return Segment(R, t)
    local = np.array([shape[name] for name in names])
    paths = np.stack([points[name] for name in names], axis=1)
    visible = np.isfinite(paths).all(axis=2)
    patterns, which = np.unique(visible, axis=0, return_inverse=True)
    which = which.reshape(-1)
    for k, pattern in enumerate(patterns):
        if pattern.sum() < least or on_a_line(local[pattern]):
            continue
        rows = np.flatnonzero(which == k)
        R[rows], t[rows] = rigid_fit(local[pattern], paths[rows][:, pattern])
    return Segment(R, t)


def on_a_line(local: np.ndarray) -> bool:
    """Whether points (k, 3) leave the turn about their line open."""
    extent = np.linalg.svd(local - local.mean(axis=0), compute_uv=False)
    return bool(extent[1] < LINE * extent[0])


def bridged(segment: Segment) -> tuple[Segment, int]:
    """A segment with its unknown frames bridged, and how many frames that were.

    Between two known poses the rotation turns evenly; before the first and after the last it
    stays as it is there.
    """
    known = segment.known
    if known.all() or not known.any():
        return segment, 0
    frames = np.flatnonzero(known)
    asked = np.clip(np.arange(len(known)), frames[0], frames[-1])
    turns = Rotation.from_matrix(segment.R[frames])
    R = (
        Slerp(frames, turns)(asked).as_matrix()
        if len(frames) > 1
        else np.repeat(segment.R[frames], len(known), 0)
    )
    origin = np.column_stack(
        [np.interp(asked, frames, segment.origin[frames, k]) for k in range(3)]
    )
    return Segment(R, origin), int((~known).sum())


def longest_stretch(known: np.ndarray) -> tuple[int, int]:
    """First and one past the last frame of the longest run of True; (0, 0) if there is none."""
    found = runs(known)
    return max(found, key=lambda ab: ab[1] - ab[0]) if found else (0, 0)
