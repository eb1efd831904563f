import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from poise.errors import BadInput
from poise.solvers.polytope import (
    area,
    centroid,
    clip,
    convex_hull,
    half_planes,
    inset,
    intersection,
    signed_distance,
)

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
coordinate = st.floats(-10, 10, allow_nan=False)
clouds = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=25).map(np.array)
seeds = st.integers(0, 10**6)


def round_polygon(seed):
    rng = np.random.default_rng(seed)
    return convex_hull(rng.normal(size=(int(rng.integers(3, 15)), 2)))


@settings(max_examples=80, deadline=None)
@given(clouds)
def test_the_hull_turns_left_at_every_corner_and_holds_every_point(points):
    hull = convex_hull(points)
    size = max(np.ptp(points, axis=0).max(), 1e-90)
    assert signed_distance(points, hull).min() > -1e-9 * size
    assert all(any(np.array_equal(corner, p) for p in points) for corner in hull)
    if len(hull) >= 3:
        edges = np.roll(hull, -1, axis=0) - hull
        after = np.roll(edges, -1, axis=0)
        assert np.all(edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0] > 0)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_the_hull_is_that_of_another_program(seed):
    points = np.random.default_rng(seed).normal(size=(20, 2))
    hull, other = convex_hull(points), ConvexHull(points)
    assert len(hull) == len(other.vertices)
    assert area(hull) == pytest.approx(other.volume)


def test_flat_hulls_are_points_and_segments():
    assert convex_hull(np.array([[1.0, 2.0]] * 3)).tolist() == [[1, 2]]
    assert convex_hull(np.array([[2.0, 2], [0, 0], [1, 1]])).tolist() == [[0, 0], [2, 2]]
    assert convex_hull(np.array([[0.0, 1], [0, 3], [0, 2]])).tolist() == [[0, 1], [0, 3]]
    assert convex_hull(np.zeros((0, 2))).shape == (0, 2)
    assert len(convex_hull(np.vstack([SQUARE, SQUARE, [[0.5, 0.0]]]))) == 4


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_the_signed_distance_is_that_of_the_nearest_point(seed):
    polygon = round_polygon(seed)
    points = 2 * np.random.default_rng(seed + 1).normal(size=(30, 2))
    s = np.linspace(0, 1, 400)[:, None, None]
    border = (polygon + s * (np.roll(polygon, -1, axis=0) - polygon)).reshape(-1, 2)
    brute = np.linalg.norm(points[:, None] - border, axis=-1).min(axis=1)
    distance = signed_distance(points, polygon)
    np.testing.assert_allclose(np.abs(distance), brute, atol=0.02)
    normals, offsets = half_planes(polygon)
    inside = np.all(points @ normals.T <= offsets, axis=1)
    np.testing.assert_array_equal(distance >= 0, inside)


def test_signed_distances_in_closed_form():
    points = np.array([[0.5, 0.5], [0.5, 0.1], [0.5, 0.0], [2.0, 0.5], [4.0, 5.0], [-3.0, -4.0]])
    expected = [0.5, 0.1, 0.0, -1.0, -5.0, -5.0]
    np.testing.assert_allclose(signed_distance(points, SQUARE), expected, atol=1e-15)
    assert signed_distance(points.reshape(2, 3, 2), SQUARE).shape == (2, 3)
    assert signed_distance(np.array([0.5, 0.25]), SQUARE) == pytest.approx(0.25)
    segment = np.array([[0.0, 0.0], [2.0, 0.0]])
    flat = signed_distance(np.array([[1.0, 0.0], [1.0, 1.0], [5.0, 4.0]]), segment)
    np.testing.assert_allclose(flat, [0.0, -1.0, -5.0], atol=1e-15)
    assert signed_distance(np.array([3.0, 4.0]), np.zeros((1, 2))) == pytest.approx(-5.0)
    assert signed_distance(np.zeros(2), np.zeros((0, 2))) == -np.inf


