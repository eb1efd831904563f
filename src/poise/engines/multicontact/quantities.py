"""What must stay within limits at all times of a phase: torques, forces, heights.

Each quantity is scaled so that one is a lot: torques by their limit, forces by the weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.dynamics import Instants, Loaded
from poise.engines.multicontact.stage import Hold, Phase, Stage
from poise.engines.multicontact.terrain import Hill

SMOOTH = 1.0  # [N], rounds the tip of the friction cone, on the safe side
HEIGHT = 0.1  # [m], a height that counts as one
LIFTED = 0.015  # [m], of a swinging sole, in the middle of its phase
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
class Stand:
    """Where a sole stands before or after it swings."""

    R: np.ndarray  # (3, 3), the surface's axes
    points: np.ndarray  # [m], (k, 3), world, of the sole's corners


@dataclass(frozen=True, eq=False)
class Swing:
    """A sole that must stay above the ground while it touches nothing."""

    part: str
    joint: int
    points: np.ndarray  # [m], (k, 3), in the joint's frame
    chain: np.ndarray  # coordinates that move it, rising
    hills: tuple[Hill, ...] = ()  # what it must step over
    leaves: Stand | None = None  # where it stood when the phase began
    lands: Stand | None = None  # where it stands when the phase has ended


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
        rows += [(FRICTION, rub.name, 0.0, np.inf, weight) for rub in rubs_of(hold)]
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


def _each(hold: Hold) -> range:
    return range(len(hold.points))


def quantities(
    stage: Stage, phase: Phase, at: Instants, loaded: Loaded, swings: tuple[Swing, ...]
) -> np.ndarray:
    """All quantities of a phase at its instants (n, m), in the order of its kinds."""
    limit = np.where(np.isfinite(stage.torque_limit), stage.torque_limit, 1.0)
    presses = presses_of(stage, phase)
    pressed = np.empty((len(loaded.forces), len(presses.along)))
    _pressed(presses.along, presses.across, presses.rubs, loaded.forces, pressed)
    values = [loaded.tau / limit, pressed / stage.weight]
    if stage.vertical is not None:
        values.append(at.wrench[:, 2:3] / stage.weight)
    values += [heights(at, swing) for swing in swings]
    return np.concatenate(values, axis=1)


@dataclass(frozen=True, eq=False)
class Rub:
    """Points of a contact that slide together or not at all.

    Sliding is a force along x, one along y and a moment, which counts as a force at the points'
    mean distance from their middle: the limit surface of the contact is an ellipsoid. Friction
    point by point would ask more: a point that hardly presses would have to hardly rub, although
    the formula that shares the forces lets all points rub alike.
    """

    name: str
    slides: np.ndarray  # (3, 3 k), forces of the contact's points to what slides
    presses: np.ndarray  # (3 k,), and to what presses


@lru_cache(maxsize=256)
def rubs_of(hold: Hold) -> tuple[Rub, ...]:
    """How a contact may slide: as a whole, or point by point where its yaw is free."""
    count = len(hold.points)
    groups = [[k] for k in range(count)] if "yaw" in hold.free else [list(range(count))]
    found = []
    for group in groups:
        arms = hold.points[group, :2] - hold.points[group, :2].mean(axis=0)
        radius = float(np.linalg.norm(arms, axis=1).mean())
        slides, presses = np.zeros((3, 3 * count)), np.zeros(3 * count)
        for point, (x, y) in zip(group, arms, strict=True):
            slides[0, 3 * point] = slides[1, 3 * point + 1] = presses[3 * point + 2] = 1.0
            if radius > 1e-6:
                slides[2, 3 * point : 3 * point + 2] = -y / radius, x / radius
        name = hold.name if len(groups) == 1 else f"{hold.name} point {group[0]}"
        found.append(Rub(name, slides, presses))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Presses:
    """Pressing forces, friction and loads of a phase, m of them, of forces F (3 points).

    Each is a F, where it rubs less the length of S F, rounded.
    """

    along: np.ndarray  # a, (m, 3 points)
    across: np.ndarray  # S, (m, 3, 3 points)
    rubs: np.ndarray  # (m,) of bool

    def of(self, some: np.ndarray) -> Presses:
        """Some of them."""
        return Presses(self.along[some], self.across[some], self.rubs[some])


@lru_cache(maxsize=64)
def presses_of(stage: Stage, phase: Phase) -> Presses:
    """Points that press, contacts that rub, and loads, in the order of a phase's kinds."""
    holds = [stage.holds[h] for h in phase.holds]
    ends = np.cumsum([0, *(3 * len(hold.points) for hold in holds)])
    width, nothing = int(ends[-1]), np.zeros((3, int(ends[-1])))
    along, across = [row for row in np.eye(width)[2::3]], [nothing] * (width // 3)
    loads = []
    for hold, start, end in zip(holds, ends, ends[1:], strict=False):
        for rub in rubs_of(hold):
            a, S = np.zeros(width), nothing.copy()
            a[start:end], S[:, start:end] = hold.friction * rub.presses, rub.slides
            along.append(a)
            across.append(S)
        if np.isfinite(hold.most_force):
            whole = np.zeros(width)
            whole[start + 2 : end : 3] = 1.0
            loads.append(whole)
    rubs = np.arange(len(along)) >= width // 3
    return Presses(
        np.array(along + loads),
        np.array(across + [nothing] * len(loads)),
        np.concatenate([rubs, np.zeros(len(loads), dtype=bool)]),
    )


@compiled_alone
def press(along, across, rubs, forces, slope):
    """One of a phase's presses [N] under forces (3 points), and its slopes by these."""
    value = 0.0
    for i in range(len(forces)):
        value += along[i] * forces[i]
        slope[i] = along[i]
    if rubs:
        x, y, z = 0.0, 0.0, 0.0
        for i in range(len(forces)):
            x += across[0, i] * forces[i]
            y += across[1, i] * forces[i]
            z += across[2, i] * forces[i]
        slide = np.sqrt(x * x + y * y + z * z + SMOOTH**2)
        value -= slide
        for i in range(len(forces)):
            slope[i] -= (x * across[0, i] + y * across[1, i] + z * across[2, i]) / slide
    return value


@compiled_alone
def _pressed(along, across, rubs, forces, value):
    slope = np.empty(forces.shape[1])
    for n in range(len(forces)):
        for k in range(len(along)):
            value[n, k] = press(along[k], across[k], rubs[k], forces[n], slope)


def heights(at: Instants, swing: Swing) -> np.ndarray:
    """Of the corners of a swinging sole above z = 0, (n, corners)."""
    z = at.R[swing.joint][:, 2]
    return (at.p[swing.joint][:, 2:3] + z @ swing.points.T) / HEIGHT


def heights_above(at: Instants, swing: Swing) -> tuple[np.ndarray, np.ndarray]:
    """Of the same above the hills (n, corners), and slopes by its chain (n, corners, c)."""
    R, p = at.R[swing.joint], at.p[swing.joint]
    moved = at.Jt[:, swing.chain]
    x = p[:, None] + swing.points @ R.transpose(0, 2, 1)  # (n, corners, 3)
    height = x[..., 2].copy()
    along = np.zeros_like(x)  # what counts as up, at each corner
    along[..., 2] = 1.0
    for hill in swing.hills:
        ground, slopes = hill.heights(x[..., :2])
        height -= ground
        along[..., :2] -= slopes
    # the speed of a point along d is d . v + (x cross d) . w
    line = np.concatenate([along, np.cross(x, along)], axis=-1)
    return height / HEIGHT, line @ moved.transpose(0, 2, 1) / HEIGHT
