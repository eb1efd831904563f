"""Swinging soles rise from where they stood, and come down to where they will stand, steeply."""

from types import SimpleNamespace

import numpy as np
import pytest

from multicontact_helpers.small import everything
from poise.engines.multicontact.quantities import LIFTED
from poise.engines.multicontact.rows_of_steps import STEEP, StepRows, above_cone, cone


@pytest.fixture(scope="module")
def swing():
    """The right foot, which leaves the ground in the second phase."""
    return everything()[0].swings[1][0]


def test_a_sole_leaves_the_place_where_its_corners_stood(swing):
    problem, _ = everything()
    start = problem.stage.start[None]
    at = problem.dynamics(start, 0.0 * start, 0.0 * start)
    corners = at.p[swing.joint][0] + swing.points @ at.R[swing.joint][0].T
    assert np.abs(swing.leaves.points - corners).max() < 1e-9
    assert swing.lands is None  # the motion ends while it swings


@pytest.mark.parametrize(
    ("aside", "up", "allowed"),
    [(0.004, 0.001, False), (0.004, 0.002, True), (0.3, 0.01, False), (0.3, LIFTED, True)],
)
def test_a_sole_may_not_go_aside_before_it_is_up(swing, aside, up, allowed):
    turn = np.linspace(0.0, 2.0 * np.pi, 9)
    ways = np.stack([aside * np.cos(turn), aside * np.sin(turn), np.full(9, up)], axis=1)
    value = _value(swing, ways)
    assert ((value > 0.0) == allowed).all()


def test_a_sole_may_stand_where_it_stood(swing):
    assert np.abs(_value(swing, np.zeros((1, 3)))).max() < 1e-12


def test_the_cone_is_steep_and_levels_off():
    x = np.array([[0.002, 0.0], [0.0, 1.0]])
    height, _ = cone(x)
    assert 0.85 * STEEP < height[0] / 0.002 < STEEP
    assert 0.9 * LIFTED < height[1] < LIFTED


def test_slopes_of_the_cone():
    x = np.random.default_rng(0).normal(scale=0.01, size=(50, 2))
    _, slopes = cone(x)
    for k, d in enumerate(1e-7 * np.eye(2)):
        told = (cone(x + d)[0] - cone(x - d)[0]) / 2e-7
        assert np.abs(told - slopes[:, k]).max() < 1e-5


def test_it_is_asked_next_to_where_the_sole_leaves_and_nowhere_else():
    problem, _ = everything()
    (rows,) = [r for part in problem.parts for r in part.rows if isinstance(r, StepRows)]
    assert rows.nodes.tolist() == [2, 4]  # the middle and the end of the first of four spans


def _value(swing, ways):
    """Of the corners above their cones, when the sole has been carried along ways (n, 3)."""
    stand, n = swing.leaves, len(ways)
    arms = swing.points - swing.points.mean(axis=0)
    there = stand.points - stand.points.mean(axis=0)
    U, _, V = np.linalg.svd(arms.T @ there)
    R = (U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V).T
    p = stand.points.mean(axis=0) - R @ swing.points.mean(axis=0)
    here = SimpleNamespace(
        R={swing.joint: np.tile(R, (n, 1, 1))},
        p={swing.joint: p + ways},
        Jt=np.zeros((n, 1 + swing.chain.max(), 6)),
    )
    return above_cone(SimpleNamespace(at=here), swing, stand, np.arange(n))[0]