@pytest.mark.parametrize("polygon", [SQUARE, SQUARE[:1], SQUARE[:2], SQUARE[:3]])
def test_half_planes_hold_exactly_the_polygon(polygon):
    normals, offsets = half_planes(polygon)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    grid = np.stack(np.meshgrid(np.linspace(-1, 2, 31), np.linspace(-1, 2, 31)), -1).reshape(-1, 2)
    inside = np.all(grid @ normals.T <= offsets + 1e-9, axis=1)
    np.testing.assert_array_equal(inside, signed_distance(grid, polygon) >= -1e-9)


@settings(max_examples=60, deadline=None)
@given(seeds, st.floats(0.01, 0.6))
def test_an_inset_is_the_set_of_points_that_deep(seed, margin):
    polygon = round_polygon(seed)
    inner = inset(polygon, margin)
    if len(inner):
        np.testing.assert_allclose(signed_distance(inner, polygon), margin, atol=1e-9)
    points = np.random.default_rng(seed + 1).normal(size=(200, 2))
    deep = signed_distance(points, polygon) > margin
    np.testing.assert_array_equal(deep, signed_distance(points, inner) > 0)


@settings(max_examples=40, deadline=None)
@given(seeds, st.floats(0.01, 0.3))
def test_widening_and_then_shrinking_gives_the_polygon_back(seed, margin):
    polygon = round_polygon(seed)
    wide = inset(polygon, -margin)
    assert area(wide) > area(polygon)
    again = inset(wide, margin)
    np.testing.assert_allclose(area(again), area(polygon), rtol=1e-9)
    np.testing.assert_allclose(signed_distance(again, polygon), 0.0, atol=1e-8)


def test_insets_of_a_square_in_closed_form():
    np.testing.assert_allclose(inset(SQUARE, 0.25), 0.25 + 0.5 * SQUARE)
    np.testing.assert_allclose(inset(SQUARE, 0.5), [[0.5, 0.5]])
    assert inset(SQUARE, 0.51).shape == (0, 2)
    np.testing.assert_allclose(inset(SQUARE, -1.0), 3 * SQUARE - 1)
    assert inset(SQUARE[:2], 0.1).shape == (0, 2)
    assert area(inset(SQUARE[:2], -0.5)) == pytest.approx(2.0)
    assert area(inset(SQUARE[:1], -0.5)) == pytest.approx(1.0)


def test_intersections():
    assert area(intersection(SQUARE, SQUARE + 0.5)) == pytest.approx(0.25)
    np.testing.assert_allclose(intersection(SQUARE, SQUARE + 1.0), [[1.0, 1.0]])
    assert len(intersection(SQUARE, SQUARE + 2.0)) == 0
    assert area(clip(SQUARE, np.array([1.0, 0.0]), 0.25)) == pytest.approx(0.25)
    np.testing.assert_allclose(intersection(SQUARE, np.array([[0.3, 0.4]])), [[0.3, 0.4]])


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_the_centroid_moves_with_the_polygon_and_balances_it(seed):
    polygon = round_polygon(seed)
    c = centroid(polygon)
    np.testing.assert_allclose(centroid(polygon + [3.0, -2.0]), c + [3.0, -2.0], atol=1e-9)
    half = clip(polygon, np.array([1.0, 0.0]), float(c[0]))
    other = clip(polygon, np.array([-1.0, 0.0]), -float(c[0]))
    moment = area(half) * (centroid(half)[0] - c[0]) + area(other) * (centroid(other)[0] - c[0])
    assert moment == pytest.approx(0.0, abs=1e-9)


def test_centroids_in_closed_form():
    np.testing.assert_allclose(centroid(SQUARE), [0.5, 0.5])
    np.testing.assert_allclose(centroid(SQUARE[:3]), [2 / 3, 1 / 3])
    np.testing.assert_allclose(centroid(SQUARE[:2]), [0.5, 0.0])


def test_bad_points_are_refused():
    with pytest.raises(BadInput, match="convex_hull"):
        convex_hull(np.array([[0.0, np.nan]]))
    with pytest.raises(BadInput, match="at least one corner"):
        half_planes(np.zeros((0, 2)))
