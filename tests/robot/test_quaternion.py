"""Quaternions of rotation matrices: the right ones, and nothing is lost on the way."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from heap import heap
from poise.robot.quaternion import quat_of


def test_a_quaternion_turns_as_its_matrix_does():
    random = np.random.default_rng(1)
    for _ in range(50):
        R = pin.exp3(3.0 * random.normal(size=3))
        np.testing.assert_allclose(pin.Quaternion(quat_of(R)).matrix(), R, atol=1e-12)


def test_a_thousand_quaternions_need_no_more_memory_than_one():
    R = pin.exp3(np.array([0.1, 0.2, 0.3]))
    for _ in range(10):
        quat_of(R)
    before = heap()
    for _ in range(1000):
        quat_of(R)
    assert heap() - before < 10_000  # [bytes]
