"""Friction, touches and what a support can carry, against closed forms."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.contacts import ContactPlan, Touch, WrenchCone, cone_excess, pyramid, pyramid_rows, zmp

SQUARE = np.array([[0.1, -0.05, 0.0], [0.1, 0.05, 0.0], [-0.1, 0.05, 0.0], [-0.1, -0.05, 0.0]])

angles = st.floats(-1.0, 1.0)
frictions = st.floats(0.1, 1.5)


def touch(part: str = "left_foot", start: float = 0.0, end: float = 1.0, **pose: float) -> Touch:
    place = np.array([pose.get("x", 0.0), pose.get("y", 0.0), 0.0])
    return Touch(part, start, end, pin.SE3(np.eye(3), place), SQUARE)


@settings(max_examples=60, deadline=None)
@given(angles, angles, angles, frictions, st.lists(st.floats(0, 10), min_size=4, max_size=4))
def test_the_pyramid_lies_inside_the_cone_and_both_descriptions_agree(
    a: float, b: float, c: float, friction: float, weights: list[float]
) -> None:
    R = pin.exp3(np.array([a, b, c]))
    edges = pyramid(R, friction)
    assert np.allclose(np.linalg.norm(edges, axis=0), 1.0)
    force = edges @ np.array(weights)
    assert cone_excess(force, R[:, 2], friction) <= 1e-9
    assert np.all(pyramid_rows(R, friction) @ force <= 1e-9 * (1.0 + np.linalg.norm(force)))
    pulled = force - (np.abs(force).sum() + 1.0) * 2.0 * R[:, 2]
    assert np.any(pyramid_rows(R, friction) @ pulled > 0.0)


def test_a_vertical_force_has_its_zmp_where_it_acts() -> None:
    point = np.array([0.03, -0.02, 0.0])
    force = np.array([5.0, -3.0, 80.0])
    assert np.allclose(zmp(force, np.cross(point, force)), point[:2])
    raised = np.array([0.03, -0.02, 0.4])
    assert np.allclose(zmp(force, np.cross(raised, force), height=0.4), raised[:2])


@settings(max_examples=40, deadline=None)
@given(st.floats(-0.09, 0.09), st.floats(-0.04, 0.04), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_a_force_through_the_sole_within_friction_can_be_carried(
    x: float, y: float, tilt_x: float, tilt_y: float
) -> None:
    cone = WrenchCone.of([touch()], friction=0.6)
    force = 100.0 * np.array([tilt_x, tilt_y, 1.0])
    wanted = np.r_[force, np.cross([x, y, 0.0], force)]
    found, coefficients = cone.nearest(wanted)
    assert np.allclose(found, wanted, atol=1e-6)
    assert np.all(coefficients >= 0.0)


@pytest.mark.parametrize("place", [(0.12, 0.0), (0.0, 0.07), (-0.15, -0.06)])
def test_a_force_beside_the_sole_cannot_be_carried(place: tuple[float, float]) -> None:
    cone = WrenchCone.of([touch()], friction=0.6)
    force = np.array([0.0, 0.0, 100.0])
    wanted = np.r_[force, np.cross([*place, 0.0], force)]
    found, _ = cone.nearest(wanted)
    assert np.linalg.norm(found - wanted) > 0.5


def test_a_plan_knows_who_touches_when() -> None:
    plan = ContactPlan.of(
        [
            touch("right_foot", 1.4, 2.0, y=-0.1),
            touch("left_foot", 0.0, 2.0, y=0.1),
            touch("right_foot", 0.0, 0.8, y=-0.1),
        ]
    )
    assert plan.at(0.5) == {"left_foot", "right_foot"}
    assert plan.at(1.0) == {"left_foot"}
    assert plan.at(2.0) == {"left_foot", "right_foot"}  # the last instant still stands
    assert plan.at(2.1) == frozenset()
    assert plan.switches == (0.0, 0.8, 1.4, 2.0)
    assert plan.parts == ("left_foot", "right_foot")
    later = plan.shifted(1.0).between(1.5, 2.5)
    assert [(t.part, t.start, t.end) for t in later.touches] == [
        ("left_foot", 1.5, 2.5),
        ("right_foot", 1.5, 1.8),
        ("right_foot", 2.4, 2.5),
    ]


def test_an_edge_is_told_from_a_sole() -> None:
    heel = Touch("left_foot", 0.0, 1.0, pin.SE3.Identity(), SQUARE[2:])
    assert heel.is_edge
    assert not touch().is_edge
    assert np.allclose(touch(x=1.0).anchors, SQUARE + [1.0, 0.0, 0.0])
