"""How contacts share the wrench that a motion needs: a closed form with weights.

The forces of all points are the ones of least weighted norm that add up to the wrench,
F = W^-1 G' (G W^-1 G')^-1 w. A larger weight `beta` unloads a contact, a larger `alpha` its
tangential forces. Wrenches are about the world's origin, force then moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.engines.multicontact.spatial import skew

TANGENTIAL = 1000.0  # alpha = TANGENTIAL / (friction * number of points)


@dataclass(frozen=True, eq=False)
class Grip:
    """One contact as the force distribution sees it."""

    R_world_surface: np.ndarray  # (3, 3), third column the outward normal
    points: np.ndarray  # [m], (k, 3), world
    friction: float
    floats: np.ndarray  # (f, k, 3), how the points move with each free coordinate of the contact


@dataclass(frozen=True, eq=False)
class Sharing:
    """Linear maps from the needed wrench (6,) to the forces of the contacts.

    Parameters are the logarithms of beta, one a contact, then the free coordinates of the
    contacts in order. Forces are in surface axes, all points of all contacts in order.
    """

    forces: np.ndarray  # (3 points, 6)
    forces_by: np.ndarray  # (parameters, 3 points, 6)
    wrenches: np.ndarray  # (contacts, 6, 6), share of each contact
    wrenches_by: np.ndarray  # (parameters, contacts, 6, 6)


def alpha_of(friction: float, points: int) -> float:
    """Weight of a tangential force beside a normal one."""
    return TANGENTIAL / (max(friction, 1e-3) * points)


def share(grips: Sequence[Grip], log_beta: np.ndarray) -> Sharing:
    """The closed form and its derivatives by all its parameters."""
    G = np.concatenate([grasp(g.R_world_surface, g.points) for g in grips], axis=1)
    owner = np.concatenate([np.full(3 * len(g.points), k) for k, g in enumerate(grips)])
    light = np.concatenate([_lightness(g, b) for g, b in zip(grips, log_beta, strict=True)])
    V = G * light  # G W^-1, (6, m)
    omega = np.linalg.inv(V @ G.T)
    B = V.T @ omega
    floats = sum(len(g.floats) for g in grips)
    count = len(grips) + floats
    forces_by = np.empty((count, *B.shape))
    dG_all = np.zeros((count, *G.shape))
    for k in range(len(grips)):
        dV = np.where(owner == k, -V, 0.0)
        forces_by[k] = dV.T @ omega - B @ (dV @ G.T) @ omega
    at = len(grips)
    for k, g in enumerate(grips):
        for way in g.floats:
            dG = dG_all[at]
            dG[3:, owner == k] = grasp(g.R_world_surface, way)[3:]
            dV = dG * light
            forces_by[at] = dV.T @ omega - B @ (dV @ G.T + V @ dG.T) @ omega
            at += 1
    mine = [owner == k for k in range(len(grips))]
    wrenches = np.stack([G[:, m] @ B[m] for m in mine])
    wrenches_by = np.stack(
        [
            np.stack([G[:, m] @ forces_by[p][m] + dG_all[p][:, m] @ B[m] for m in mine])
            for p in range(count)
        ]
    )
    return Sharing(B, forces_by, wrenches, wrenches_by)


def grasp(R_world_surface: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Wrenches of unit forces along surface axes at some points, (6, 3 k)."""
    A = R_world_surface
    both = np.empty((6, len(points), 3))
    both[:3] = A[:, None]
    both[3:] = (skew(points) @ A).transpose(1, 0, 2)  # columns: point x axis
    return both.reshape(6, -1)


def _lightness(grip: Grip, log_beta: float) -> np.ndarray:
    k = len(grip.points)
    alpha = alpha_of(grip.friction, k)
    return np.tile([1.0 / alpha, 1.0 / alpha, 1.0], k) * np.exp(-log_beta)
