"""The compiled inverse dynamics and all its derivatives are those of Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

from poise import load_robot
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.dynamics import Dynamics


@pytest.mark.parametrize("name", ["nao", "hrp2", "hoap3", "talos"])
def test_forces_slopes_and_frames_are_pinocchios(name):
    chart = Chart(load_robot(name))
    model, nv = chart.model, chart.nv
    data = model.createData()
    joints = (6, model.njoints - 1)
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 5, nv)) * np.array([0.7, 2.0, 10.0])[:, None, None]
    found = Dynamics(chart, joints)(q, v, a)
    for k in range(len(q)):
        pin.computeRNEADerivatives(model, data, q[k], v[k], a[k])
        for mine, theirs in (
            (found.tau[k], data.tau),
            (found.tau_by[k, 0], data.dtau_dq),
            (found.tau_by[k, 1], data.dtau_dv),
            (found.tau_by[k, 2], data.M),
            (found.Jt[k], data.J.T),
            *((found.R[j][k], data.oMi[j].rotation) for j in joints),
            *((found.p[j][k], data.oMi[j].translation) for j in joints),
        ):
            assert np.abs(mine - theirs).max() < 1e-11 * max(1.0, np.abs(theirs).max())
