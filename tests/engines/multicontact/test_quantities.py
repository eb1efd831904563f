"""Friction of a contact as a whole."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from poise.engines.multicontact.quantities import rubs_of
from poise.engines.multicontact.stage import Hold

SOLE = np.array([[-0.1, -0.05, 0.0], [0.1, -0.05, 0.0], [0.1, 0.05, 0.0], [-0.1, 0.05, 0.0]])
HOLD = Hold(
    "foot", "foot", 1, pin.SE3.Identity(), pin.SE3.Identity(), pin.SE3.Identity(), SOLE, 0.5,
    np.arange(3),
)  # fmt: skip


def test_forces_along_the_surface_add_up_and_moments_count_at_the_mean_distance():
    (rub,) = rubs_of(HOLD)
    radius = np.hypot(0.1, 0.05)
    forces = np.random.default_rng(0).normal(size=(4, 3))
    moment = np.cross(SOLE, forces)[:, 2].sum()
    found = rub.slides @ forces.ravel()
    assert found == pytest.approx([forces[:, 0].sum(), forces[:, 1].sum(), moment / radius])
    assert rub.presses @ forces.ravel() == pytest.approx(forces[:, 2].sum())


def test_one_point_has_no_moment():
    (rub,) = rubs_of(replace(HOLD, points=np.zeros((1, 3))))
    assert np.array_equal(rub.slides, [[1, 0, 0], [0, 1, 0], [0, 0, 0]])


def test_points_of_a_contact_whose_yaw_is_free_rub_one_by_one():
    found = rubs_of(replace(HOLD, free=("yaw",), reach={"yaw": (-1.0, 1.0)}))
    assert [rub.name for rub in found] == [f"foot point {k}" for k in range(4)]
    assert all(rub.presses.sum() == 1.0 for rub in found)
