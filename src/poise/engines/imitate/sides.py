"""Labels that jump from one side of the body to the other for a while, put right."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.engines.imitate.filters import runs
from poise.motion.marker_names import mirrored, side_of

JUMP = 0.05  # [m], between two frames, that no marker makes
FASTEST = 12.0  # [m/s], of any marker


def unswapped(points: Mapping[str, np.ndarray], rate: float) -> tuple[dict[str, np.ndarray], int]:
    """Landmarks with pairs put right that exchange their places within one frame.

    Args:
        points: landmarks [m], each (n, 3).
        rate: frames a second [Hz].

    Returns:
        the landmarks, and how many stretches were put right.
    """
    out = dict(points)
    mended = 0
    for left in points:
        right = mirrored(left)
        if side_of(left) != "left" or right not in points:
            continue
        a, b = np.array(points[left]), np.array(points[right])
        state = _exchanged(a, b, rate)
        stretches = runs(state)
        if stretches:
            mended += len(stretches)
            a[state], b[state] = b[state].copy(), a[state].copy()
            out[left], out[right] = a, b
    return out, mended


def _exchanged(a: np.ndarray, b: np.ndarray, rate: float) -> np.ndarray:
    """Frames in which two paths are exchanged; the state that lasts shorter is the wrong one."""
    state = np.zeros(len(a), dtype=bool)
    both = np.flatnonzero(np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1))
    if len(both) < 2:
        return state
    gap = np.diff(both)
    a, b = a[both], b[both]
    stay = np.maximum(_apart(a[1:], a[:-1]), _apart(b[1:], b[:-1]))
    cross = np.maximum(_apart(a[1:], b[:-1]), _apart(b[1:], a[:-1]))
    jump = (stay > np.maximum(JUMP, FASTEST * gap / rate)) & (cross < 0.5 * stay)
    jump &= gap <= max(2, 0.05 * rate)
    # an odd number of jumps before a frame: exchanged
    state[both] = np.r_[False, np.cumsum(jump) % 2 == 1]
    if state[both].mean() > 0.5:
        state[both] = ~state[both]
    return state


def _apart(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.linalg.norm(p - q, axis=1)
