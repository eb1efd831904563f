"""When a tick has no solution: let the softest requirement give way, and say which.

Slack is added to the requirements, dearer for the ones that matter more: surfaces first, then
joint limits, then torques. The equation of motion and the friction pyramids keep holding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.errors import Infeasible
from poise.robot import Robot
from poise.robot.robot import BASE_V
from poise.solvers.workspace import QPWorkspace

SURFACE, JOINT, TORQUE = 1e2, 1e4, 1e6  # price of a unit of slack, softest first
CALM = 1e-5  # added to what contact forces cost: a hard problem with nearly free forces can cycle
NOTICEABLE = 1e-4  # smaller slack is only the price list at work
TORQUE_LIMIT = "torque limit"  # how the name of one ends that gave way


def solve_giving_way(
    problem: QPWorkspace,
    robot: Robot,
    surfaces: slice,
    torques: int,
    parts: Sequence[str],
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Solve with slack on every requirement but the equation of motion.

    Args:
        problem: the one that has no solution.
        robot: whose.
        surfaces: rows of the contact points.
        torques: first of the rows of the torque limits.
        parts: whose point each of the surface rows is.

    Returns:
        The unknowns of the original problem, and the names of what gave way, softest first.
    """
    n, m = problem.n, problem.m
    names, prices, rows, bounds = [], [], [], []
    for row, part in zip(range(surfaces.start, surfaces.stop), parts, strict=True):
        rows.append(row)
        names.append(f"{part} on its surface")
        prices.append(SURFACE)
    for k, joint in enumerate(robot.joint_names):
        bounds.append(BASE_V + k)
        names.append(f"{joint} joint limit")
        prices.append(JOINT)
    for k, joint in enumerate(robot.joint_names):
        rows.append(torques + k)
        names.append(f"{joint} {TORQUE_LIMIT}")
        prices.append(TORQUE)
    # order of the slack variables follows `names`: surface rows, joint bounds, torque rows
    n_surface = surfaces.stop - surfaces.start
    count = len(names)
    soft = QPWorkspace(n + count, m + len(bounds))
    soft.P[:n, :n] = problem.P
    soft.P[range(robot.nv, n), range(robot.nv, n)] += CALM
    soft.r[:n] = problem.r
    # slack is counted in units in which each costs the same: the problem stays well scaled
    unit = 1.0 / np.sqrt(prices)
    soft.P[range(n, n + count), range(n, n + count)] = 1.0
    soft.A[:m, :n] = problem.A
    soft.lower[:m], soft.upper[:m] = problem.lower, problem.upper
    soft.x_lower[:n], soft.x_upper[:n] = problem.x_lower, problem.x_upper
    for k, row in enumerate(rows[:n_surface]):
        soft.A[row, n + k] = unit[k]
    for k, variable in enumerate(bounds):
        row = m + k
        soft.A[row, variable] = 1.0
        soft.A[row, n + n_surface + k] = unit[n_surface + k]
        soft.lower[row], soft.upper[row] = problem.x_lower[variable], problem.x_upper[variable]
        soft.x_lower[variable], soft.x_upper[variable] = -np.inf, np.inf
    for k, row in enumerate(rows[n_surface:]):
        place = n_surface + len(bounds) + k
        soft.A[row, n + place] = unit[place]
        # slack that is too small to be named still keeps the limit
        inside = min(NOTICEABLE, 0.5 * (soft.upper[row] - soft.lower[row]))
        soft.lower[row] += inside
        soft.upper[row] -= inside
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
