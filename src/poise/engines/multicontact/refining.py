"""The same motion on finer splines."""

from __future__ import annotations

import numpy as np

from poise.engines.multicontact.layout import DEGREE, Layout
from poise.engines.multicontact.problem import Problem
from poise.engines.multicontact.variables import Unpacked, Variables
from poise.trajectories.spline_maps import basis_matrix


def refined(problem: Problem, x: np.ndarray, spans: tuple[int, ...]) -> np.ndarray:
    """A point of the program with other numbers of spans, the same motion or the nearest one."""
    u = problem.variables.unpack(x)
    fine = Layout(spans)
    places = np.empty((fine.count, problem.chart.nv))
    control = problem.layout.control_points(u.places, u.durations)
    for p, (old, new) in enumerate(zip(problem.layout.spans, spans, strict=True)):
        share = np.linspace(0.0, 1.0, 8 * new + 1)
        samples = basis_matrix(old, share, DEGREE).toarray() @ control[p]
        B = basis_matrix(new, share, DEGREE).toarray()
        points = np.linalg.lstsq(B, samples, rcond=None)[0]
        own = fine.own(p)
        if p == 0:
            places[0] = points[0]
            own = own[1:]
        places[own] = points[3 : 3 + len(own)]
        if p == fine.phases - 1:
            places[-1] = points[-1]
    variables = Variables(problem.stage, fine, problem.chart.nv)
    return variables.pack(Unpacked(places, u.durations, u.log_beta, u.floats))
