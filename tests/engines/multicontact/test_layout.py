"""Splines of several phases are one smooth curve, whatever the free control points are."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.engines.multicontact.layout import Layout
from poise.errors import BadInput
from poise.trajectories.bsplines import BSpline

spans = st.lists(st.integers(4, 9), min_size=1, max_size=4)


def curves(layout: Layout, places: np.ndarray, durations: np.ndarray) -> list[BSpline]:
    ends = np.concatenate([[0.0], np.cumsum(durations)])
    control = layout.control_points(places, durations)
    return [BSpline.uniform(a, b, c) for a, b, c in zip(ends[:-1], ends[1:], control, strict=True)]


@settings(max_examples=25, deadline=None)
@given(spans, st.integers(0, 1000))
def test_position_velocity_and_acceleration_go_on_where_phases_meet(spans, seed):
    rng = np.random.default_rng(seed)
    layout = Layout(tuple(spans))
    durations = rng.uniform(0.5, 2.0, len(spans))
    found = curves(layout, rng.normal(size=(layout.count, 3)), durations)
    for before, after in pairwise(found):
        t = after.start
        assert np.abs(before(t) - after(t)).max() < 1e-10
        assert np.abs(before.rate(t) - after.rate(t)).max() < 1e-10
        assert np.abs(before.rate.rate(t) - after.rate.rate(t)).max() < 1e-8


@settings(max_examples=20, deadline=None)
@given(spans, st.integers(0, 1000))
def test_motions_start_and_end_at_rest(spans, seed):
    rng = np.random.default_rng(seed)
    layout = Layout(tuple(spans))
    durations = rng.uniform(0.5, 2.0, len(spans))
    found = curves(layout, rng.normal(size=(layout.count, 2)), durations)
    for curve, t in ((found[0], 0.0), (found[-1], found[-1].end)):
        assert np.abs(curve.rate(t)).max() < 1e-10
        assert np.abs(curve.rate.rate(t)).max() < 1e-8


def test_limits_on_control_points_hold_at_all_times():
    rng = np.random.default_rng(3)
    layout, durations = Layout((6, 5)), np.array([0.8, 1.1])
    for curve in curves(layout, rng.uniform(-1.0, 1.0, size=(layout.count, 4)), durations):
        t = np.linspace(curve.start, curve.end, 10_000)
        low, high = curve.hull
        assert (curve(t) >= low - 1e-12).all()
        assert (curve(t) <= high + 1e-12).all()
        low, high = curve.rate.hull
        assert (curve.rate(t) >= low - 1e-9).all()
        assert (curve.rate(t) <= high + 1e-9).all()


def test_the_basis_is_that_of_the_control_points():
    rng = np.random.default_rng(4)
    layout, durations = Layout((5, 7)), np.array([0.8, 1.3])
    places = rng.normal(size=(layout.count, 3))
    found = curves(layout, places, durations)
    share = np.linspace(0.0, 1.0, 23)
    for p, curve in enumerate(found):
        basis = layout.basis(p, share, durations)
        t = curve.start + share * durations[p]
        mine = places[layout.points(p)]
        assert np.abs(basis.value @ mine - curve(t)).max() < 1e-10
        assert np.abs(basis.rate @ mine - curve.rate(t)).max() < 1e-9
        assert np.abs(basis.bend @ mine - curve.rate.rate(t)).max() < 1e-8


def test_every_free_point_is_in_some_phase():
    layout = Layout((4, 6, 5))
    used = np.unique(np.concatenate([layout.points(p) for p in range(3)]))
    assert used.tolist() == list(range(layout.count))


def test_too_few_spans_are_refused():
    with pytest.raises(BadInput, match="spans"):
        Layout((3,))
