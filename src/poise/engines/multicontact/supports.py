"""How far shapes reach in a direction: boxes, spheres, capsules and cylinders, many at once."""

from __future__ import annotations

from dataclasses import dataclass

import coal
import numpy as np


@dataclass(frozen=True, eq=False)
class Reaches:
    """Some shapes (k): a box, widened by a ball, and by a disc about its z."""

    half: np.ndarray  # [m], (k, 3), of the box
    ball: np.ndarray  # [m], (k,)
    disc: np.ndarray  # [m], (k,)

    @classmethod
    def of(cls, shapes: list[coal.CollisionGeometry]) -> Reaches:
        """Of shapes that `is_known`."""
        half, ball, disc = np.zeros((len(shapes), 3)), np.zeros(len(shapes)), np.zeros(len(shapes))
        for k, shape in enumerate(shapes):
            if isinstance(shape, coal.Box):
                half[k] = shape.halfSide
            elif isinstance(shape, coal.Sphere):
                ball[k] = shape.radius
            elif isinstance(shape, coal.Capsule):
                half[k, 2], ball[k] = shape.halfLength, shape.radius
            else:
                half[k, 2], disc[k] = shape.halfLength, shape.radius
        return cls(half, ball, disc)

    def furthest(self, along: np.ndarray) -> np.ndarray:
        """The points that are furthest along unit directions (k, 3), own axes [m], (k, 3)."""
        flat = along * [1.0, 1.0, 0.0]
        wide = np.linalg.norm(flat, axis=1, keepdims=True)
        found = np.sign(along) * self.half + self.ball[:, None] * along
        return found + self.disc[:, None] * flat / np.maximum(wide, 1e-12)


@dataclass(frozen=True, eq=False)
class Separations:
    """Links (k) and the solids they stay clear of."""

    links: Reaches
    solids: Reaches
    R: np.ndarray  # of the solids, (k, 3, 3)
    p: np.ndarray  # [m], (k, 3)

    def ways_out(self, places: np.ndarray) -> np.ndarray:
        """Unit directions from links to solids through the solids' thinnest sides, (k, 3).

        For links that are inside: each leaves on the side on which its middle is.
        """
        extent = self.solids.half + self.solids.ball[:, None]
        extent[:, :2] += self.solids.disc[:, None]
        each = np.arange(len(extent))
        thin = self.R[each, :, extent.argmin(axis=1)]
        side = np.where(((places[:, 9:] - self.p) * thin).sum(axis=1) >= 0.0, -1.0, 1.0)
        return side[:, None] * thin

    def along(self, normals: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far they are apart along given directions, which is never too much.

        Args:
            normals: unit directions from link to solid, (k, 3).
            places: of the links' shapes, rotation by rows, then translation [m], (k, 12).

        Returns:
            Distances [m], (k,), and the links' points nearest to the solids [m], (k, 3).
        """
        mine = _end(places[:, :9].reshape(-1, 3, 3), places[:, 9:], self.links, normals)
        theirs = _end(self.R, self.p, self.solids, -normals)
        return ((theirs - mine) * normals).sum(axis=1), mine


def _end(R: np.ndarray, p: np.ndarray, shapes: Reaches, along: np.ndarray) -> np.ndarray:
    local = (along[:, None] @ R)[:, 0]
    return p + (R @ shapes.furthest(local)[..., None])[..., 0]


def is_known(shape: coal.CollisionGeometry) -> bool:
    """Whether `Reaches` knows a shape."""
    return isinstance(shape, coal.Box | coal.Sphere | coal.Capsule | coal.Cylinder)
