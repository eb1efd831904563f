"""The closed form of the forces is the least weighted norm that gives the wrench."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.engines.multicontact.sharing import Grip, alpha_of, grasp, share

SOLE = np.array([[-0.1, -0.05, 0.0], [0.13, -0.05, 0.0], [0.13, 0.07, 0.0], [-0.1, 0.07, 0.0]])
NOTHING = np.zeros((0, 4, 3))
WRENCH = np.array([20.0, -10.0, 569.0, 5.0, -60.0, 3.0])


def grips() -> list[Grip]:
    left, right = np.array([0.0, 0.1, 0.0]), np.array([0.0, -0.1, 0.0])
    hand = np.array([[0.5, 0.2, 0.72]])
    ways = np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]])
    return [
        Grip(np.eye(3), SOLE + left, 0.5, NOTHING),
        Grip(np.eye(3), SOLE + right, 0.5, NOTHING),
        Grip(np.eye(3), hand, 0.3, ways),
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-7.0, 7.0), min_size=3, max_size=3))
def test_forces_add_up_to_the_wrench(log_beta):
    found = share(grips(), np.array(log_beta))
    G = np.concatenate([grasp(g.R_world_surface, g.points) for g in grips()], axis=1)
    assert np.abs(G @ (found.forces @ WRENCH) - WRENCH).max() < 1e-8
    assert np.abs(found.wrenches.sum(axis=0) - np.eye(6)).max() < 1e-8


def test_forces_solve_the_optimality_conditions():
    log_beta = np.array([0.0, 0.4, -0.7])
    G = np.concatenate([grasp(g.R_world_surface, g.points) for g in grips()], axis=1)
    weights = np.concatenate(
        [
            np.tile([alpha_of(g.friction, len(g.points))] * 2 + [1.0], len(g.points)) * np.exp(b)
            for g, b in zip(grips(), log_beta, strict=True)
        ]
    )
    m = len(weights)
    kkt = np.block([[np.diag(weights), -G.T], [G, np.zeros((6, 6))]])
    exact = np.linalg.solve(kkt, np.concatenate([np.zeros(m), WRENCH]))[:m]
    assert np.abs(share(grips(), log_beta).forces @ WRENCH - exact).max() < 1e-8


def test_a_larger_weight_unloads_a_contact():
    loads = []
    for b in np.linspace(-4.0, 4.0, 9):
        forces = share(grips(), np.array([0.0, 0.0, b])).forces @ WRENCH
        loads.append(forces[-1])
    assert (np.diff(loads) < 0.0).all()


def test_scaling_all_weights_changes_nothing():
    one = share(grips(), np.array([0.1, -0.2, 0.3])).forces
    two = share(grips(), np.array([0.1, -0.2, 0.3]) + 1.7).forces
    assert np.abs(one - two).max() < 1e-9


@pytest.mark.parametrize("k", range(5))
def test_derivatives_by_weights_and_places_are_exact(k):
    log_beta, step = np.array([0.2, -0.3, 0.5]), 1e-6

    def at(sign: float):
        beta, made = log_beta.copy(), grips()
        if k < 3:
            beta[k] += sign * step
        else:
            g = made[2]
            moved = g.points + sign * step * g.floats[k - 3]
            made[2] = Grip(g.R_world_surface, moved, g.friction, g.floats)
        return share(made, beta)

    a, b, found = at(1.0), at(-1.0), share(grips(), log_beta)
    assert np.abs((a.forces - b.forces) / (2 * step) - found.forces_by[k]).max() < 1e-5
    assert np.abs((a.wrenches - b.wrenches) / (2 * step) - found.wrenches_by[k]).max() < 1e-5
