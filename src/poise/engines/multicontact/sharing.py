"""How contacts share the wrench that a motion needs: a closed form with weights.

The forces of all points are the ones of least weighted norm that add up to the wrench,
F = W^-1 G' (G W^-1 G')^-1 w. A larger weight `beta` unloads a contact, a larger `alpha` its
tangential forces. Wrenches are about the world's origin, force then moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.compiled import compiled_alone
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
    light = np.concatenate([g.lightness for g in grips])
    ends = np.cumsum([0, *(len(g.lightness) for g in grips)])
    owners = [k for k, g in enumerate(grips) for _ in g.moved]
    ways = np.zeros((len(owners), 3, G.shape[1]))  # how moments change with free coordinates
    for mine, k, way in zip(ways, owners, (w for g in grips for w in g.moved), strict=True):
        mine[:, ends[k] : ends[k + 1]] = way
    found = _share(G, light, ends, np.array(owners, dtype=np.int64), ways, np.array(log_beta))
    return Sharing(*found)


@compiled_alone
def _share(G, light, ends, owners, ways, log_beta):
    contacts, m, floats = len(ends) - 1, G.shape[1], len(owners)
    V = np.empty((6, m))  # G W^-1
    for k in range(contacts):
        less = np.exp(-log_beta[k])
        for i in range(ends[k], ends[k + 1]):
            light[i] *= less
            for j in range(6):
                V[j, i] = G[j, i] * light[i]
    omega = np.ascontiguousarray(np.linalg.inv(np.dot(V, G.T)))
    B = np.dot(V.T, omega)
    wrenches = np.empty((contacts, 6, 6))
    for k in range(contacts):
        some = slice(ends[k], ends[k + 1])
        wrenches[k] = np.dot(np.ascontiguousarray(G[:, some]), B[some])
    forces_by = np.empty((contacts + floats, m, 6))
    for k in range(contacts):  # a weight scales its contact's columns of V down
        forces_by[k] = np.dot(B, wrenches[k])
        forces_by[k, ends[k] : ends[k + 1]] -= B[ends[k] : ends[k + 1]]
    for f in range(floats):  # a coordinate moves its columns of G
        lighter = ways[f] * light
        change = np.zeros((6, 6))
        change[3:] = np.dot(lighter, G.T)
        turned = np.dot(change + change.T, omega)
        forces_by[contacts + f] = np.dot(lighter.T, omega[3:]) - np.dot(B, turned)
    wrenches_by = np.empty((contacts + floats, contacts, 6, 6))
    for p in range(contacts + floats):
        for k in range(contacts):
            some = slice(ends[k], ends[k + 1])
            wrenches_by[p, k] = np.dot(np.ascontiguousarray(G[:, some]), forces_by[p, some])
    for f in range(floats):
        wrenches_by[contacts + f, owners[f], 3:] += np.dot(ways[f], B)
    return B, forces_by, wrenches, wrenches_by


def grasp(R_world_surface: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Wrenches of unit forces along surface axes at some points, (6, 3 k)."""
    A = R_world_surface
    both = np.empty((6, len(points), 3))
    both[:3] = A[:, None]
    both[3:] = (skew(points) @ A).transpose(1, 0, 2)  # columns: point x axis
    return both.reshape(6, -1)
