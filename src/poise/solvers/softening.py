"""The answer to a contradictory program that keeps what matters and lets the rest give way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.errors import BadInput, Infeasible, NotFound
from poise.solvers.conflicts import conflict
from poise.solvers.program import BOUNDS, QuadraticProgram, Rows, Solution, workspace_for

GIVEN_WAY = 1e-6  # a row violated by less is said to hold [unit of the row]
STEEP = 1e3  # price of giving way, in typical gradients of the cost


@dataclass(frozen=True)
class Softened:
    """An answer for which some constraints had to give way.

    Args:
        x: (n,).
        gave_way: for each block that did, the largest violation of one of its rows [unit of it].
        solution: of the program with slack, whose first n variables are x.
    """

    x: np.ndarray
    gave_way: dict[str, float]
    solution: Solution


def soften(problem: QuadraticProgram, weights: Mapping[str, float]) -> Softened:
    """Solve a program whose named blocks may give way, the softest first.

    The softest block is given slack; if that is not enough, the next one too, and so on. A block
    thus holds exactly whenever the softer ones can make room for it. Slack s costs
    weight (|s| + s^2 / 2) at a steep price, so that it is used only where it must be.

    Args:
        problem: the program.
        weights: block name ("bounds" for those of the variables) to importance, positive; blocks
            that are not named never give way.

    Raises:
        Infeasible: the blocks that never give way contradict each other.
    """
    for name, weight in weights.items():
        if name not in problem.block_names:
            raise NotFound("block", name, problem.block_names)
        if not (np.isfinite(weight) and weight > 0.0):
            raise BadInput("soften", f"weight of '{name}'", str(weight), "a positive number")
    order = sorted(weights, key=lambda name: weights[name])
    for many in range(len(order) + 1):
        soft = _with_slack(problem, {name: weights[name] for name in order[:many]})
        work = workspace_for(soft)
        x = work.solve()
        if x is not None:
            solution = Solution(soft, x.copy(), work.multipliers.copy(), work.iterations, True)
            x = solution.x[: len(problem.r)]
            return Softened(x, _gave_way(problem, x, order[:many]), solution)
    hard = tuple(block for block in problem.blocks if block.name not in weights)
    bounds = (None, None) if BOUNDS in weights else (problem.x_lower, problem.x_upper)
    rest = QuadraticProgram(problem.P, problem.r, hard, *bounds, problem.variables)
    raise Infeasible("The program, with every soft block given up,", conflict(rest))


def _with_slack(problem: QuadraticProgram, weights: Mapping[str, float]) -> QuadraticProgram:
    """The program with two slack variables, up and down, for every row of the named blocks."""
    n, rows = len(problem.r), problem.stacked
    price = np.zeros(len(rows.A))
    for name, weight in weights.items():
        price[problem.place(name)] = weight / min(weights.values())
    soft = np.flatnonzero(price)
    price = price[soft] * STEEP * max(np.linalg.norm(problem.r) + np.trace(problem.P) / n, 1e-9)
    give = np.zeros((len(rows.A), 2 * len(soft)))
    give[soft, np.arange(len(soft))] = 1.0
    give[soft, np.arange(len(soft)) + len(soft)] = -1.0

    P = np.diag(np.r_[np.zeros(n), price, price])
    P[:n, :n] = problem.P
    blocks = []
    for name in problem.block_names:
        place = problem.place(name)
        if name != BOUNDS or BOUNDS in weights:
            A = np.hstack([rows.A[place], give[place]])
            blocks.append(Rows(f"soft {name}", A, rows.lower[place], rows.upper[place]))
    free = np.full(n, np.inf)
    lower, upper = (-free, free) if BOUNDS in weights else (rows.lower[:n], rows.upper[:n])
    none, any_ = np.zeros(2 * len(soft)), np.full(2 * len(soft), np.inf)
    r = np.r_[problem.r, price, price]
    return QuadraticProgram(P, r, tuple(blocks), np.r_[lower, none], np.r_[upper, any_])


def _gave_way(problem: QuadraticProgram, x: np.ndarray, soft: list[str]) -> dict[str, float]:
    """How far the blocks are violated that are."""
    rows = problem.stacked
    reach = rows.A @ x
    violation = np.maximum(reach - rows.upper, rows.lower - reach)
    worst = {name: float(violation[problem.place(name)].max(initial=0.0)) for name in soft}
    return {name: amount for name, amount in worst.items() if amount > GIVEN_WAY}
