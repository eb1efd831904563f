import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.simulation.soles import (
    MOST_POINTS,
    PressureMap,
    centre_of_pressure,
    contact_points,
    polygon_area,
)

unhurried = settings(deadline=None)
CORNERS = np.array([[0.07, 0.03], [0.07, -0.03], [-0.03, -0.02], [-0.03, 0.02]])


def rows(points):
    x, y = points.T
    return np.array([np.ones_like(x), y, -x])


def test_a_rectangle_keeps_its_corners():
    assert np.array_equal(contact_points(CORNERS[::-1]), CORNERS[::-1])


def test_points_along_an_edge_and_rounded_corners_go_and_the_area_stays():
    angles = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    ellipse = np.column_stack([0.1 * np.cos(angles), 0.05 * np.sin(angles)])
    kept = contact_points(ellipse)
    assert len(kept) == MOST_POINTS
    assert all(any(np.array_equal(p, e) for e in ellipse) for p in kept)
    assert polygon_area(kept) > 0.88 * polygon_area(ellipse)
    square = np.array([[0, 0], [1, 0], [2, 0], [2, 2], [0, 2]]) / 10.0
    assert len(contact_points(square)) == 4


@unhurried
@given(
    st.lists(st.floats(0.01, 50.0), min_size=4, max_size=4),
)
def test_pressures_reproduce_the_load_and_the_centre_of_pressure_exactly(forces):
    load = rows(CORNERS) @ np.array(forces)
    found = PressureMap(CORNERS).pressures(load)
    assert (found >= 0.0).all()
    assert np.allclose(rows(CORNERS) @ found, load, rtol=1e-6, atol=1e-6 * sum(forces))
    cop = np.array([-load[2], load[1]]) / load[0]
    assert np.allclose(centre_of_pressure(CORNERS, found), cop, atol=1e-6)
    assert np.linalg.norm(found) <= np.linalg.norm(forces) * (1.0 + 1e-6)


def test_beyond_the_points_the_total_stays_and_the_nearest_points_carry_it():
    load = np.array([40.0, 0.0, -40.0 * 0.10])  # 10 cm ahead, the points end at 7
    found = PressureMap(CORNERS).pressures(load)
    assert np.isclose(found.sum(), 40.0, rtol=1e-2)
    assert found[2:].max() < 1e-6
    assert np.isclose(found[0], found[1])


def test_a_lifted_sole_feels_nothing():
    assert not PressureMap(CORNERS).pressures(np.array([-1.0, 0.3, 0.1])).any()
    assert np.isnan(centre_of_pressure(CORNERS, np.zeros(4))).all()
