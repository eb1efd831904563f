"""Velocities and accelerations of paths whose derivatives are known."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.checks.derivatives import path_derivatives, steps


def screw(time: np.ndarray, spin: float, lift: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A base that turns about z while it goes round a circle and up, and one swinging joint."""
    q = np.zeros((len(time), 8))
    v, a = np.zeros((len(time), 7)), np.zeros((len(time), 7))
    for k, t in enumerate(time):
        R = pin.rpy.rpyToMatrix(0.0, 0.0, spin * t)
        q[k, :3] = [np.cos(t), np.sin(t), lift * t**2]
        q[k, 3:7] = pin.Quaternion(R).coeffs()
        q[k, 7] = np.sin(2.0 * t)
        v[k, :3] = R.T @ [-np.sin(t), np.cos(t), 2.0 * lift * t]
        v[k, 5], v[k, 6] = spin, 2.0 * np.cos(2.0 * t)
        a[k, :3] = R.T @ [-np.cos(t), -np.sin(t), 2.0 * lift] - np.cross(v[k, 3:6], v[k, :3])
        a[k, 6] = -4.0 * np.sin(2.0 * t)
    return q, v, a


@settings(max_examples=20, deadline=None)
@given(st.floats(-3.0, 3.0), st.floats(-1.0, 1.0))
def test_a_screw_has_the_velocity_and_acceleration_of_a_screw(spin: float, lift: float) -> None:
    time = np.arange(0.0, 1.0, 0.005)
    q, v, a = screw(time, spin, lift)
    found_v, found_a = path_derivatives(time, q, window=0.02)
    inner = slice(3, -3)
    assert np.abs(found_v - v)[inner].max() < 1e-3
    assert np.abs(found_a - a)[inner].max() < 1e-2
    assert np.abs(found_a - a).max() < 0.2  # at the ends the parabola looks one way only


def test_uneven_instants_do_not_matter() -> None:
    rng = np.random.default_rng(2)
    time = np.cumsum(rng.uniform(0.003, 0.007, 200))
    q, v, a = screw(time, 1.0, 0.5)
    found_v, found_a = path_derivatives(time, q, window=0.02)
    assert np.abs(found_v - v)[3:-3].max() < 2e-3
    assert np.abs(found_a - a)[3:-3].max() < 0.1


def test_the_acceleration_agrees_with_inverse_dynamics_of_a_free_fall() -> None:
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    model.appendBodyToJoint(joint, pin.Inertia.FromSphere(2.0, 0.1), pin.SE3.Identity())
    time = np.arange(0.0, 0.4, 0.005)
    rows = []
    for t in time:
        R = pin.exp3(np.array([1.0, -2.0, 0.5]) * t)  # a sphere spins steadily about any axis
        p = np.array([0.3 * t, -0.2 * t, 1.0 + t - 0.5 * 9.81 * t**2])
        rows.append(np.concatenate([p, pin.Quaternion(R).coeffs()]))
    q = np.array(rows)
    v, a = path_derivatives(time, q, window=0.02)
    data = model.createData()
    for k in range(len(time)):
        assert np.abs(pin.rnea(model, data, q[k], v[k], a[k])).max() < 1e-6


def test_a_break_keeps_a_step_of_the_acceleration() -> None:
    time = np.arange(0.0, 1.0, 0.005)
    q = np.zeros((len(time), 7))
    q[:, 6] = 1.0
    q[:, 2] = np.where(time < 0.5, 0.0, -0.5 * 9.81 * (time - 0.5) ** 2)
    row = int(np.searchsorted(time, 0.5))
    _, smeared = path_derivatives(time, q, window=0.02)
    _, sharp = path_derivatives(time, q, window=0.02, breaks=[row])
    assert np.abs(sharp[row:, 2] + 9.81).max() < 1e-6
    assert np.abs(smeared[row, 2] + 9.81) > 1.0


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_instants_have_no_derivatives(count: int) -> None:
    time = np.arange(count) * 0.01
    q = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.3], (count, 1))
    v, a = path_derivatives(time, q, window=0.02)
    assert v.shape == a.shape == (count, 7)
    assert not v.any() and not a.any()


def test_steps_add_up_to_the_way() -> None:
    time = np.arange(0.0, 1.0, 0.01)
    q, _, _ = screw(time, 1.5, 0.2)
    way = steps(time, q)
    assert np.allclose(way[:, 6].sum(), q[-1, 7] - q[0, 7])
    assert np.allclose(way[:, 5].sum(), 1.5 * time[-1])
