"""Where a foot swings: the high-pass algorithm on the path length of the foot.

Desailly et al. (2009) take the coordinate of a marker along the walking lane, remove everything
slower than half the stride frequency, and find contacts at its extrema. On a curved path the
coordinate is replaced by the curvilinear abscissa, the length of the path so far. The signal rises
where the foot is faster than the walk and falls where it is slower, so that one swing lies between
a minimum and the next maximum. Both markers of a foot must move: the slower one is integrated, so
that neither the roll-off (toes rest) nor a pivot on the heel counts.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.signal import find_peaks

from poise.engines.imitate.filters import highpass, lowpass, runs

SEED_CUTOFF = 7.0  # [Hz], of the speeds
SHARE_OF_STRIDE = 0.5  # high-pass at this part of the stride frequency
USUAL_STRIDE = 0.9  # [Hz], where a clip is too short to tell
STRIDES = (0.3, 1.8)  # [Hz], that walking may have


@dataclass(frozen=True)
class Swing:
    """A stretch of frames in which a foot overtakes the walk."""

    start: int  # frame of the minimum, or the first frame that is known
    end: int  # frame of the maximum, or the last frame that is known
    begins: bool  # whether the minimum was seen
    ends: bool  # whether the maximum was seen


def stride_frequency(left: np.ndarray, right: np.ndarray, rate: float) -> float:
    """Strides a second [Hz]: the feet swing in turn, two swings make a stride.

    Args:
        left: speed of the left foot [m/s], (n,), NaN where unknown.
        right: of the right foot.
        rate: frames a second [Hz].
    """
    intervals: list[float] = []
    lead = lowpass(left - right, rate, 3.0)
    for a, b in runs(np.isfinite(lead), least=round(0.5 * rate)):
        piece = lead[a:b]
        height = 0.4 * np.abs(piece).max()
        ups, _ = find_peaks(piece, height=height)
        downs, _ = find_peaks(-piece, height=height)
        turns = sorted([(int(k), 1) for k in ups] + [(int(k), -1) for k in downs])
        intervals += [
            (k1 - k0) / rate for (k0, s0), (k1, s1) in itertools.pairwise(turns) if s0 != s1
        ]
    if not intervals:
        return USUAL_STRIDE
    return float(np.clip(0.5 / np.median(intervals), *STRIDES))


def abscissa(pace: np.ndarray, rate: float) -> np.ndarray:
    """Length of the path so far [m], (n,), from the speed [m/s]; starts anew after a gap."""
    s = np.full(len(pace), np.nan)
    for a, b in runs(np.isfinite(pace)):
        s[a:b] = np.cumsum(pace[a:b]) / rate
    return s


def swings(pace: np.ndarray, rate: float, stride: float) -> list[Swing]:
    """Stretches between a minimum and the next maximum of the high-passed abscissa.

    Args:
        pace: speed of the slower of the two markers of a foot [m/s], (n,).
        rate: frames a second [Hz].
        stride: strides a second [Hz].
    """
    travelled = abscissa(lowpass(pace, rate, SEED_CUTOFF), rate)
    signal = highpass(travelled, rate, SHARE_OF_STRIDE * stride)
    found = []
    for a, b in runs(np.isfinite(signal), least=4):
        piece = signal[a:b]
        least = 0.1 * np.ptp(piece)
        turns = sorted(_turns(piece, least, True) + _turns(piece, least, False))
        low: int | None = None
        for place, (k, top) in enumerate(turns):
            if not top:
                low = k
            elif low is not None or place == 0:
                begins = low is not None and low > 0
                found.append(Swing(a + (low or 0), a + k, begins, k < b - a - 1))
                low = None
        if low is not None and low < b - a - 1:
            found.append(Swing(a + low, b - 1, low > 0, False))
    return found


def _turns(signal: np.ndarray, least: float, top: bool) -> list[tuple[int, bool]]:
    """Maxima (or minima) of some prominence; the ends of the signal count as turns too."""
    sense = 1.0 if top else -1.0
    low = np.min(sense * signal) - 1.0  # so that an end can be a turn
    peaks, _ = find_peaks(np.r_[low, sense * signal, low], prominence=least)
    return [(int(k) - 1, top) for k in peaks]
