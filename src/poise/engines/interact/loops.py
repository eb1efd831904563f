"""What the stack of tasks computes every period, as compiled loops."""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.robot.frames import FrameTables, write_jacobian
from poise.solvers.hierarchy import answer_at_once
from poise.tasks.rotations import rotation_vector


@compiled
def weigh(
    tables: FrameTables,
    inertia: np.ndarray,
    momentum: np.ndarray,
    mass: float,
    frames: np.ndarray,
    active: np.ndarray,
    tall: np.ndarray,
    L: np.ndarray,
    weighted: np.ndarray,
) -> None:
    """Jacobians of feet, mass, base and hands in coordinates weighted by the inertia.

    Args:
        tables: of the robot now.
        inertia: of the joint space, (nv, nv).
        momentum: centroidal momentum matrix, (6, nv).
        mass: of the robot [kg].
        frames: left foot, right foot, base, held hands.
        active: entries of v that the stack may use.
        tall: memory, (18 + 6 hands, nv).
        L: inertia of the active entries = L L', lower triangle, written.
        weighted: J L'^-1, (18 + 6 hands, active), written.
    """
    n = len(active)
    write_jacobian(tables, frames[0], 0, tall[0:6])
    write_jacobian(tables, frames[1], 0, tall[6:12])
    for c in range(tall.shape[1]):
        tall[12, c], tall[13, c] = momentum[0, c] / mass, momentum[1, c] / mass
    write_jacobian(tables, frames[2], 2, tall[14:18])
    for k in range(3, len(frames)):
        write_jacobian(tables, frames[k], 0, tall[6 * k : 6 * k + 6])
    for i in range(n):
        for j in range(i + 1):
            total = inertia[active[i], active[j]]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total / L[j, j] if j < i else total**0.5
    for row in range(len(tall)):
        forward_substitute(L, tall[row], active, weighted[row])


@compiled
def forward_substitute(
    L: np.ndarray, right: np.ndarray, active: np.ndarray, out: np.ndarray
) -> None:
    """Solve L x = right over the active entries; L is a lower triangle."""
    for i in range(len(active)):
        total = right[active[i]]
        for k in range(i):
            total -= L[i, k] * out[k]
        out[i] = total / L[i, i]


@compiled
def serve_all(
    L: np.ndarray, J: np.ndarray, e: np.ndarray, posture: np.ndarray, smallest: float, v: np.ndarray
) -> bool:
    """Write the active velocities that serve all rows, nearest to a posture's; or say no.

    Args:
        L: root of the inertia, lower triangle.
        J: weighted rows, (m, active).
        e: (m,).
        posture: active velocities that it asks for.
        smallest: singular value below which a level may have to give way.
        v: (active,), written.
    """
    n = len(posture)
    wish, y = np.empty(n), np.empty(n)
    for i in range(n):
        total = 0.0
        for k in range(i, n):
            total += L[k, i] * posture[k]
        wish[i] = total
    if not answer_at_once(J, e, wish, smallest, y):
        return False
    unweigh(L, y, v)
    return True


@compiled
def unweigh(L: np.ndarray, y: np.ndarray, v: np.ndarray) -> None:
    """Back to velocities: solve L' v = y."""
    n = len(y)
    for i in range(n - 1, -1, -1):
        total = y[i]
        for k in range(i + 1, n):
            total -= L[k, i] * v[k]
        v[i] = total / L[i, i]


@compiled
def pull_pose(
    places: np.ndarray,
    frame: int,
    R: np.ndarray,
    p: np.ndarray,
    twist: np.ndarray,
    gain: float,
    out: np.ndarray,
) -> None:
    """Velocity that brings a frame to a moving pose: linear 0 to 2, angular 3 to 5.

    Args:
        places: of all frames, (frames, 12).
        frame: which.
        R: orientation to reach.
        p: position to reach [m].
        twist: of that pose, world axes.
        gain: [1/s].
        out: (6,), written.
    """
    here, gap = places[frame], np.empty((3, 3))
    for i in range(3):
        out[i] = p[i] - here[9 + i]
        for j in range(3):  # R R_now'; rotations lie by columns
            gap[i, j] = R[i, 0] * here[j] + R[i, 1] * here[3 + j] + R[i, 2] * here[6 + j]
    rotation_vector(gap, out[3:6])
    for i in range(6):
        out[i] = gain * out[i] + twist[i]
