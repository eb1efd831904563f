"""Filters without delay and derivatives, on signals with gaps."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.signal import butter, sosfiltfilt


def runs(mask: np.ndarray, least: int = 1) -> list[tuple[int, int]]:
    """Stretches of True as (first, one past last), those of at least some length."""
    edges = np.flatnonzero(np.diff(np.r_[0, np.asarray(mask, dtype=np.int8), 0]))
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(int(a), int(b)) for a, b in pairs if b - a >= least]


def seen(points: np.ndarray) -> np.ndarray:
    """Frames where a path (n, k) is known, (n,)."""
    return np.isfinite(points).all(axis=1)


@lru_cache(maxsize=64)
def _design(order: int, share: float, kind: str) -> np.ndarray:
    """Butterworth sections; the cut-off as a share of half the rate."""
    return butter(order, share, btype=kind, output="sos")


def _filtered(x: np.ndarray, rate: float, cutoff: float, order: int, kind: str) -> np.ndarray:
    """Forwards and backwards over every stretch without gaps; too short ones stay as they are."""
    x = np.asarray(x, dtype=float)
    flat = x.reshape(len(x), -1)
    if not 0.0 < cutoff < 0.49 * rate:
        return x.copy() if kind == "low" else np.full_like(x, np.nan)
    sos = _design(order, cutoff / (0.5 * rate), kind)
    out = np.full_like(flat, np.nan)
    pad = round(4.0 * rate / cutoff)  # the extension repeats the ends point by point
    for a, b in runs(np.isfinite(flat).all(axis=1)):
        piece = flat[a:b]
        if b - a < 4:
            out[a:b] = piece if kind == "low" else 0.0
            continue
        out[a:b] = sosfiltfilt(sos, piece, axis=0, padtype="odd", padlen=min(pad, b - a - 1))
    return out.reshape(x.shape)


def lowpass(x: np.ndarray, rate: float, cutoff: float, order: int = 2) -> np.ndarray:
    """Zero-lag low-pass of a path (n, ...), NaN where it was NaN.

    Args:
        x: the path.
        rate: frames a second [Hz].
        cutoff: [Hz]; at or above half the rate nothing is removed.
        order: of one pass; two passes double it.
    """
    return _filtered(x, rate, cutoff, order, "low")


def highpass(x: np.ndarray, rate: float, cutoff: float, order: int = 2) -> np.ndarray:
    """Zero-lag high-pass of a signal (n, ...), NaN where it was NaN; arguments as `lowpass`."""
    return _filtered(x, rate, cutoff, order, "high")


def velocity(x: np.ndarray, rate: float) -> np.ndarray:
    """Central differences of a path (n, ...) [units/s], one-sided beside gaps and at the ends."""
    x = np.asarray(x, dtype=float)
    out = np.full_like(x, np.nan)
    for a, b in runs(np.isfinite(x.reshape(len(x), -1)).all(axis=1), least=2):
        out[a:b] = np.gradient(x[a:b], 1.0 / rate, axis=0)
    return out


def speed(x: np.ndarray, rate: float) -> np.ndarray:
    """Length of the velocity of a path (n, k) [units/s], (n,)."""
    return np.linalg.norm(velocity(x, rate), axis=1)
