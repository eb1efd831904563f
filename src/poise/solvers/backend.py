"""The one address of the QP library (DAQP, a dual active-set method): nobody else imports it.

Its conventions: variable bounds come before rows; a multiplier is positive where an upper bound
pushes and negative where a lower one does; when it stops at a contradiction the multipliers are a
certificate of it (a combination of the constraints that reads 0 <= negative).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import daqp
import numpy as np

ITERATIONS = 2000  # pivots; about ten milliseconds at whole-body size, and ten times what is met
PRIMAL = 1e-10  # violation of a row of unit length, in the metric of the cost


class Exit(IntEnum):
    """Why the library stopped (the other codes are rare and treated alike)."""

    FOUND = 1
    INFEASIBLE = -1
    TOO_MANY_EQUALITIES = -6


def whitened_model(rows: np.ndarray) -> Any:
    """A solver for min 1/2 |y|^2 + v'y, lower <= rows y <= upper, whose data come by update."""
    m, n = rows.shape
    model = daqp.Model()
    ones = np.ones(m)  # harmless first data: the library can only update what was set up
    model.setup(np.eye(n), np.zeros(n), rows, ones, -ones)
    model.settings = {"iter_limit": ITERATIONS, "primal_tol": PRIMAL, "eps_prox": 0.0}
    return model


def solve_from_nothing(
    P: np.ndarray,
    r: np.ndarray,
    A: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    proximal: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """One program without memory; P (n, n) may be singular.

    Args:
        P: cost matrix, symmetric.
        r: cost vector (n,).
        A: rows (m, n).
        lower: (n + m,), of the variables, then of the rows.
        upper: (n + m,).
        proximal: curvature of the steps by which a flat cost is walked down; 0 lets the library
            decide whether it needs them.

    Returns:
        x (n,), multipliers (n + m,), exit code, iterations.
    """
    sense = np.where(lower == upper, 5, 0).astype(np.intc)
    options = {"iter_limit": ITERATIONS, "primal_tol": PRIMAL, "eta_prox": 1e-10}
    if proximal > 0.0:
        options["eps_prox"] = proximal
    x, _, flag, info = daqp.solve(P, r, A, upper, lower, sense, **options)
    return x, info["lam"], int(flag), int(info["iterations"])
