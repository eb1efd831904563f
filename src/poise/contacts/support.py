"""What a set of contacts can carry: the support polygon and the contact wrench cone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.contacts.friction import pyramid
from poise.contacts.touch import Touch


def support_points(touches: Sequence[Touch]) -> np.ndarray:
    """All contact points in the world [m], (k, 3)."""
    if not touches:
        return np.zeros((0, 3))
    return np.vstack([touch.anchors for touch in touches])


def zmp(force: np.ndarray, moment: np.ndarray, height: float = 0.0) -> np.ndarray:
    """Where a wrench about the world origin meets a horizontal plane without tipping [m].

    Args:
        force: contact force, world axes [N], (..., 3).
        moment: its moment about the world origin [N m], (..., 3).
        height: z of the plane [m].
    """
    fz = force[..., 2]
    x = (-moment[..., 1] + height * force[..., 0]) / fz
    y = (moment[..., 0] + height * force[..., 1]) / fz
    return np.stack([x, y], axis=-1)


@dataclass(frozen=True, eq=False)
class WrenchCone:
    """All wrenches that some contacts can give the robot without sliding or pulling.

    `generators` are wrenches about the world origin (force, then moment), one column for each
    edge of each point's friction pyramid; `owners` says which touch each belongs to.
    """

    generators: np.ndarray  # (6, m)
    owners: np.ndarray  # (m,)

    @classmethod
    def of(cls, touches: Sequence[Touch], friction: float) -> WrenchCone:
        """The cone of some touches, with one friction coefficient."""
        columns, owners = [], []
        for k, touch in enumerate(touches):
            edges = pyramid(touch.T_world_surface.rotation, friction)
            for point in touch.anchors:
                columns.append(np.vstack([edges, np.cross(point, edges.T).T]))
                owners += [k] * edges.shape[1]
        stacked = np.hstack(columns) if columns else np.zeros((6, 0))
        return cls(stacked, np.array(owners, dtype=int))

    def nearest(self, wrench: np.ndarray, lever: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """The closest wrench of the cone and its coefficients.

        Args:
            wrench: about the world origin [N, N m], (6,).
            lever: length that makes a moment comparable with a force [m].
        """
        from scipy.optimize import nnls  # a fifth of a second to import

        scale = np.array([1.0, 1.0, 1.0, 1.0 / lever, 1.0 / lever, 1.0 / lever])
        if not self.generators.shape[1]:
            return np.zeros(6), np.zeros(0)
        coefficients, _ = nnls(scale[:, None] * self.generators, scale * wrench)
        return self.generators @ coefficients, coefficients
