"""Tables of frames: they follow Pinocchio's memory, and the loops over them agree with it."""

import numpy as np
import pinocchio as pin
import pytest

from poise.robot import load_robot, robot_names
from poise.robot.frames import write_jacobian, write_rates


def somewhere(robot, seed):
    random = np.random.default_rng(seed)
    q = pin.integrate(robot.model, robot.half_sitting, random.normal(scale=0.4, size=robot.nv))
    return q, random.normal(size=robot.nv)


@pytest.mark.parametrize("name", robot_names())
def test_loops_over_tables_agree_with_pinocchio_after_every_refresh(name):
    robot = load_robot(name)
    at = robot.at(robot.half_sitting)
    for seed in (1, 2):
        at.refresh(*somewhere(robot, seed))
        for part in robot.parts:
            frame = robot.frame_id(part)
            J, spin, drift = np.full((6, robot.nv), np.nan), np.zeros(3), np.zeros(6)
            write_jacobian(at.tables, frame, 0, J)
            write_rates(at.tables, frame, spin, drift)
            assert np.allclose(J, at.jacobian(part), atol=1e-12)
            assert np.allclose(spin, at.velocity(part)[3:], atol=1e-12)
            assert np.allclose(drift, at.drift(part), atol=1e-10)


def test_some_rows_are_the_same_rows():
    robot = load_robot("nao")
    at = robot.at(*somewhere(robot, 3))
    frame, J = robot.frame_id("left_hand"), np.zeros((3, robot.nv))
    write_jacobian(at.tables, frame, 3, J)
    assert np.allclose(J, at.jacobian("left_hand")[3:], atol=1e-12)


def test_what_concerns_the_whole_body_follows_too():
    robot = load_robot("hoap3")
    at = robot.at(robot.half_sitting)
    com, momentum, drift, matrix = at.body
    q, v = somewhere(robot, 4)
    at.refresh(q, v)
    fresh = robot.at(q, v)
    assert np.array_equal(com, fresh.com)
    assert np.array_equal(momentum, fresh.data.hg.vector)
    assert np.array_equal(drift, fresh.data.dhg.vector)
    assert np.allclose(matrix @ v, momentum, atol=1e-10)
