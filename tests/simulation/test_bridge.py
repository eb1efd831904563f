import numpy as np
import pinocchio as pin
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from poise.simulation.bridge import crossed, q_of, qpos_of, qvel_of, rotated, tilt_between, v_of

unhurried = settings(deadline=None)  # a shared machine may stop for a while
numbers = st.floats(-3.0, 3.0)
vectors = hnp.arrays(float, 3, elements=numbers)


@st.composite
def states(draw, joints=4):
    q = draw(hnp.arrays(float, 7 + joints, elements=numbers))
    quat = q[3:7]
    q[3:7] = quat / np.linalg.norm(quat) if np.linalg.norm(quat) > 0.1 else [0, 0, 0, 1]
    return q, draw(hnp.arrays(float, 6 + joints, elements=numbers))


@unhurried
@given(states())
def test_a_state_comes_back_as_it_went(state):
    q, v = state
    assert np.array_equal(q_of(qpos_of(q)), q)
    assert np.allclose(v_of(q, qvel_of(q, v)), v, atol=1e-12)


@unhurried
@given(states())
def test_the_base_velocity_is_turned_into_world_axes_and_nothing_else_changes(state):
    q, v = state
    R = pin.Quaternion(q[3:7]).matrix()
    qvel = qvel_of(q, v)
    assert np.allclose(qvel[:3], R @ v[:3], atol=1e-12)
    assert np.array_equal(qvel[3:], v[3:])
    assert np.array_equal(qpos_of(q)[3:7], np.roll(q[3:7], 1))


def test_many_states_go_at_once_as_one_by_one():
    random = np.random.default_rng(1)
    q, v = random.normal(size=(5, 2, 11)), random.normal(size=(5, 2, 10))
    q[..., 3:7] /= np.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
    together = qvel_of(q, v)
    assert np.allclose(together[3, 1], qvel_of(q[3, 1], v[3, 1]))
    assert np.allclose(v_of(q, together), v)
    assert np.array_equal(q_of(qpos_of(q)), q)


@unhurried
@given(vectors, vectors)
def test_cross_products_are_those_of_numpy(a, b):
    assert np.allclose(crossed(a, b), np.cross(a, b), atol=1e-12)


@unhurried
@given(states(), vectors)
def test_a_turned_vector_is_that_of_the_rotation_matrix(state, vector):
    quat = state[0][3:7]
    assert np.allclose(rotated(quat, vector), pin.Quaternion(quat).matrix() @ vector, atol=1e-9)


@unhurried
@given(st.floats(0.0, 3.1), st.floats(-3.0, 3.0))
def test_tilt_counts_leaning_and_not_turning(lean, turn):
    upright = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, 0.0, turn)).coeffs()
    leaning = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, lean, 0.0)).coeffs()
    assert np.isclose(tilt_between(leaning, upright), lean, atol=1e-9)
