"""Contact forces in friction cones: what contacts can give, and how far they fall short."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.checks.contact_forces import Grip, cone_edges, share, shifted

WEIGHT, LEVER = 100.0, 0.1  # [N], [m]
SQUARE = np.array([[0.1, 0.1, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0], [0.1, -0.1, 0.0]])


def grip(points: np.ndarray, friction: float = 0.5, turn: np.ndarray | None = None) -> Grip:
    edges = cone_edges(np.eye(3) if turn is None else turn, friction, 4)
    count = len(points)
    points = np.repeat(points, 4, axis=0)[None]
    return Grip(np.tile(edges, count), points, np.zeros(4 * count, int))


def shared(g: Grip, wrench: np.ndarray) -> tuple[np.ndarray, float]:
    """Sizes of the forces and the gap for a wrench about the origin."""
    return share(g.wrenches[0], shifted(wrench[None], g.centre)[0], WEIGHT, LEVER)


def pushing(force: list[float], at: list[float]) -> np.ndarray:
    """A force at a point, as a wrench about the origin."""
    return np.concatenate([force, np.cross(at, force)])


@settings(max_examples=60, deadline=None)
@given(st.floats(-0.099, 0.099), st.floats(-0.099, 0.099), st.floats(-20.0, 20.0))
def test_a_force_inside_the_square_and_the_cone_is_carried(x: float, y: float, fx: float) -> None:
    wrench = pushing([fx, 0.0, WEIGHT], [x, y, 0.0])
    g = grip(SQUARE)
    sizes, gap = shared(g, wrench)
    assert gap < 1e-4
    assert (sizes >= 0.0).all()
    given = g.given(sizes[None], 0, np.zeros((1, 3)))[0]
    assert np.allclose(given, wrench, atol=0.02)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.001, 0.05))
def test_a_weight_outside_the_square_lacks_its_moment(beyond: float) -> None:
    wrench = pushing([0.0, 0.0, WEIGHT], [0.1 + beyond, 0.0, 0.0])
    _, gap = shared(grip(SQUARE), wrench)
    moment = beyond / LEVER  # [weights], all of it missing if the force stays
    assert 0.3 * moment < gap < 1.01 * moment


def test_sliding_lacks_what_friction_does_not_grant() -> None:
    wrench = pushing([60.0, 0.0, WEIGHT], [0.0, 0.0, 0.0])
    _, gap = shared(grip(SQUARE, friction=0.5), wrench)
    assert 0.05 < gap < 0.1  # 10 N short of the cone along x, less along its normal


def test_the_ground_does_not_pull() -> None:
    sizes, gap = shared(grip(SQUARE), pushing([0.0, 0.0, -WEIGHT], [0, 0, 0]))
    assert np.isclose(gap, 1.0)
    assert not sizes.any()


def test_a_hand_on_a_wall_helps_where_the_floor_alone_fails() -> None:
    lean = pushing([-30.0, 0.0, WEIGHT], [0.15, 0.0, 0.0])
    wall = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # z points to -x
    floor = grip(SQUARE)
    hand = grip(np.array([[0.4, 0.0, 1.0]]), turn=wall)
    both = Grip(
        np.hstack([floor.edges, hand.edges]),
        np.concatenate([floor.points, hand.points], axis=1),
        np.concatenate([floor.owners, hand.owners + 1]),
    )
    assert shared(floor, lean)[1] > 0.1
    assert shared(both, lean)[1] < 1e-3


def test_where_the_robot_stands_in_the_world_does_not_matter() -> None:
    wrench = pushing([5.0, 0.0, WEIGHT], [0.12, 0.0, 0.0])
    away = np.array([7.0, -3.0, 0.0])
    far = wrench.copy()
    far[3:] += np.cross(away, wrench[:3])
    near_gap = shared(grip(SQUARE), wrench)[1]
    far_gap = shared(grip(SQUARE + away), far)[1]
    assert np.isclose(near_gap, far_gap, rtol=1e-6)


def test_edges_lie_on_the_cone() -> None:
    edges = cone_edges(np.eye(3), 0.6, 16)
    assert np.allclose(np.linalg.norm(edges, axis=0), 1.0)
    assert np.allclose(np.linalg.norm(edges[:2], axis=0), 0.6 * edges[2])


def test_a_wrench_told_about_its_own_point_is_a_pure_force() -> None:
    wrench = pushing([1.0, 2.0, 3.0], [0.3, 0.2, 0.1])
    told = shifted(wrench[None], np.array([[0.3, 0.2, 0.1]]))[0]
    assert np.allclose(told, [1, 2, 3, 0, 0, 0])
