"""Walking on a belt: found by feet that glide back while they stand, undone by moving the world."""

from __future__ import annotations

import numpy as np

from poise.engines.imitate.filters import lowpass, runs, seen, speed, velocity

LEAST_BELT = 0.2  # [m/s]
BESIDE = 0.1  # [m/s], of a foot that stands beside the belt
STAYS = 0.35  # of the belt's speed, that the pelvis may travel on average


def belt_velocity(
    feet: list[tuple[np.ndarray, np.ndarray]], pelvis: np.ndarray | None, rate: float
) -> np.ndarray | None:
    """Horizontal velocity of the belt [m/s], (2,), or None on solid ground.

    Args:
        feet: heel and forefoot markers of each foot [m], (n, 3) each.
        pelvis: a point of the pelvis [m], (n, 3), where known.
        rate: frames a second [Hz].
    """
    glides = []
    for marker in (m for foot in feet for m in foot):
        path = lowpass(marker, rate, 10.0)
        known = seen(path)
        if known.sum() < 0.5 * rate:
            continue
        v = velocity(path, rate)[:, :2]
        low = known & (path[:, 2] < np.percentile(path[known, 2], 30)) & np.isfinite(v[:, 0])
        if low.any():
            glides.append(np.median(v[low], axis=0))
    if len(glides) < 2:
        return None
    belt = np.median(glides, axis=0)
    strength = float(np.linalg.norm(belt))
    along = np.array(glides) @ belt / max(strength, 1e-9)
    if strength < LEAST_BELT or along.min() < 0.4 * strength:
        return None
    body = pelvis if pelvis is not None else np.nanmean([m for foot in feet for m in foot], axis=0)
    known = np.flatnonzero(seen(body))
    if len(known) < 2:
        return None
    duration = (known[-1] - known[0]) / rate
    drift = np.linalg.norm(body[known[-1], :2] - body[known[0], :2]) / max(duration, 1e-9)
    return belt if drift < STAYS * strength else None


def stands(heel: np.ndarray, toe: np.ndarray, rate: float) -> np.ndarray:
    """Frames in which a foot stays put in the world, beside the belt, for a while, (n,)."""
    pace = np.maximum(*(speed(lowpass(marker, rate, 10.0), rate) for marker in (heel, toe)))
    beside = np.zeros(len(pace), dtype=bool)
    for a, b in runs(np.nan_to_num(pace, nan=np.inf) < BESIDE, least=round(0.3 * rate)):
        beside[a:b] = True
    return beside


def in_belt_frame(points: np.ndarray, belt: np.ndarray, rate: float) -> np.ndarray:
    """Points (n, ..., 3) as seen from the belt, where standing feet stand still."""
    gone = np.arange(len(points)) / rate
    moved = np.array(points, dtype=float)
    shape = (len(points),) + (1,) * (moved.ndim - 2)
    for axis in range(2):
        moved[..., axis] -= (gone * belt[axis]).reshape(shape)
    return moved
