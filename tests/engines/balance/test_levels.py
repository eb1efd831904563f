"""Strict levels on the robot seen from its foot."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from poise.engines.balance import BalanceController, BalanceOptions
from poise.engines.balance.comfort import ComfortSlope
from poise.engines.balance.levels import LevelMemory, leave, ranked_rates
from poise.engines.balance.rooted import Rooted
from poise.engines.balance.start import standing_posture
from poise.robot import load_robot
from poise.robot.quaternion import quat_of
from poise.robot.robot import BASE_Q
from poise.solvers.damped import UNDAMPED
from poise.solvers.hierarchy import solve_regular
from poise.tasks import CenterOfMass, FramePose, FramePosition, Task


@pytest.fixture(scope="module")
def robot():
    return load_robot("hoap3")


@pytest.fixture
def rooted(robot):
    one = Rooted(robot, "left_foot")
    one.refresh(standing_posture(robot, np.deg2rad(20.0))[BASE_Q:])
    return one


def levels_of(rooted: Rooted, shift=0.01):
    right, com = rooted.at.pose("right_foot"), rooted.at.com
    right.translation = right.translation + 0.5 * shift
    tasks = [
        [Task("feet", FramePose("right_foot", right), 1.0, 1.0)],
        [Task("com", CenterOfMass(com + shift), 1.0, 1.0)],
    ]
    memory = LevelMemory(rooted)
    return memory, memory.write(tasks)


def test_the_rotation_vector_survives_a_round_trip_everywhere() -> None:
    random = np.random.default_rng(0)
    for angle in (0.0, 1e-9, 1e-4, 1.0, 3.0, np.pi - 1e-4):
        for _ in range(50):
            axis = random.normal(size=3)
            w = angle * axis / np.linalg.norm(axis)
            np.testing.assert_allclose(pin.log3(pin.exp3(w)), w, atol=1e-9)
    assert np.isfinite(pin.log3(np.eye(3))).all()
    assert np.linalg.norm(pin.log3(np.diag([1.0, -1.0, -1.0]))) == pytest.approx(np.pi)


@pytest.mark.parametrize("name", ["hoap3", "nao", "talos"])
def test_jacobians_by_joints_are_those_of_finite_differences(name: str) -> None:
    robot = load_robot(name)
    rooted = Rooted(robot, "left_foot")
    joints = robot.half_sitting[BASE_Q:].copy()
    rooted.refresh(joints)
    J = rooted.reduced(rooted.at.com_jacobian, np.zeros((3, robot.na)))
    np.testing.assert_allclose(rooted.at.position("left_foot"), 0.0, atol=1e-12)
    com, h = rooted.see(joints).copy(), 1e-6
    for k in range(0, robot.na, 3):
        moved = joints.copy()
        moved[k] += h
        np.testing.assert_allclose((rooted.see(moved) - com) / h, J[:, k], atol=2e-6)


def test_the_projector_is_one_and_sees_neither_feet_nor_mass(rooted) -> None:
    _, levels = levels_of(rooted)
    found = ranked_rates(levels, np.zeros(rooted.robot.na), UNDAMPED)
    P, (J_feet, _), (J_com, _) = found.projector, *levels
    np.testing.assert_allclose(P @ P, P, atol=1e-10)
    np.testing.assert_allclose(P, P.T, atol=1e-10)
    np.testing.assert_allclose(J_feet @ P, 0.0, atol=1e-10)
    np.testing.assert_allclose(J_com @ P, 0.0, atol=1e-10)
    np.testing.assert_allclose(J_feet @ found.x, levels[0].e, atol=1e-12)
    np.testing.assert_allclose(J_com @ found.x, levels[1].e, atol=1e-12)


def test_the_recursion_is_that_of_siciliano_and_slotine(rooted) -> None:
    _, levels = levels_of(rooted)
    wish = np.random.default_rng(1).normal(size=rooted.robot.na)
    (J1, e1), (J2, e2) = levels
    q1 = np.linalg.pinv(J1) @ e1
    P1 = np.eye(len(wish)) - np.linalg.pinv(J1) @ J1
    J2P1 = J2 @ P1
    inverse = np.linalg.pinv(J2P1, rcond=1e-9)
    q2 = q1 + inverse @ (e2 - J2 @ q1)
    q3 = q2 + (P1 - inverse @ J2P1) @ wish
    np.testing.assert_allclose(ranked_rates(levels, wish, UNDAMPED).x, q3, atol=1e-9)


@pytest.mark.parametrize("name", ["hoap3", "nao", "talos"])
def test_one_factorisation_serves_regular_levels_as_the_recursion_does(name: str) -> None:
    robot = load_robot(name)
    one = Rooted(robot, "left_foot")
    one.refresh(robot.half_sitting[BASE_Q:])
    memory, levels = levels_of(one)
    wish = np.random.default_rng(1).normal(size=robot.na)
    fast = solve_regular(memory.J, memory.e, wish, UNDAMPED)
    np.testing.assert_allclose(fast, ranked_rates(levels, wish, UNDAMPED).x, atol=1e-10)
    memory.J[-1] = memory.J[-2]  # two rows that ask for different things of the same motion
    assert solve_regular(memory.J, memory.e, wish, UNDAMPED) is None


def test_inverting_the_projector_as_printed_would_ruin_the_tasks(rooted) -> None:
    _, levels = levels_of(rooted)
    found = ranked_rates(levels, np.zeros(rooted.robot.na), UNDAMPED)
    wish = np.random.default_rng(1).normal(size=rooted.robot.na)
    # the projector is found to rounding error; its pseudo-inverse by numbers is not a projector
    (J1, _), (J2, _) = levels
    inverse = np.linalg.pinv(J1)
    P1 = np.eye(len(wish)) - inverse @ J1
    P = P1 - np.linalg.pinv(J2 @ P1, rcond=1e-9) @ (J2 @ P1)
    literal = np.linalg.pinv(P, rcond=0.0) @ wish
    good = found.projector @ wish
    assert np.abs(J1 @ good).max() < 1e-12
    assert np.abs(J1 @ literal).max() > 1.0


def test_random_lower_levels_do_not_move_the_feet(robot) -> None:
    controller = BalanceController(robot, BalanceOptions(feedback="none"))
    random, rooted = np.random.default_rng(2), controller.rooted
    for _ in range(50):
        rooted.refresh(controller.stance.joints + 0.05 * random.normal(size=robot.na))
        _, levels = levels_of(rooted, shift=0.0)
        levels[1].e[:] = random.normal(size=3)
        rates = ranked_rates(levels, random.normal(size=robot.na)).x
        assert np.abs(levels[0].J @ rates).max() < 1e-6


def test_comfort_comes_nearer_all_the_time_and_the_printed_sign_runs_away(robot) -> None:
    random = np.random.default_rng(3)
    start = standing_posture(robot)[BASE_Q:]
    for sign, nearer in ((1.0, True), (-1.0, False)):
        rooted = Rooted(robot, "left_foot")
        joints = np.clip(start + 0.1 * random.normal(size=robot.na), robot.lower, robot.upper)
        slope = ComfortSlope(robot, start, 1.0)
        rooted.refresh(joints)
        distances = [slope.potential(joints)]
        for _ in range(60):
            rooted.refresh(joints)
            _, levels = levels_of(rooted, shift=0.0)
            for level in levels:
                level.e[:] = 0.0
            joints = joints + 0.02 * ranked_rates(levels, sign * slope.rates(joints)).x
            distances.append(slope.potential(joints))
        steps = np.diff(distances)
        assert (steps < 0.0).all() if nearer else (steps > 0.0).all()


def test_levels_are_their_tasks_by_joints_alone_below_the_couplings() -> None:
    nao = load_robot("nao")
    rooted = Rooted(nao, "left_foot")
    rooted.refresh(standing_posture(nao)[BASE_Q:])
    at, twist = rooted.at, np.array([0.1, -0.2, 0.3, 0.0, 0.1, 0.2])
    feet = Task("feet", FramePose("right_foot", pin.SE3.Identity(), twist), 1.0, 10.0)
    hand = Task("hand", FramePosition("left_hand", np.ones(3)), 4.0, 3.0)
    com = Task("com", CenterOfMass(np.zeros(3), np.full(3, 0.1)), 0.25, 5.0)
    memory = LevelMemory(rooted)
    for stack in ([[feet], [hand, com]], [[feet, com], [hand]]):
        couplings, *levels = memory.write(stack)
        np.testing.assert_array_equal(couplings.J, rooted.coupled)
        np.testing.assert_array_equal(couplings.e, 0.0)
        for level, tasks in zip(levels, stack, strict=True):
            pictures = [(task, task.residual.linearize(at)) for task in tasks]
            J = [t.weight**0.5 * p.jacobian for t, p in pictures]
            e = [-(t.weight**0.5) * (t.gain * p.error + p.flow) for t, p in pictures]
            rows = np.vstack(J)
            by_joints = rooted.reduced(rows, np.zeros((len(rows), nao.na)))
            np.testing.assert_allclose(level.J, by_joints, atol=1e-12)
            np.testing.assert_allclose(level.e, np.concatenate(e), atol=1e-12)
        np.testing.assert_array_equal(memory.first_error, feet.residual.linearize(at).error)


@pytest.mark.parametrize("name", ["hoap3", "nao"])
def test_the_vertical_is_told_by_the_imu_and_the_joints(name: str) -> None:
    robot = load_robot(name)
    rooted, random = Rooted(robot, "left_foot"), np.random.default_rng(6)
    joints = robot.half_sitting[BASE_Q:] + 0.2 * random.normal(size=robot.na)
    rooted.see(joints)
    R_world_imu = pin.exp3(random.normal(size=3))
    at = robot.at(np.r_[np.zeros(3), 0.0, 0.0, 0.0, 1.0, joints])
    R_imu_root = at.rotation(rooted.imu).T @ at.rotation("left_foot")
    up = rooted.up(quat_of(R_world_imu))
    np.testing.assert_allclose(up, (R_world_imu @ R_imu_root).T[:, 2], atol=1e-12)


def test_joints_that_would_leave_their_range_are_named_unless_held() -> None:
    rates, joints = np.array([1.0, -1.0, 3.0, 0.0]), np.array([0.0, 0.0, 0.0, 5.0])
    held, beyond = np.array([False, False, False, True]), np.zeros(4, dtype=bool)
    for dt, wanted in ((0.1, [0, 0, 0, 0]), (0.5, [0, 0, 1, 0]), (1.5, [1, 1, 1, 0])):
        assert leave(rates, joints, dt, -np.ones(4), np.ones(4), held, beyond) == any(wanted)
        assert beyond.tolist() == [bool(k) for k in wanted]
