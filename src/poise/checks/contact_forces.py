"""How contacts share the wrench a motion asks for: forces in friction cones, found by the judge.

At every instant the forces of all contact points are the ones of least norm, among those that
press and do not slide, that give the wrench the motion requires; what no such forces can give
is the gap. Any geometry will do: soles, edges, hands on walls.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import lsq_linear, nnls

from poise.contacts import Touch

if TYPE_CHECKING:
    from poise.checks.evidence import Evidence
    from poise.checks.phases import Phase

COARSE, FINE = 4, 16  # edges of the pyramid that stands for the cone; fine where coarse fails
EVENNESS = 1e-3  # weight of the norm of the forces beside the wrench that they have to give


@dataclass(frozen=True, eq=False)
class Grip:
    """Contact forces as non-negative combinations: what some contacts can give, row by row."""

    edges: np.ndarray  # (3, m), directions of the forces, world axes
    points: np.ndarray  # (rows, m, 3), where they act in the world [m]
    owners: np.ndarray  # (m,), position of the touch in the list of touches

    @cached_property
    def centre(self) -> np.ndarray:
        """The middle of the points [m], (rows, 3); moments are told about it."""
        return self.points.mean(axis=1)

    @cached_property
    def wrenches(self) -> np.ndarray:
        """Wrench of each unit force about the centre, (rows, 6, m)."""
        moments = np.cross(self.points - self.centre[:, None], self.edges.T)
        forces = np.broadcast_to(self.edges, (len(self.points), *self.edges.shape))
        return np.concatenate([forces, moments.transpose(0, 2, 1)], axis=1)

    def given(self, sizes: np.ndarray, owner: int, at: np.ndarray) -> np.ndarray:
        """Wrench of one touch's forces of some sizes [N], (rows, m), told at points, (rows, 6)."""
        mine = self.owners == owner
        about_centre = np.einsum("rik,rk->ri", self.wrenches[:, :, mine], sizes[:, mine])
        return shifted(about_centre, at - self.centre)


@dataclass(frozen=True, eq=False)
class Carried:
    """Contact forces of a whole motion."""

    gap: np.ndarray  # [weights], (n,), distance of the required wrench from what can be given
    forces: dict[str, np.ndarray]  # part -> (n, 6), at the part's frame, world axes [N, N m]


def carry(evidence: Evidence) -> Carried:
    """Contact forces for the wrench that every instant requires."""
    n, robot = evidence.n, evidence.robot
    gap = np.zeros(n)
    forces = {part: np.zeros((n, 6)) for part in sorted({t.part for t in evidence.touches})}
    for phase in evidence.phases:
        rows = np.arange(phase.start, phase.stop)
        if not phase.touches:
            at_com = shifted(evidence.required[rows], evidence.com[rows])
            gap[rows] = np.linalg.norm(at_com * _scale(evidence.lever), axis=1) / robot.weight
            continue
        for edges in (COARSE, FINE):
            grip = grip_of(evidence, phase, rows, edges)
            sizes, left = _shared(evidence, grip, rows)
            better = left < gap[rows] if edges == FINE else np.full(len(rows), True)
            gap[rows[better]] = left[better]
            for part in {evidence.touches[owner].part for owner in phase.touches}:
                forces[part][rows[better]] = 0.0
            for owner in phase.touches:
                part = evidence.touches[owner].part
                wrench = grip.given(sizes, owner, evidence.tracks[part].position[rows])
                forces[part][rows[better]] += wrench[better]
            # where the coarse pyramid falls short, it may only have been too narrow
            rows = rows[left > 0.5 * evidence.options.support_limit]
            if not len(rows):
                break
    return Carried(gap, forces)


