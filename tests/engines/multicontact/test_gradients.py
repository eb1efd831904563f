"""Derivatives of the cost and of every family of constraints agree with finite differences."""

import numpy as np
import pytest
from scipy.sparse import coo_array

from multicontact_helpers.small import everything

FAMILIES = (
    "joint torque",
    "pressing force",
    "friction",
    "load",
    "vertical force",
    "height of a sole",
    "contact",
    "task",
    "joint speed",
    "joint position",
    "clearance",
)


def numeric(call, x, column, step):
    d = np.zeros(len(x))
    d[column] = step
    one = (call(x + d) - call(x - d)) / (2 * step)
    two = (call(x + 2 * d) - call(x - 2 * d)) / (4 * step)
    return (4.0 * one - two) / 3.0


@pytest.fixture(scope="module")
def compared():
    problem, x = everything()
    v = problem.variables
    rng = np.random.default_rng(2)
    columns = np.concatenate(
        [
            rng.choice(np.arange(v.nv, v.place_count), 50, replace=False),
            np.arange(v.time_at, v.count),
        ]
    )
    found = problem.evaluate(x)
    J = coo_array((found.jacobian, problem.jacobian_places), shape=(len(found.g), len(x))).tocsc()
    worst: dict[str, float] = {}
    seen: dict[str, float] = {}
    for column in columns:
        exact = J[:, [column]].toarray().ravel()
        told = numeric(lambda x: problem.values(x)[1], x, column, 1e-4)
        for (family, _, _), a, b in zip(problem.names, exact, told, strict=True):
            worst[family] = max(worst.get(family, 0.0), abs(a - b) / max(1.0, abs(a)))
            seen[family] = max(seen.get(family, 0.0), abs(a))
        slope = numeric(lambda x: np.array(problem.values(x)[0]), x, column, 1e-4)
        exact_slope = problem.gradient(x)[column]
        worst["cost"] = max(
            worst.get("cost", 0.0), abs(slope - exact_slope) / max(1.0, abs(exact_slope))
        )
    return worst, seen


@pytest.mark.parametrize("family", FAMILIES)
def test_constraints_have_exact_derivatives(compared, family):
    worst, seen = compared
    assert seen[family] > 0.0
    assert worst[family] < 1e-5


def test_the_cost_has_an_exact_gradient(compared):
    assert compared[0]["cost"] < 1e-5


def test_the_hessian_is_that_of_the_squares():
    """Along a direction the Gauss-Newton part is the square of the change of the residuals."""
    problem, x = everything()
    problem.evaluate(x)
    rows, columns = problem.hessian_places
    values = problem.hessian(x, 1.0, np.zeros(len(problem.lower)))
    H = coo_array((values, (rows, columns)), shape=(len(x), len(x))).toarray()
    H = H + np.triu(H, 1).T - np.diag(problem.calm)
    assert np.linalg.eigvalsh(H).min() > -1e-6 * np.abs(H).max()
