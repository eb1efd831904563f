"""Velocity and acceleration of a sampled path, by fitting a parabola around every instant.

A parabola through a few neighbours forgives rounding and the noise of iterative solvers, which
a plain second difference multiplies by the square of the rate. Instants may be unevenly spaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from poise.robot.robot import BASE_Q, BASE_V


def path_derivatives(
    time: np.ndarray, q: np.ndarray, window: float, breaks: Sequence[int] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and acceleration of a path of configurations.

    Args:
        time: instants, increasing [s], (n,).
        q: configurations, base quaternion xyzw, (n, nq).
        window: span of the parabola [s]; at least three instants are used.
        breaks: rows where a new piece begins: no parabola reaches over them, so that a true
            step of the acceleration (leaving the ground) stays one.

    Returns:
        (n, nv) each; the base in base axes, and the acceleration is the derivative of the
        velocity's components, as Pinocchio has it.
    """
    n, nv = len(time), q.shape[1] - 1
    if n < 3:
        return np.zeros((n, nv)), np.zeros((n, nv))
    near = _neighbours(time, window, breaks)
    first, second = _weights(time, near)
    v, a = np.zeros((n, nv)), np.zeros((n, nv))
    turn = Rotation.from_quat(q[:, 3:7])
    back = turn.inv()
    for j in range(near.shape[1]):
        row = near[:, j]
        away = np.empty((n, nv))
        away[:, :3] = q[row, :3] - q[:, :3]  # world axes for now
        away[:, 3:6] = (back * turn[row]).as_rotvec()
        away[:, BASE_V:] = q[row, BASE_Q:] - q[:, BASE_Q:]
        v += first[:, j, None] * away
        a += second[:, j, None] * away
    v[:, :3] = back.apply(v[:, :3])
    a[:, :3] = back.apply(a[:, :3]) - np.cross(v[:, 3:6], v[:, :3])
    return v, a


def steps(time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Way from every instant to the next in the tangent space, (n - 1, nv).

    Base translation in world axes [m], its turning in base axes [rad], joints [rad].
    """
    turn = Rotation.from_quat(q[:, 3:7])
    return np.hstack(
        [
            np.diff(q[:, :3], axis=0),
            (turn[:-1].inv() * turn[1:]).as_rotvec(),
            np.diff(q[:, BASE_Q:], axis=0),
        ]
    )


def _neighbours(time: np.ndarray, window: float, breaks: Sequence[int]) -> np.ndarray:
    """Rows of the instants each parabola is fitted to, (n, width)."""
    n = len(time)
    period = float(np.median(np.diff(time)))
    half = int(np.clip(round(0.5 * window / period), 1, (n - 1) // 2))
    centre = np.arange(n)
    low, high = np.zeros(n, dtype=int), np.full(n, n)
    edges = [0, *sorted({int(b) for b in breaks if 0 < b < n}), n]
    for a, b in pairwise(edges):
        if b - a >= 2 * half + 1:  # a shorter piece has to look over its edges
            low[a:b], high[a:b] = a, b
    start = np.clip(centre - half, low, high - 2 * half - 1)
    return start[:, None] + np.arange(2 * half + 1)


def _weights(time: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the neighbours that give first and second derivative, (n, width) each."""
    s = time[near] - time[:, None]
    scale = np.abs(s).max(axis=1, keepdims=True)  # so that the fit is well conditioned
    x = s / scale
    fit = np.linalg.pinv(np.stack([np.ones_like(x), x, x**2], axis=2))
    return fit[:, 1] / scale, 2.0 * fit[:, 2] / scale**2
