"""What must stay within limits at all times of a phase: torques, forces, heights.

Each quantity is scaled so that one is a lot: torques by their limit, forces by the weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.engines.multicontact.dynamics import Instants, Loaded
from poise.engines.multicontact.stage import Phase, Stage

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
    chain: np.ndarray  # coordinates that move it, rising


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
) -> np.ndarray:
    """All quantities of a phase at its instants (n, m), in the order of its kinds."""
    limit = np.where(np.isfinite(stage.torque_limit), stage.torque_limit, 1.0)
    pressed = pressing(stage, phase, loaded.forces)
    values = [loaded.tau / limit, pressed.value]
    if stage.vertical is not None:
        values.append(at.wrench[:, 2:3] / stage.weight)
    values += [heights(at, swing) for swing in swings]
    return np.concatenate(values, axis=1)


@dataclass(frozen=True, eq=False)
class Pressed:
    """Pressing forces, friction and loads of a phase at its instants (n), m of them."""

    value: np.ndarray  # (n, m)
    by_force: np.ndarray  # (n, m, 3 points)


def pressing(stage: Stage, phase: Phase, forces: np.ndarray) -> Pressed:
    """What the forces (n, 3 points) of a phase's contacts must respect, and its slopes."""
    holds = [stage.holds[h] for h in phase.holds]
    n, points = len(forces), forces.shape[1] // 3
    friction = np.concatenate([np.full(len(h.points), h.friction) for h in holds])
    fx, fy, fz = forces[:, 0::3], forces[:, 1::3], forces[:, 2::3]
    slide = np.sqrt(fx**2 + fy**2 + SMOOTH**2)
    values = [fz, friction * fz - slide]
    each = np.arange(points)
    by = np.zeros((n, 2 * points, 3 * points))
    by[:, each, 3 * each + 2] = 1.0
    by[:, points + each, 3 * each] = -fx / slide
    by[:, points + each, 3 * each + 1] = -fy / slide
    by[:, points + each, 3 * each + 2] = friction
    slopes = [by]
    start = 0
    for hold in holds:
        mine = slice(3 * start + 2, 3 * (start + len(hold.points)), 3)
        start += len(hold.points)
        if np.isfinite(hold.most_force):
            values.append(forces[:, mine].sum(axis=1, keepdims=True))
            whole = np.zeros((n, 1, 3 * points))
            whole[:, :, mine] = 1.0
            slopes.append(whole)
    weight = stage.weight
    return Pressed(np.concatenate(values, axis=1) / weight, np.concatenate(slopes, axis=1) / weight)


def heights(at: Instants, swing: Swing) -> np.ndarray:
    """Of the corners of a swinging sole, (n, corners)."""
    z = at.R[swing.joint][:, 2]
    return (at.p[swing.joint][:, 2:3] + z @ swing.points.T) / HEIGHT


def height_slopes(at: Instants, swing: Swing) -> np.ndarray:
    """Derivatives of `heights` by the chain of the sole, (n, corners, c)."""
    R, p = at.R[swing.joint], at.p[swing.joint]
    moved = at.Jt[:, swing.chain]
    x = p[:, None] + swing.points @ R.transpose(0, 2, 1)  # (n, corners, 3)
    # the upward speed of a point is v_z + (w cross x)_z
    arms = np.stack([x[..., 1], -x[..., 0]], axis=-1)
    rise = moved[:, None, :, 2] + arms @ moved[:, :, 3:5].transpose(0, 2, 1)
    return rise / HEIGHT
