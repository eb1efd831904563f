"""A swinging sole that passes the standing one without touching it, as compiled loops."""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from poise.compiled import compiled

LOOKS = 25  # at a swing, from its start to its end
ROUNDS = 6  # in which the way around is found
MORE = 0.002  # [m], that a way goes further around than it must


@compiled
def outline_at(outline: np.ndarray, x: float, y: float, heading: float) -> np.ndarray:
    """A sole's outline (k, 2) on the floor [m], (k, 2), at a place [m] with a heading [rad]."""
    c, s = cos(heading), sin(heading)
    out = np.empty_like(outline)
    for k in range(outline.shape[0]):
        out[k, 0] = x + c * outline[k, 0] - s * outline[k, 1]
        out[k, 1] = y + s * outline[k, 0] + c * outline[k, 1]
    return out


@compiled
def separation(a: np.ndarray, b: np.ndarray) -> float:
    """Gap between two convex polygons [m], negative when they overlap (axis of least overlap)."""
    best = -np.inf
    for turn in range(2):
        one = a if turn == 0 else b
        for k in range(one.shape[0]):
            after = (k + 1) % one.shape[0]
            nx, ny = one[after, 1] - one[k, 1], one[k, 0] - one[after, 0]
            length = max(sqrt(nx * nx + ny * ny), 1e-12)
            low_a, high_a, low_b, high_b = np.inf, -np.inf, np.inf, -np.inf
            for i in range(a.shape[0]):
                d = (nx * a[i, 0] + ny * a[i, 1]) / length
                low_a, high_a = min(low_a, d), max(high_a, d)
            for i in range(b.shape[0]):
                d = (nx * b[i, 0] + ny * b[i, 1]) / length
                low_b, high_b = min(low_b, d), max(high_b, d)
            best = max(best, low_a - high_b, low_b - high_a)
    return best


@compiled
def passing_bulge(
    outline: np.ndarray, way: np.ndarray, aside: np.ndarray, standing: np.ndarray, room: float
) -> float:
    """How far a swing has to go around the standing foot [m].

    Args:
        outline: of the swinging sole [m], (k, 2).
        way: places where it starts and ends: x, y [m], heading [rad], (2, 3).
        aside: direction outwards, (2,).
        standing: outline of the standing sole on the floor [m], (m, 2).
        room: that they need between them [m].
    """
    bulge = 0.0
    for _ in range(ROUNDS):
        gap = np.inf
        for look in range(LOOKS):
            s = look / (LOOKS - 1.0)
            # along the quintic, aside by its hump
            e = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
            h = bulge * 64.0 * (s * (1.0 - s)) ** 3
            x = way[0, 0] + e * (way[1, 0] - way[0, 0]) + h * aside[0]
            y = way[0, 1] + e * (way[1, 1] - way[0, 1]) + h * aside[1]
            heading = way[0, 2] + e * (way[1, 2] - way[0, 2])
            gap = min(gap, separation(outline_at(outline, x, y, heading), standing))
        short = room - gap
        if short <= 0.0:
            break
        bulge += short + MORE
    return bulge
