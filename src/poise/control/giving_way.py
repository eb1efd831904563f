"""When a tick has no solution: let the softest requirement give way, and say which.

Slack is added to the requirements, dearer for the ones that matter more: surfaces first, then
how fast torques change, then joint limits, then torques. The equation of motion and the friction
pyramids keep holding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.control.torque_band import TorqueBand
from poise.errors import Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_V
from poise.solvers.workspace import QPWorkspace

SURFACE, CHANGE, JOINT, TORQUE = 1e2, 1e3, 1e4, 1e6  # price of a unit of slack, softest first
CALM = 1e-5  # added to what contact forces cost: a hard problem with nearly free forces can cycle
NOTICEABLE = 1e-4  # smaller slack is only the price list at work
TORQUE_LIMIT = "torque limit"  # how the name of one ends that gave way
TORQUE_CHANGE = "torque change"  # how the name of one ends that was too fast
LOADS = "loads of the feet"  # how they share the weight while it comes over


def solve_giving_way(
    problem: QPWorkspace,
    robot: Robot,
    surfaces: slice,
    torques: int,
    parts: Sequence[str],
    band: TorqueBand,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Solve with slack on every requirement but the equation of motion.

    Args:
        problem: the one that has no solution.
        robot: whose.
        surfaces: rows of the contact points.
        torques: first of the rows of the torque limits.
        parts: whose point each of the surface rows is.
        band: limits of the torques.

    Returns:
        The unknowns of the original problem, and the names of what gave way, softest first.
    """
    n, m, na = problem.n, problem.m, robot.na
    joints, touching = robot.joint_names, surfaces.stop - surfaces.start
    names = [f"{part} on its surface" for part in parts]
    prices = [SURFACE] * touching
    if band.follows:
        names += [f"{joint} {TORQUE_CHANGE}" for joint in joints]
        prices += [CHANGE] * na
    names += [f"{joint} joint limit" for joint in joints]
    names += [f"{joint} {TORQUE_LIMIT}" for joint in joints]
    prices += [JOINT] * na + [TORQUE] * na
    count = len(names)
    soft = QPWorkspace(n + count, m + count - touching - na)
    soft.P[:n, :n] = problem.P
    soft.P[range(robot.nv, n), range(robot.nv, n)] += CALM
    soft.r[:n] = problem.r
    # slack is counted in units in which each costs the same: the problem stays well scaled
    unit = 1.0 / np.sqrt(prices)
    soft.P[range(n, n + count), range(n, n + count)] = 1.0
    soft.A[:m, :n] = problem.A
    soft.lower[:m], soft.upper[:m] = problem.lower, problem.upper
    soft.x_lower[:n], soft.x_upper[:n] = problem.x_lower, problem.x_upper
    # rows that get slack, in the order of `names`: those of joints and of changes come last
    rows = [*range(surfaces.start, surfaces.stop)]
    last = m
    if band.follows:  # within the limits themselves the band is a softer requirement
        soft.A[m : m + na, :n] = problem.A[torques:]
        soft.lower[m : m + na] = problem.lower[torques:]
        soft.upper[m : m + na] = problem.upper[torques:]
        soft.lower[torques:m] -= band.low + band.most
        soft.upper[torques:m] += band.most - band.high
        rows += range(m, m + na)
        last = m + na
    moved = slice(BASE_V, BASE_V + na)
    soft.A[range(last, last + na), range(BASE_V, BASE_V + na)] = 1.0
    soft.lower[last:], soft.upper[last:] = problem.x_lower[moved], problem.x_upper[moved]
    soft.x_lower[moved], soft.x_upper[moved] = -np.inf, np.inf
    rows += [*range(last, last + na), *range(torques, m)]
    soft.A[rows, range(n, n + count)] = unit
    # slack that is too small to be named still keeps the limit
    width = soft.upper[torques:m] - soft.lower[torques:m]
    inside = np.minimum(NOTICEABLE, 0.5 * width)
    soft.lower[torques:m] += inside
    soft.upper[torques:m] -= inside
    x = soft.solve()
    if x is None:
        raise Infeasible(
            "The motion of this instant",
            ["equation of motion", "friction", *sorted(set(parts))],
            "The contacts cannot carry the robot here.",
        )
    slack = np.abs(x[n:]) * unit  # [m/s^2], [rad/s^2] or [N m]
    gave = [name for name, amount in zip(names, slack, strict=True) if amount > NOTICEABLE]
    return x[:n].copy(), tuple(dict.fromkeys(gave))
