"""Chains of joints at many instants against Pinocchio, one instant at a time."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poise.engines.imitate.clip_dynamics import body_tables, clip_dynamics
from poise.engines.imitate.limbs import limbs_of
from poise.engines.imitate.many_postures import rotation_vectors, rotations
from poise.engines.imitate.passing import separation
from poise.engines.imitate.whole_body import demand, derivatives
from poise.motion.marker_names import SIDES
from poise.robot import Robot, load_robot
from poise.robot.robot import BASE_Q


def random_postures(robot: Robot, count: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    q = np.array([pin.neutral(robot.model) for _ in range(count)])
    q[:, :3] = rng.normal(size=(count, 3))
    q[:, 3:7] = rng.normal(size=(count, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    q[:, BASE_Q:] = rng.uniform(robot.lower, robot.upper, (count, robot.na))
    return q


@pytest.mark.parametrize("name", ["nao", "g1"])
def test_legs_and_centres_are_where_pinocchio_puts_them(name: str) -> None:
    robot = load_robot(name)
    limbs, q = limbs_of(robot), random_postures(robot, 5)
    R = np.array([pin.Quaternion(*row[[6, 3, 4, 5]]).matrix() for row in q])
    centre, mass = limbs.joints.centre(limbs.joints.all, q[:, BASE_Q:])
    assert mass == pytest.approx(robot.mass)
    for side in SIDES:
        chain, foot = list(limbs.legs[side].chain), limbs.feet[side]
        columns = [limbs.joints.column(j) for j in chain]
        walked = limbs.joints.walk(chain, q[:, BASE_Q:][:, columns], R, q[:, :3])
        for k, row in enumerate(q):
            at = robot.at(row)
            assert np.allclose(walked.R[-1, k] @ foot.R, at.rotation(foot.part), atol=1e-12)
            place = walked.p[-1, k] + walked.R[-1, k] @ foot.p
            assert np.allclose(place, at.position(foot.part), atol=1e-12)
            assert np.allclose(q[k, :3] + R[k] @ centre[k], at.com, atol=1e-12)


@given(st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3))
def test_a_rotation_and_its_vector_are_the_same_thing(vector: list[float]) -> None:
    v = np.array([vector])
    assert np.allclose(rotation_vectors(rotations(v)), v, atol=1e-9)


@pytest.mark.parametrize("name", ["hrp2", "nao", "g1", "talos"])
def test_limbs_are_found_by_what_joints_do(name: str) -> None:
    robot = load_robot(name)
    limbs = limbs_of(robot)
    left, right = limbs.legs["left"], limbs.legs["right"]
    assert left.length == pytest.approx(right.length, rel=0.01)
    assert 0.3 * robot.height < limbs.leg_length + 0.1 * robot.height < 0.6 * robot.height
    knee = robot.joint_names[limbs.joints.column(left.chain[left.middle])].lower()
    assert "knee" in knee or knee.endswith(("joint3", "4_joint"))


def test_soles_that_touch_overlap_or_stand_apart() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert separation(square, square + [1.5, 0.2]) == pytest.approx(0.5)
    assert separation(square, square + [0.9, 0.3]) == pytest.approx(-0.1)


@pytest.mark.parametrize("name", ["nao", "g1"])
def test_a_clip_asks_for_what_pinocchio_says(name: str) -> None:
    robot = load_robot(name)
    q, rng = random_postures(robot, 4), np.random.default_rng(2)
    v, a = rng.normal(size=(2, 4, robot.nv))
    R = np.array([pin.Quaternion(*row[[6, 3, 4, 5]]).matrix() for row in q])
    wrench, torques, com = np.empty((4, 6)), np.empty((4, robot.na)), np.empty((4, 3))
    clip_dynamics(body_tables(limbs_of(robot).joints), q, R, v, a, wrench, torques, com)
    data = robot.model.createData()
    for k, row in enumerate(q):
        asked = pin.rnea(robot.model, data, row, v[k], a[k])
        force = R[k] @ asked[:3]
        moment = R[k] @ asked[3:6] + np.cross(row[:3], force)
        assert np.allclose(wrench[k], np.concatenate([force, moment]), atol=1e-9)
        assert np.allclose(torques[k], asked[6:], atol=1e-10)
        assert np.allclose(com[k], robot.at(row).com, atol=1e-12)


def test_what_the_ground_gives_is_weight_plus_inertia_that_shrinks_with_the_square_of_time() -> (
    None
):
    robot = load_robot("hrp2")
    t = np.arange(60) * 0.02
    q = np.tile(robot.half_sitting, (60, 1))
    q[:, 1] += 0.05 * (1.0 - np.cos(3.0 * t))
    fast, slow = demand(robot, q, 0.02), demand(robot, q, 0.05)
    assert np.allclose(fast.zmp(2.5)[2:-2], slow.zmp()[2:-2], atol=1e-9)
    com = robot.at(robot.half_sitting).com
    expected = com[1] + q[:, 1] - com[2] / 9.81 * derivatives(q, 0.02)[1][:, 1]
    assert np.allclose(fast.zmp()[1:-1, 1], expected[1:-1], atol=1e-6)
