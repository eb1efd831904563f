"""Filling gaps: a spline across short ones, the rest of the rigid body across long ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from poise.engines.imitate.filters import runs, seen
from poise.engines.imitate.rigid import rigid_fit

SHORT = 0.12  # [s], that a spline may bridge
LONGEST_SPLINE = 0.25  # [s], bridged by a spline when nothing rigid is known
RIGID = 0.008  # [m], that distances within one body may vary (standard deviation)
FRIENDS = 5  # markers of the same body that are asked, at most


@dataclass(frozen=True)
class Filled:
    """What was filled, for the notes."""

    splines: int = 0  # gaps
    rigid: int = 0  # gaps
    open: int = 0  # gaps that stay, ends of the visible volume not counted


def filled(markers: np.ndarray, rate: float) -> tuple[np.ndarray, Filled]:
    """Markers with their inner gaps closed where that is honest, and a count.

    Args:
        markers: [m], (n, m, 3), NaN where not seen.
        rate: frames a second [Hz].
    """
    out = np.array(markers, dtype=float)
    visible = np.isfinite(out).all(axis=2)
    out[~visible] = np.nan
    splines = rigid = left = 0
    for k in range(out.shape[1]):
        if not visible[:, k].any():
            continue
        for a, b in _inner_gaps(visible[:, k]):
            if b - a > SHORT * rate and _fill_rigid(out, markers, visible, k, a, b):
                rigid += 1
            elif b - a <= LONGEST_SPLINE * rate and _fill_spline(out, markers, visible, k, a, b):
                splines += 1
            else:
                left += 1
    return out, Filled(splines, rigid, left)


def _inner_gaps(visible: np.ndarray) -> list[tuple[int, int]]:
    """Gaps with something seen before and after."""
    return [(a, b) for a, b in runs(~visible) if a > 0 and b < len(visible)]


def _fill_spline(
    out: np.ndarray, markers: np.ndarray, visible: np.ndarray, k: int, a: int, b: int
) -> bool:
    """A cubic through up to five frames on each side of the gap."""
    before = np.flatnonzero(visible[max(0, a - 5) : a, k]) + max(0, a - 5)
    after = np.flatnonzero(visible[b : b + 5, k]) + b
    if len(before) < 2 or len(after) < 2:
        return False
    knots = np.r_[before, after]
    out[a:b, k] = CubicSpline(knots, markers[knots, k])(np.arange(a, b))
    return True


def _fill_rigid(
    out: np.ndarray, markers: np.ndarray, visible: np.ndarray, k: int, a: int, b: int
) -> bool:
    """Carried along by the markers that keep their distance to this one."""
    friends = _friends(markers, visible, k, a, b)
    if len(friends) < 3:
        return False
    known = np.flatnonzero(visible[:, [*friends, k]].all(axis=1))
    if len(known) < 5:
        return False
    near = known[np.argsort(np.minimum(np.abs(known - a), np.abs(known - b)))[:200]]
    shape = mean_shape(markers[near][:, friends])
    R, t = rigid_fit(shape, markers[near][:, friends])
    places = np.einsum("nji,nj->ni", R, markers[near, k] - t)
    place = places.mean(axis=0)
    # equal distances alone do not make a body: the marker must keep its place in it as well
    if np.sqrt(np.mean(np.sum((places - place) ** 2, axis=1))) > RIGID:
        return False
    frames = np.r_[a - 1, np.arange(a, b), b]
    R, t = rigid_fit(shape, markers[frames][:, friends])
    guess = np.einsum("nij,j->ni", R, place) + t
    # the guess meets the marker at both ends of the gap, the difference fades in between
    miss_a = markers[a - 1, k] - guess[0]
    miss_b = markers[b, k] - guess[-1]
    share = np.linspace(0.0, 1.0, len(frames))[:, None]
    out[a:b, k] = (guess + (1.0 - share) * miss_a + share * miss_b)[1:-1]
    return True


def _friends(markers: np.ndarray, visible: np.ndarray, k: int, a: int, b: int) -> list[int]:
    """Markers seen throughout the gap that keep their distance to marker k elsewhere."""
    whole = visible[a - 1 : b + 1].all(axis=0)
    ranked = []
    for j in np.flatnonzero(whole):
        both = visible[:, k] & visible[:, j]
        if j == k or both.sum() < 10:
            continue
        distance = np.linalg.norm(markers[both, k] - markers[both, j], axis=1)
        if distance.std() < RIGID:
            ranked.append((float(distance.std()), int(j)))
    ranked = sorted(ranked)[:FRIENDS]
    if len(ranked) < 3:
        return []
    # a fourth that moves much more than the first three belongs to a neighbour
    limit = 0.001 + 3.0 * ranked[2][0]
    return [j for sd, j in ranked if sd <= limit]


def mean_shape(bodies: np.ndarray) -> np.ndarray:
    """Mean shape of a rigid body about its middle [m], (f, 3), from frames (n, f, 3)."""
    shape = bodies[0] - bodies[0].mean(axis=0)
    for _ in range(3):
        R, t = rigid_fit(shape, bodies)
        shape = np.einsum("nji,nfj->nfi", R, bodies - t[:, None]).mean(axis=0)
        shape = shape - shape.mean(axis=0)
    return shape


def visible_share(markers: np.ndarray) -> np.ndarray:
    """How much of each marker was seen, 0 to 1, (m,)."""
    return np.array([seen(markers[:, k]).mean() for k in range(markers.shape[1])])
