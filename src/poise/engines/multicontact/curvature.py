"""How contacts and tasks bend with the coordinates: their part of the Lagrangian's Hessian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.engines.multicontact.spatial import skew
from poise.engines.multicontact.stretch import Ground


@dataclass(frozen=True, eq=False)
class Curved:
    """A point or a frame of the robot at some nodes (k)."""

    axes: np.ndarray  # (3, 3), from multipliers of the places to a force, world axes
    turned: np.ndarray  # (3, 3), from multipliers of the turns to a moment
    J: np.ndarray  # (k, 3, c), of the place, by the coordinates of its chain
    spin: np.ndarray  # (k, 3, c)

    def bend(self, multipliers: np.ndarray) -> np.ndarray:
        """Second derivative of the multipliers (k, 6) times the constraints, (k, c, c)."""
        force, moment = multipliers[:, :3] @ self.axes.T, 0.5 * multipliers[:, 3:] @ self.turned.T
        pulled = (skew(force) @ self.spin).transpose(0, 2, 1)  # rows: force x axis
        spun = (skew(moment) @ self.spin).transpose(0, 2, 1)
        H = np.triu(pulled @ self.J) + np.triu(spun @ self.spin, 1)
        return H + np.triu(H, 1).transpose(0, 2, 1)


def without_negative(H: np.ndarray) -> np.ndarray:
    """Symmetric matrices (k, c, c) without their negative parts.

    The program is then convex where it is solved, which takes one factorisation an iteration
    and steps that no shift of the whole diagonal holds back.
    """
    size, along = np.linalg.eigh(H)
    return (along * np.maximum(size, 0.0)[:, None]) @ along.transpose(0, 2, 1)


class Bends:
    """Where the curvature at some nodes stands in the Hessian, and its nonzeros.

    Args:
        ground: the phase.
        nodes: (k,).
        rows: constraints that tell the place (3) and the turn (3), or -1, (k, 6).
        chain: coordinates, rising.
    """

    def __init__(
        self, ground: Ground, nodes: np.ndarray, rows: np.ndarray, chain: np.ndarray
    ) -> None:
        self.nodes, self.rows, self.chain = nodes, rows, chain
        touched = [ground.touched[ground.span_of(int(node))] for node in nodes]
        sizes = np.array([len(t) for t in touched], dtype=int)
        self.groups: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for size in np.unique(sizes):
            group = np.flatnonzero(sizes == size)
            mine = np.stack([touched[i] for i in group])  # (k, t)
            columns = np.stack([ground.columns(touched[i], chain) for i in group])  # (k, t, c)
            self.groups.append((group, mine, columns))
        self._triu = np.triu_indices(len(chain))

    def places(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows and columns of the nonzeros, upper triangle."""
        found = []
        i, j = self._triu
        for _, _, columns in self.groups:
            a, b = np.triu_indices(columns.shape[1], 1)
            apart = np.broadcast_arrays(columns[:, a, :, None], columns[:, b, None, :])
            found.append((apart[0].ravel(), apart[1].ravel()))
            found.append((columns[:, :, i].ravel(), columns[:, :, j].ravel()))
        return found

    def nonzeros(self, E: np.ndarray, H: np.ndarray) -> list[np.ndarray]:
        """Of curvatures H (k, c, c), where E (n, points) are q's slopes by control points."""
        found = []
        i, j = self._triu
        for group, mine, _ in self.groups:
            basis = E[self.nodes[group][:, None], mine]  # (k, t)
            a, b = np.triu_indices(mine.shape[1], 1)
            pairs = basis[:, a] * basis[:, b]
            here = H[group]
            found.append((pairs[..., None, None] * here[:, None]).ravel())
            found.append((basis[..., None] ** 2 * here[:, None, i, j]).ravel())
        return found
