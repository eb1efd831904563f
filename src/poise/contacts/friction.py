"""Coulomb friction, exactly as a cone and linearly as a pyramid."""

from __future__ import annotations

import numpy as np


def pyramid(R_world_surface: np.ndarray, friction: float) -> np.ndarray:
    """Four unit edges of a pyramid inscribed in the friction cone, as columns, (3, 4).

    Forces are its combinations with coefficients >= 0. Along the diagonals between two edges
    the pyramid grants only friction / sqrt(2).
    """
    t1, t2, n = R_world_surface.T
    edges = np.column_stack(
        [n + friction * t1, n - friction * t1, n + friction * t2, n - friction * t2]
    )
    return edges / np.sqrt(1.0 + friction**2)


def pyramid_rows(R_world_surface: np.ndarray, friction: float) -> np.ndarray:
    """The same pyramid as half-spaces: rows A with A f <= 0 inside, (5, 3)."""
    t1, t2, n = R_world_surface.T
    rows = [s1 * t1 + s2 * t2 - friction * n for s1 in (1, -1) for s2 in (1, -1)]
    return np.array([*rows, -n])


def cone_excess(force: np.ndarray, normal: np.ndarray, friction: float) -> np.ndarray:
    """Tangential force beyond what friction grants [N], (...,); negative inside the cone."""
    pressing = force @ normal
    sliding = np.linalg.norm(force - pressing[..., None] * normal, axis=-1)
    return sliding - friction * np.maximum(pressing, 0.0)
