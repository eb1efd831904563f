"""The rotation vector, up to half a turn."""

import numpy as np
import pinocchio as pin
from hypothesis import given
from hypothesis import strategies as st

from poise.tasks.rotations import rotation_vector

small = st.floats(-12.0, -1.0).map(lambda power: 10.0**power)
angles = st.one_of(st.floats(0.0, np.pi), small, small.map(lambda gap: np.pi - gap))
units = st.floats(-1.0, 1.0)


@given(angles, units, units, units)
def test_it_turns_back_into_the_rotation(angle, x, y, z):
    axis = np.array([x, y, z]) + np.array([0.0, 0.0, 1e-3])
    R = pin.exp3(angle * axis / np.linalg.norm(axis))
    e = np.zeros(3)
    rotation_vector(R, e)
    assert np.abs(pin.exp3(e) - R).max() < 1e-11
    assert np.linalg.norm(e) <= np.pi + 1e-12
