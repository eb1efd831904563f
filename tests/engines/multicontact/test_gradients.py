"""Derivatives of the cost and of every family of constraints agree with finite differences."""

import numpy as np
import pytest
from scipy.sparse import coo_array

from multicontact_helpers.small import everything
from poise.engines.multicontact.curvature import without_negative

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


STEP = 1e-4


@pytest.fixture(scope="module")
def compared():
    problem, x = everything()
    v = problem.variables
    rng = np.random.default_rng(2)
    some = rng.choice(np.arange(v.nv, v.place_count), 24, replace=False)
    found = problem.evaluate(x)
    J = coo_array((found.jacobian, problem.jacobian_places), shape=(len(found.g), len(x))).tocsc()

    def values(x):
        cost, g = problem.values(x)
        return np.append(g, cost)

    worst: dict[str, float] = {}
    seen: dict[str, float] = {}
    for column in np.concatenate([some, np.arange(v.time_at, v.count)]):
        d = np.zeros(len(x))
        d[column] = STEP
        near, far = values(x + d) - values(x - d), values(x + 2 * d) - values(x - 2 * d)
        told = (8.0 * near - far) / (12.0 * STEP)
        exact = np.append(J[:, [column]].toarray().ravel(), found.gradient[column])
        names = [name[0] for name in problem.names] + ["cost"]
        for family, a, b in zip(names, exact, told, strict=True):
            worst[family] = max(worst.get(family, 0.0), abs(a - b) / max(1.0, abs(a)))
            seen[family] = max(seen.get(family, 0.0), abs(a))
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


def test_contacts_and_tasks_bend_as_the_hessian_says():
    """The derivative of J' m, m multipliers of the places of contacts, in the first phase."""
    problem, x = everything()
    rng = np.random.default_rng(7)
    held = np.flatnonzero([name[0] == "contact" and name[2] == 0 for name in problem.names])
    places = held[np.arange(len(held)) % 6 < 3]  # turns bend as told only where there is no error
    m = np.zeros(len(problem.names))
    m[places] = rng.normal(size=len(places))
    n, v = len(x), problem.variables
    H = np.zeros((n, n))
    part, at = problem.parts[0], problem.evaluate(x).stretches[0]
    start = held[0]
    for rows in part.held:
        told = rows.bends.rows
        bent = rows.curved(at).bend(np.where(told >= 0, m[start + told], 0.0))
        start += len(rows.pattern.lower)
        for values, where in zip(
            rows.bends.nonzeros(at.E[:, 0], bent), rows.bends.places(), strict=True
        ):
            np.add.at(H, where, values)
    H = H + np.triu(H, 1).T

    def pull(x):
        values = problem.jacobian(x)
        return coo_array((values, problem.jacobian_places), shape=(len(m), n)).T @ m

    first = slice(v.nv, problem.layout.own(0)[-1] * v.nv)
    for column in rng.choice(np.arange(first.start, first.stop), 12, replace=False):
        d = np.zeros(n)
        d[column] = 1e-5
        told = (pull(x + d) - pull(x - d)) / 2e-5
        off = np.abs(told[first] - H[first, column]).max()
        assert off < 1e-5 * max(1.0, np.abs(told[first]).max())


def test_the_solver_sees_curvature_without_its_negative_part():
    rng = np.random.default_rng(8)
    H = rng.normal(size=(5, 6, 6))
    H = H + H.transpose(0, 2, 1)
    seen = without_negative(H)
    assert np.linalg.eigvalsh(seen).min() > -1e-9
    expected = np.maximum(np.linalg.eigvalsh(H), 0.0)
    assert np.abs(np.linalg.eigvalsh(seen) - expected).max() < 1e-9
    assert np.abs(without_negative(H @ H) - H @ H).max() < 1e-9
