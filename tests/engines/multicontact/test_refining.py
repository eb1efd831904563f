"""Finer splines: how many, and that the motion stays the same."""

import numpy as np
import pytest

from multicontact_helpers.small import everything
from poise.engines.multicontact.engine import CONTACT_LIMIT, MOST_SPANS, finer_spans
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.refining import refined
from poise.engines.multicontact.variables import Variables


@pytest.mark.parametrize("times", [(2, 1), (1, 2), (2, 3)])
def test_twice_or_three_times_the_spans_are_the_same_motion(times):
    problem, x = everything()
    spans = tuple(n * s for n, s in zip(times, problem.layout.spans, strict=True))
    fine = Layout(spans)
    u = problem.variables.unpack(x)
    v = Variables(problem.stage, fine, problem.chart.nv).unpack(refined(problem, x, spans))
    share = np.linspace(0.0, 1.0, 50)
    for p in range(fine.phases):
        was, now = problem.layout.basis(p, share, u.durations), fine.basis(p, share, v.durations)
        before, after = u.places[problem.layout.points(p)], v.places[fine.points(p)]
        assert np.abs(now.value @ after - was.value @ before).max() < 1e-9
        assert np.abs(now.bend @ after - was.bend @ before).max() < 1e-6


@pytest.mark.parametrize(("error", "spans"), [(0.5, 8), (2.0, 16), (50.0, 24), (1e4, 24)])
def test_spans_grow_with_the_fourth_root_of_the_error(error, spans):
    assert finer_spans(8, error * CONTACT_LIMIT) == spans
    assert finer_spans(MOST_SPANS + 6, error * CONTACT_LIMIT) == MOST_SPANS + 6
