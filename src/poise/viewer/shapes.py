"""Triangles: of primitives, lighter, and with edges that stay sharp under smooth shading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

FEWEST, MOST = 8, 20  # sides of a round primitive
SAME_POINT = 1e-5  # [m], vertices nearer than this are one


class Triangles(NamedTuple):
    """A surface: vertices [m] (n, 3) and faces (m, 3), counter-clockwise from outside."""

    vertices: np.ndarray
    faces: np.ndarray

    def moved(self, T: pin.SE3) -> Triangles:
        """The same surface after a rigid motion."""
        return Triangles(self.vertices @ T.rotation.T + T.translation, self.faces)


def joined(pieces: list[Triangles]) -> Triangles:
    """Several surfaces as one."""
    first = np.cumsum([0] + [len(piece.vertices) for piece in pieces])
    return Triangles(
        np.vstack([piece.vertices for piece in pieces]),
        np.vstack([piece.faces + k for piece, k in zip(pieces, first, strict=False)]),
    )


def primitive(kind: str, size: tuple[float, ...]) -> Triangles:
    """The surface of a box (x, y, z), sphere (r), cylinder or capsule (r, length) [m].

    Round ones stand along z; the length of a capsule is between the centres of its caps.
    """
    if kind == "box":
        return _box(np.array(size))
    radius, length = size[0], size[1] if len(size) > 1 else 0.0
    sides = _sides(radius)
    if kind == "cylinder":
        z = np.array([-0.5, 0.5]) * length
        return _turned(np.full(2, radius), z, sides)
    bend = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 2 * (sides // 4) + 1)
    if kind == "capsule":  # two half spheres, pulled apart
        half = len(bend) // 2 + 1
        bend = np.concatenate([bend[:half], bend[half - 1 :]])
        lift = np.repeat([-0.5, 0.5], half) * length
    else:
        lift = np.zeros(len(bend))
    return _turned(radius * np.cos(bend), radius * np.sin(bend) + lift, sides)


def _sides(radius: float) -> int:
    """Enough sides to look round from where one sees the whole robot: small things need fewer."""
    return 2 * round(np.clip(7.0 + 280.0 * radius, FEWEST, MOST) / 2.0)


def _box(size: np.ndarray) -> Triangles:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Triangles(0.5 * size * corners, np.array(faces))


def _turned(radii: np.ndarray, z: np.ndarray, sides: int) -> Triangles:
    """A profile turned about z, closed at both ends."""
    angle = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    rings = np.stack(
        [np.outer(radii, np.cos(angle)), np.outer(radii, np.sin(angle)), np.tile(z, (sides, 1)).T],
        axis=-1,
    ).reshape(-1, 3)
    vertices = np.vstack([rings, [[0.0, 0.0, z[0]], [0.0, 0.0, z[-1]]]])
    bottom, top = len(rings), len(rings) + 1
    j, k = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = [np.column_stack([np.full(sides, bottom), k, j])]
    for ring in range(len(radii) - 1):
        a, b = ring * sides, (ring + 1) * sides
        faces += [np.column_stack([a + j, a + k, b + k]), np.column_stack([a + j, b + k, b + j])]
    last = (len(radii) - 1) * sides
    faces.append(np.column_stack([np.full(sides, top), last + j, last + k]))
    return lighter(
        Triangles(vertices, np.vstack(faces)), SAME_POINT
    )  # poles are one point, not a ring


def lighter(surface: Triangles, cell: float) -> Triangles:
    """Vertices that share a grid cell [m] become one, at their mean; collapsed faces go."""
    keys = np.floor(surface.vertices / cell + 0.5).astype(np.int64)
    keys -= keys.min(axis=0, initial=0)
    spans = keys.max(axis=0, initial=0) + 1
    _, owner, count = np.unique(
        (keys[:, 0] * spans[1] + keys[:, 1]) * spans[2] + keys[:, 2],
        return_inverse=True,
        return_counts=True,
    )
    sums = [np.bincount(owner, weights=surface.vertices[:, k]) for k in range(3)]
    faces = owner[surface.faces]
    a, b, c = faces.T
    kept = faces[(a != b) & (b != c) & (c != a)]
    return Triangles(np.column_stack(sums) / count[:, None], kept)


def closed(surface: Triangles, most: float = 0.02) -> bool:
    """Whether a surface has an inside and faces outwards, but for a share of its edges.

    Each edge of such a surface is run along once in each direction, and its volume is positive.
    """
    vertices, faces = surface
    if not len(faces):
        return False
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    if float(np.einsum("ij,ij->", a, np.cross(b, c))) <= 0.0:
        return False
    n = np.int64(len(vertices))
    start, end = faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel()
    there, count = np.unique(start * n + end, return_counts=True)
    alone = ~np.isin(there, end * n + start) | (count > 1)
    return float(count[alone].sum()) <= most * len(start)


def creased(surface: Triangles, angle: float = 0.6) -> Triangles:
    """The same surface with its vertices doubled along edges sharper than an angle [rad].

    A browser shades a vertex by the mean normal of its faces; where two faces of a machined
    part meet at a corner, each needs a vertex of its own, or the part looks like soap.
    """
    vertices, faces = surface
    if not len(faces):
        return surface
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-18)[:, None]
    # each face has three edges; the corner behind edge (i, j) of face f is 3 f + i
    corner = np.arange(faces.size).reshape(-1, 3)
    start = corner.ravel()
    end = np.roll(corner, -1, axis=1).ravel()
    low, high = np.sort([faces.ravel()[start], faces.ravel()[end]], axis=0)
    order = np.argsort(low * np.int64(len(vertices)) + high, kind="stable")
    one, two = order[:-1], order[1:]
    same = (low[one] == low[two]) & (high[one] == high[two])
    smooth = np.einsum("ij,ij->i", normals[one // 3], normals[two // 3]) > np.cos(angle)
    one, two = one[same & smooth], two[same & smooth]
    # two faces usually run along their common edge in opposite directions
    flip = faces.ravel()[start[one]] != faces.ravel()[start[two]]
    partner_start = np.where(flip, end[two], start[two])
    partner_end = np.where(flip, start[two], end[two])
    rows = np.concatenate([start[one], end[one]])
    columns = np.concatenate([partner_start, partner_end])
    links = coo_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(faces.size,) * 2)
    count, owner = connected_components(links, directed=False)
    split = np.empty((count, 3))
    split[owner] = vertices[faces.ravel()]
    return Triangles(split, owner.reshape(-1, 3))
