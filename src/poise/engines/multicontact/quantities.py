"""What must stay within limits at all times of a phase: torques, forces, heights.

Each quantity is scaled so that one is a lot: torques by their limit, forces by the weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.engines.multicontact.dynamics import Instants, Loaded
from poise.engines.multicontact.stage import Phase, Stage, point_jacobian

SMOOTH = 1.0  # [N], rounds the tip of the friction cone, on the safe side
HEIGHT = 0.1  # [m], a height that counts as one
LIFTED = 0.01  # [m], of a swinging sole, in the middle of its phase
EDGE = 0.2  # of a phase, at either end, that is not its middle

TORQUE, PRESSURE, FRICTION, VERTICAL, LOAD, HEIGHTS = (
    "joint torque",
    "pressing force",
    "friction",
    "vertical force",
    "load",
    "height of a sole",
)


@dataclass(frozen=True, eq=False)
class Kinds:
    """Names and limits of a phase's quantities, (m,)."""

    family: tuple[str, ...]
    what: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    unit: np.ndarray  # what one stands for [N m, N, m]
    inner: np.ndarray  # lowest values in the middle of the phase

    def floor(self, span: int, spans: int) -> np.ndarray:
        """Lowest values on a span."""
        middle = EDGE * spans <= span and span + 1 <= (1.0 - EDGE) * spans
        return self.inner if middle else self.lower


@dataclass(frozen=True, eq=False)
class Swing:
    """A sole that must stay above the ground while it touches nothing."""

    part: str
    joint: int
    points: np.ndarray  # [m], (k, 3), in the joint's frame
    chain: np.ndarray


@dataclass(frozen=True, eq=False)
class Quantities:
    """Values at instants (n, m), and derivatives by q, v, a and by the sharing's parameters."""

    value: np.ndarray
    by: np.ndarray  # (3, n, m, nv)
    by_sharing: np.ndarray  # (parameters, n, m)


def kinds_of(
    stage: Stage,
    phase: Phase,
    joint_names: tuple[str, ...],
    swings: tuple[Swing, ...],
    slack: float,
) -> Kinds:
    """Names and limits, each limit tightened by a share `slack`."""
    rows: list[tuple[str, str, float, float, float]] = []
    for name, limit in zip(joint_names, stage.torque_limit, strict=True):
        top = 1.0 - slack if np.isfinite(limit) else np.inf
        rows.append((TORQUE, name, -top, top, limit if np.isfinite(limit) else 1.0))
    weight = stage.weight
    holds = [stage.holds[h] for h in phase.holds]
    for hold in holds:
        least = hold.least_force / weight
        rows += [(PRESSURE, f"{hold.name} point {k}", least, np.inf, weight) for k in _each(hold)]
    for hold in holds:
        rows += [(FRICTION, f"{hold.name} point {k}", 0.0, np.inf, weight) for k in _each(hold)]
    for hold in holds:
        if np.isfinite(hold.most_force):
            most = hold.most_force / weight * (1.0 - slack)
            rows.append((LOAD, hold.name, -np.inf, most, weight))
    if stage.vertical is not None:
        low, high = (bound / weight for bound in stage.vertical)
        middle, half = 0.5 * (low + high), 0.5 * (high - low) * (1.0 - 10 * slack)
        rows.append((VERTICAL, "all contacts", middle - half, middle + half, weight))
    for swing in swings:
        count = len(swing.points)
        rows += [(HEIGHTS, f"{swing.part} corner {k}", 0.0, np.inf, HEIGHT) for k in range(count)]
    family, what, lower, upper, unit = zip(*rows, strict=True)
    inner = np.array(lower)
    inner[[name == HEIGHTS for name in family]] = LIFTED / HEIGHT
    return Kinds(family, what, np.array(lower), np.array(upper), np.array(unit), inner)


def _each(hold) -> range:
    return range(len(hold.points))


def quantities(
    stage: Stage, phase: Phase, at: Instants, loaded: Loaded, swings: tuple[Swing, ...]
) -> Quantities:
    """All quantities of a phase at its instants, in the order of its kinds."""
    n, nv = at.q.shape
    weight = stage.weight
    limit = np.where(np.isfinite(stage.torque_limit), stage.torque_limit, 1.0)
    values = [loaded.tau / limit]
    by = [loaded.tau_by / limit[:, None]]
    by_sharing = [loaded.tau_by_sharing / limit]

    F, dF, sF = loaded.forces, loaded.forces_by, loaded.forces_by_sharing
    holds = [stage.holds[h] for h in phase.holds]
    friction = np.concatenate([np.full(len(h.points), h.friction) for h in holds])
    fx, fy, fz = F[:, 0::3], F[:, 1::3], F[:, 2::3]
    values.append(fz / weight)
    by.append(dF[:, :, 2::3] / weight)
    by_sharing.append(sF[:, :, 2::3] / weight)

    slide = np.sqrt(fx**2 + fy**2 + SMOOTH**2)
    cx, cy = fx / slide, fy / slide
    values.append((friction * fz - slide) / weight)
    by.append(
        (
            friction[:, None] * dF[:, :, 2::3]
            - cx[..., None] * dF[:, :, 0::3]
            - cy[..., None] * dF[:, :, 1::3]
        )
        / weight
    )
    by_sharing.append(
        (friction * sF[:, :, 2::3] - cx * sF[:, :, 0::3] - cy * sF[:, :, 1::3]) / weight
    )
    start = 0
    for hold in holds:
        mine = slice(3 * start + 2, 3 * (start + len(hold.points)), 3)
        start += len(hold.points)
        if np.isfinite(hold.most_force):
            values.append(F[:, mine].sum(axis=1, keepdims=True) / weight)
            by.append(dF[:, :, mine].sum(axis=2, keepdims=True) / weight)
            by_sharing.append(sF[:, :, mine].sum(axis=2, keepdims=True) / weight)
    if stage.vertical is not None:
        values.append(at.wrench[:, 2:3] / weight)
        by.append(at.wrench_by[:, :, 2:3] / weight)
        by_sharing.append(np.zeros((len(sF), n, 1)))
    for swing in swings:
        R, p = at.R[swing.joint], at.p[swing.joint]
        heights, rises = [], []
        for point in swing.points:
            x = p + R @ point
            heights.append(x[:, 2] / HEIGHT)
            rises.append(point_jacobian(at.J, x, swing.chain)[:, 2] / HEIGHT)
        values.append(np.stack(heights, axis=1))
        rise = np.zeros((3, n, len(heights), nv))
        rise[0] = np.stack(rises, axis=1)
        by.append(rise)
        by_sharing.append(np.zeros((len(sF), n, len(heights))))
    return Quantities(
        np.concatenate(values, axis=1),
        np.concatenate(by, axis=2),
        np.concatenate(by_sharing, axis=2),
    )
