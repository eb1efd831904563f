"""Distances of some pairs, read where Pinocchio keeps them."""

import numpy as np
import pinocchio as pin

from multicontact_helpers.small import everything


def test_what_is_read_is_what_pinocchio_tells():
    problem, x = everything()
    obstacles, chart = problem.obstacles, problem.chart
    q = problem.variables.unpack(x).places[2]
    pairs = list(range(0, len(obstacles.pairs), 7))
    data = chart.model.createData()
    pin.forwardKinematics(chart.model, data, q)
    meter = obstacles.meter(pairs)
    out, asked = np.empty((2, len(pairs), 9))
    meter(data, out)
    meter._ask(asked)
    assert np.array_equal(out, asked)
    along = ((out[:, 6:] - out[:, 3:6]) * out[:, :3]).sum(axis=1)
    assert np.abs(along - obstacles.distances(pairs, q[None])[0]).max() < 1e-5
    assert np.abs(along - [result.min_distance for result in meter._results]).max() < 1e-9