def _shared(evidence: Evidence, grip: Grip, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sizes of the forces [N], (rows, m), and what is missing [weights], (rows,)."""
    weight, lever = evidence.robot.weight, evidence.lever
    needed = shifted(evidence.required[rows], grip.centre)
    shares = [share(A, b, weight, lever) for A, b in zip(grip.wrenches, needed, strict=True)]
    return np.array([sizes for sizes, _ in shares]), np.array([left for _, left in shares])


def share(
    wrenches: np.ndarray, needed: np.ndarray, weight: float, lever: float
) -> tuple[np.ndarray, float]:
    """Forces of least norm that give a wrench, and what is missing.

    Args:
        wrenches: of unit forces, about a point amid the contacts, (6, m).
        needed: about the same point [N, N m], (6,).
        weight: of the robot [N].
        lever: length that makes a moment comparable with a force [m].

    Returns:
        Size of each force [N], (m,), and the missing part [weights].
    """
    scale = _scale(lever)
    A, b = scale[:, None] * wrenches, scale / weight * needed
    m = A.shape[1]
    A_even = np.zeros((6 + m, m))
    A_even[:6] = A
    A_even[6:].flat[:: m + 1] = EVENNESS
    b_even = np.zeros(6 + m)
    b_even[:6] = b
    try:
        sizes, _ = nnls(A_even, b_even, maxiter=20 * m)
    except RuntimeError:  # it may cycle on wrenches far outside; the slower way does not
        sizes = np.maximum(lsq_linear(A_even, b_even, bounds=(0.0, np.inf)).x, 0.0)
    return sizes * weight, float(np.linalg.norm(A @ sizes - b))


def grip_of(evidence: Evidence, phase: Phase, rows: np.ndarray, edges: int) -> Grip:
    """What the contacts of a phase can give at some of its rows."""
    directions, points, owners = [], [], []
    for index in phase.touches:
        touch = evidence.touches[index]
        held = carrying_points(evidence, touch, rows)
        fan = cone_edges(touch.T_world_surface.rotation, evidence.options.friction, edges)
        count = held.shape[1]
        directions.append(np.tile(fan, count))
        points.append(np.repeat(held, edges, axis=1))
        owners.append(np.full(count * edges, index))
    return Grip(np.hstack(directions), np.concatenate(points, axis=1), np.concatenate(owners))


def carrying_points(evidence: Evidence, touch: Touch, rows: np.ndarray | slice) -> np.ndarray:
    """Where a touch carries at some rows [m], (rows, k, 3); an edge carries on a strip."""
    track = evidence.tracks[touch.part]
    R, p = track.rotation[rows], track.position[rows]
    points = p[:, None] + np.einsum("nij,kj->nki", R, touch.points)
    if len(touch.points) >= 3 and not touch.is_edge:
        return points
    half = 0.5 * evidence.options.edge_width
    x, y, normal = touch.T_world_surface.rotation.T
    along = np.ptp(touch.anchors, axis=0)
    if np.linalg.norm(along) < 1e-6:
        offsets = half * np.array([x + y, x - y, -x + y, -x - y])
    else:
        far = touch.anchors[np.linalg.norm(touch.anchors - touch.anchors[0], axis=1).argmax()]
        across = np.cross(normal, far - touch.anchors[0])
        across *= half / np.linalg.norm(across)
        offsets = np.array([across, -across])
    wide = points[:, :, None] + offsets
    return wide.reshape(len(points), -1, 3)


def cone_edges(R_world_surface: np.ndarray, friction: float, count: int) -> np.ndarray:
    """Directions on the friction cone of a surface with outward normal z, (3, count)."""
    angle = 2.0 * np.pi * np.arange(count) / count
    local = np.stack([friction * np.cos(angle), friction * np.sin(angle), np.ones(count)])
    return R_world_surface @ (local / np.sqrt(1.0 + friction**2))


def shifted(wrench: np.ndarray, about: np.ndarray) -> np.ndarray:
    """Wrenches about the world origin, told about other points instead, (n, 6)."""
    force, moment = wrench[:, :3], wrench[:, 3:]
    return np.hstack([force, moment - np.cross(about, force)])


def _scale(lever: float) -> np.ndarray:
    return np.array([1.0, 1.0, 1.0, 1.0 / lever, 1.0 / lever, 1.0 / lever])
