"""How contacts share the wrench a motion asks for: forces in friction cones, found by the judge.

At every instant the forces of all contact points are the ones of least norm, among those that
press and do not slide, that give the wrench the motion requires; what no such forces can give
is the gap. Any geometry will do: soles, edges, hands on walls.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    """Contact forces as non-negative combinations: what a phase can give at one instant."""

    edges: np.ndarray  # (3, m), directions of the forces, world axes
    points: np.ndarray  # (m, 3), where they act in the world [m]
    owners: np.ndarray  # (m,), position of the touch in the list of touches

    @property
    def centre(self) -> np.ndarray:
        """The middle of the points [m], (3,); moments are compared about it."""
        return self.points.mean(axis=0)

    def wrenches(self, about: np.ndarray) -> np.ndarray:
        """Wrench of each unit force about a point, (6, m)."""
        return np.vstack([self.edges, np.cross(self.points - about, self.edges.T).T])


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
        if not phase.touches:
            at_com = shifted(evidence.required[phase.rows], evidence.com[phase.rows])
            gap[phase.rows] = np.linalg.norm(at_com * _scale(evidence.lever), axis=1) / robot.weight
            continue
        coarse = PhaseGrip(evidence, phase, COARSE)
        fine = PhaseGrip(evidence, phase, FINE)
        for k in range(phase.start, phase.stop):
            grip = coarse.at(k)
            given, gap[k] = share(grip, evidence.required[k], robot.weight, evidence.lever)
            if gap[k] > 0.5 * evidence.options.support_limit:  # the pyramid may be too narrow
                finer = fine.at(k)
                better, left = share(finer, evidence.required[k], robot.weight, evidence.lever)
                if left < gap[k]:
                    grip, given, gap[k] = finer, better, left
            for owner in phase.touches:
                part = evidence.touches[owner].part
                mine = grip.owners == owner
                origin = evidence.tracks[part].position[k]
                forces[part][k] += grip.wrenches(origin)[:, mine] @ given[mine]
    return Carried(gap, forces)


def share(grip: Grip, wrench: np.ndarray, weight: float, lever: float) -> tuple[np.ndarray, float]:
    """Forces of least norm that give a wrench about the origin, and what is missing.

    Args:
        grip: what the contacts can give.
        wrench: required, world axes, about the world origin [N, N m], (6,).
        weight: of the robot [N].
        lever: length that makes a moment comparable with a force [m].

    Returns:
        Size of each force [N], (m,), and the missing part [weights].
    """
    scale = _scale(lever) / weight
    A = scale[:, None] * grip.wrenches(grip.centre) * weight
    b = scale * shifted(wrench[None], grip.centre[None])[0]
    m = A.shape[1]
    A_even = np.vstack([A, EVENNESS * np.eye(m)])
    b_even = np.concatenate([b, np.zeros(m)])
    try:
        sizes, _ = nnls(A_even, b_even, maxiter=20 * m)
    except RuntimeError:  # it may cycle on wrenches far outside; the slower way does not
        sizes = np.maximum(lsq_linear(A_even, b_even, bounds=(0.0, np.inf)).x, 0.0)
    return sizes * weight, float(np.linalg.norm(A @ sizes - b))


class PhaseGrip:
    """The grip of a phase at each of its instants; only the points move."""

    def __init__(self, evidence: Evidence, phase: Phase, edges: int) -> None:
        self.start = phase.start
        directions, points, owners = [], [], []
        for index in phase.touches:
            touch = evidence.touches[index]
            held = carrying_points(evidence, touch, phase)
            fan = cone_edges(touch.T_world_surface.rotation, evidence.options.friction, edges)
            count = held.shape[1]
            directions.append(np.tile(fan, count))
            points.append(np.repeat(held, edges, axis=1))
            owners.append(np.full(count * edges, index))
        self.edges = np.hstack(directions)
        self.points = np.concatenate(points, axis=1)
        self.owners = np.concatenate(owners)

    def at(self, row: int) -> Grip:
        """The grip at an instant of the phase."""
        return Grip(self.edges, self.points[row - self.start], self.owners)


def carrying_points(evidence: Evidence, touch: Touch, phase: Phase) -> np.ndarray:
    """Where a touch carries during a phase [m], (rows, k, 3); an edge carries on a strip."""
    track = evidence.tracks[touch.part]
    R, p = track.rotation[phase.rows], track.position[phase.rows]
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
