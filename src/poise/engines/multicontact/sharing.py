"""How contacts share the wrench that a motion needs: a closed form with weights.

The forces of all points are the ones of least weighted norm that add up to the wrench,
F = W^-1 G' (G W^-1 G')^-1 w. A larger weight `beta` unloads a contact, a larger `alpha` its
tangential forces. Wrenches are about the world's origin, force then moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

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

    @cached_property
    def grasp(self) -> np.ndarray:
        """Wrenches of unit forces at its points, (6, 3 k)."""
        return grasp(self.R_world_surface, self.points)

    @cached_property
    def moved(self) -> list[np.ndarray]:
        """How the moments of these change with each free coordinate, (3, 3 k)."""
        return [grasp(self.R_world_surface, way)[3:] for way in self.floats]

    @cached_property
    def lightness(self) -> np.ndarray:
        """One over the weights of its forces, (3 k,), where beta is one."""
        alpha = alpha_of(self.friction, len(self.points))
        return np.tile([1.0 / alpha, 1.0 / alpha, 1.0], len(self.points))


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
    G = np.concatenate([g.grasp for g in grips], axis=1)
    less = np.exp(-log_beta).tolist()
    light = np.concatenate([g.lightness * b for g, b in zip(grips, less, strict=True)])
    ends = np.cumsum([0, *(g.grasp.shape[1] for g in grips)]).tolist()
    mine = [slice(start, end) for start, end in pairwise(ends)]
    V = G * light  # G W^-1, (6, m)
    omega = np.linalg.inv(V @ G.T)
    B = V.T @ omega
    wrenches = np.stack([G[:, some] @ B[some] for some in mine])
    ways = [(k, way) for k, g in enumerate(grips) for way in g.moved]
    forces_by = np.empty((len(grips) + len(ways), *B.shape))
    for k, some in enumerate(mine):  # a weight scales its contact's columns of V down
        np.matmul(B, wrenches[k], out=forces_by[k])
        forces_by[k, some] -= B[some]
    moments = []
    for p, (k, way) in enumerate(ways, len(grips)):  # a coordinate moves its columns of G
        some, change = mine[k], np.zeros((6, 6))
        change[3:] = (way * light[some]) @ G[:, some].T
        np.matmul(-B, (change + change.T) @ omega, out=forces_by[p])
        forces_by[p, some] += (way * light[some]).T @ omega[3:]
        moments.append((p, k, way @ B[some]))
    wrenches_by = np.stack([G[:, some] @ forces_by[:, some] for some in mine], axis=1)
    for p, k, moment in moments:
        wrenches_by[p, k, 3:] += moment
    return Sharing(B, forces_by, wrenches, wrenches_by)


def grasp(R_world_surface: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Wrenches of unit forces along surface axes at some points, (6, 3 k)."""
    A = R_world_surface
    both = np.empty((6, len(points), 3))
    both[:3] = A[:, None]
    both[3:] = (skew(points) @ A).transpose(1, 0, 2)  # columns: point x axis
    return both.reshape(6, -1)
