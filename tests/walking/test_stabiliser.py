"""The stabiliser: it knows where the robot is, moves the mass only, and helps in physics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import poise
from poise.door import standing
from poise.motion import Motion, Player
from poise.motion.rollout import IdealWorld, Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V
from poise.simulation import Push, SimulationOptions, run
from poise.walking.estimating import Estimator, Felt
from poise.walking.follow import FollowMotion, centre_of_mass_and_zmp
from poise.walking.shifting import BodyShift, FootShift
from poise.walking.stabiliser import Reference, Stabiliser

ROBOTS = ("hrp2", "nao", "talos")


def _standing_feet(robot: Robot, q: np.ndarray) -> dict[str, pin.SE3]:
    at = robot.at(q)
    return {part: at.pose(part) for part in robot.feet}


def _felt_when_at(robot: Robot, q: np.ndarray, v: np.ndarray) -> Observation:
    """What an ideal robot feels at a state, with its weight on the origins of its feet."""
    at = robot.at(q, v)
    imu = next(s for s in robot.sensors if s.kind == "imu")
    R = at.pose(imu.link).rotation
    spin = at.velocity(imu.link)[3:]
    load = np.array([0.0, 0.0, 0.5 * robot.weight, 0.0, 0.0, 0.0])
    return Observation(
        0.0,
        q[BASE_Q:],
        v[BASE_V:],
        np.zeros(robot.na),
        pin.Quaternion(R).coeffs(),
        imu.T_link_sensor.rotation.T @ R.T @ spin,
        np.zeros(3),
        wrenches={part: load for part in robot.feet},
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_knows_where_its_mass_is_from_joints_and_imu_alone(name: str) -> None:
    robot = poise.load_robot(name)
    random = np.random.default_rng(1)
    estimator = Estimator(robot)
    for _ in range(5):
        delta = np.r_[0.0, 0.0, 0.0, 0.05 * random.standard_normal(3), np.zeros(robot.na)]
        delta[BASE_V:] = 0.02 * random.standard_normal(robot.na)
        q = robot.coupled(pin.integrate(robot.model, robot.half_sitting, delta))
        stance = _standing_feet(robot, q)
        # a velocity with both soles at rest
        J = np.vstack([robot.at(q).jacobian(part) for part in robot.feet] + [robot.coupling_rows])
        wish = 0.3 * random.standard_normal(robot.nv)
        v = wish - np.linalg.pinv(J) @ (J @ wish)
        felt = estimator.estimate(_felt_when_at(robot, q, v), stance)
        truth = robot.at(q, v)
        assert felt.com == pytest.approx(truth.com, abs=1e-9)
        assert felt.com_velocity == pytest.approx(truth.com_velocity, abs=1e-9)


def test_the_belief_does_not_depend_on_where_the_world_has_its_north() -> None:
    robot = poise.load_robot("hrp2")
    q = robot.half_sitting
    stance = _standing_feet(robot, q)
    turned = np.array(q)
    T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, 1.0), np.array([3.0, -2.0, 0.0]))
    turned[:7] = pin.SE3ToXYZQUAT(T * pin.XYZQUATToSE3(q[:7]))
    estimator = Estimator(robot)
    a = estimator.estimate(_felt_when_at(robot, q, np.zeros(robot.nv)), stance)
    b = estimator.estimate(_felt_when_at(robot, turned, np.zeros(robot.nv)), stance)
    assert b.com == pytest.approx(a.com, abs=1e-9)
    assert b.zmp == pytest.approx(a.zmp, abs=1e-9)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_shift_moves_the_mass_and_turns_a_foot_as_asked(name: str) -> None:
    robot = poise.load_robot(name)
    body, q = BodyShift(robot), robot.half_sitting
    size = 0.02 * robot.height
    wish = np.array([size, -0.5 * size, 0.0])
    left, right = robot.feet
    for _ in range(6):
        found = body.solve(q, wish, {left: FootShift(np.array([0.01, -0.02]), 0.001)})
    before, after = robot.at(q), robot.at(found)
    assert after.com == pytest.approx(before.com + wish, abs=2e-4)
    assert after.position(right) == pytest.approx(before.position(right), abs=2e-4)
    lifted = before.position(left) + [0.0, 0.0, 0.001]
    assert after.position(left) == pytest.approx(lifted, abs=2e-4)
    turn = pin.log3(before.rotation(left).T @ after.rotation(left))
    assert turn == pytest.approx([0.01, -0.02, 0.0], abs=2e-3)
    assert np.abs(robot.coupling_gap(found)).max(initial=0.0) < 1e-12


def test_the_mass_comes_to_rest_where_the_zmp_is_the_planned_one() -> None:
    """A stiff robot whose ZMP is off by d: the shift must end at -d, whatever else is felt."""
    robot = poise.load_robot("hrp2")
    stabiliser = Stabiliser(robot)
    q, world = robot.half_sitting, IdealWorld(robot)
    stance = _standing_feet(robot, q)
    com = robot.at(q).com
    middle = com[:2]
    reference = Reference(q, np.zeros(robot.nv), com, np.zeros(3), middle, stance)
    seen = world.reset(q)
    between = np.mean([T.translation[:2] for T in stance.values()], axis=0)
    d = np.array([0.02, -0.008])
    for _ in range(1600):
        s = stabiliser._state
        omega2 = 9.81 / com[2]
        pressed = middle + s.shift - s.rate2 / omega2 + d
        off = pressed - between
        half = np.r_[0.0, 0.0, 1.0, off[1], -off[0], 0.0] * 0.5 * robot.weight
        wrenches = {part: half for part in robot.feet}
        felt = Observation(
            seen.time,
            stabiliser_q(stabiliser, q)[BASE_Q:],
            np.zeros(robot.na),
            np.zeros(robot.na),
            seen.quat_xyzw,
            np.zeros(3),
            np.zeros(3),
            wrenches=wrenches,
        )
        stabiliser.correct(felt, reference)
    assert stabiliser._state.shift == pytest.approx(-d, abs=5e-4)


def stabiliser_q(stabiliser: Stabiliser, q: np.ndarray) -> np.ndarray:
    """The configuration it commanded last."""
    return pin.integrate(stabiliser.robot.model, q, stabiliser._body._delta)


def test_nothing_jumps_when_a_foot_lands() -> None:
    """Weight over one sole, the other foot counted as standing from one period to the next."""
    robot = poise.load_robot("hrp2")
    stabiliser, q = Stabiliser(robot), robot.half_sitting
    both = _standing_feet(robot, q)
    right = robot.feet[1]
    middle = 0.5 * (robot.soles[right].corners.min(axis=0) + robot.soles[right].corners.max(axis=0))
    zmp = both[right].translation[:2] + middle
    seen = _felt_when_at(robot, q, np.zeros(robot.nv))
    com, still = robot.at(q).com, np.zeros(robot.nv)
    one = Reference(q, still, com, np.zeros(3), zmp, {right: both[right]})
    two = replace(one, stance={part: both[part] for part in (right, robot.feet[0])})
    before = [stabiliser.correct(seen, one).q[BASE_Q:] for _ in range(5)]
    after = stabiliser.correct(seen, two).q[BASE_Q:]
    usual = np.abs(before[-1] - before[-2]).max()
    assert np.abs(after - before[-1]).max() < max(2.0 * usual, 1e-5)


def test_a_foot_in_the_air_makes_up_for_a_body_that_leans() -> None:
    robot = poise.load_robot("hrp2")
    stabiliser, q = Stabiliser(robot), robot.half_sitting
    stance = _standing_feet(robot, q)
    left, right = robot.feet
    stabiliser._body.solve(q, np.zeros(3), {})
    stabiliser._soles.look(tuple(stance[right].translation[:2]), {right: stance[right]})
    lean = pin.exp3(np.array([0.01, -0.02, 0.0]))
    stabiliser._state.tilt = [0.01, -0.02]
    roll, pitch, rise = stabiliser._level(left)
    pivot = stance[right].translation
    lifted = stance[left].translation + [0.0, 0.0, rise]
    there = pivot + lean @ (lifted - pivot)
    turned = lean @ stance[left].rotation @ pin.exp3(np.array([roll, pitch, 0.0]))
    assert there[2] == pytest.approx(stance[left].translation[2], abs=2e-5)
    assert turned[:, 2] == pytest.approx([0.0, 0.0, 1.0], abs=1e-3)


def test_a_pull_that_comes_and_goes_is_foreseen() -> None:
    """What is expected of a pull is the integral that a falling mass feels."""
    stabiliser = Stabiliser(poise.load_robot("hrp2"))
    state, w = stabiliser._state, 3.3
    state.pulled = state.lasting = [0.02, -0.01]
    assert stabiliser._coming(w) == pytest.approx((0.02, -0.01))  # it lasts
    a = w / stabiliser.options.pull_fade
    state.lasting, state.trend = [0.005, 0.0], [0.03, -0.02]
    s = np.linspace(0.0, 20.0 / w, 20001)
    for i, found in enumerate(stabiliser._coming(w)):
        rest = state.pulled[i] - state.lasting[i]
        ahead = state.lasting[i] + (rest + (state.trend[i] + a * rest) * s) * np.exp(-a * s)
        assert found == pytest.approx(np.trapezoid(w * np.exp(-w * s) * ahead, s), abs=1e-6)


def test_a_swaying_pull_moves_the_zmp_less_than_it_would_push() -> None:
    """The law alone, on a stiff robot that somebody pulls to and fro for a while."""
    stabiliser = Stabiliser(poise.load_robot("hrp2"))
    o, state, w = stabiliser.options, stabiliser._state, 3.3
    q = stabiliser.robot.half_sitting
    com, still = stabiliser.robot.at(q).com, np.zeros(stabiliser.robot.nv)
    meant = Reference(q, still, com, np.zeros(3), com[:2], {})
    stabiliser._soles.look((float(com[0]), float(com[1])), {})
    pushed, moved = [], []
    for k in range(4000):
        d = 0.015 * np.sin(2.0 * np.pi * 0.4 * k * o.dt) * np.ones(2)
        state.trend = ((d - state.pulled) / o.dt).tolist()
        state.pulled = d.tolist()
        state.lasting = (
            np.array(state.lasting) + o.dt * w / o.pull_mean * (d - state.lasting)
        ).tolist()
        off = state.shift - state.rate2 / w**2 + d
        there = com + [*state.shift, 0.0]
        speed = np.array([*state.rate, 0.0])
        felt = Felt(there, speed, com[:2] + off, {}, {}, np.zeros(2))
        stabiliser._move_mass(felt, meant, (d[0], d[1]), w)
        pushed.append(d[0])
        moved.append((state.shift - state.rate2 / w**2 + d)[0])
    assert np.std(moved[1000:]) < 0.9 * np.std(pushed[1000:])


@pytest.mark.parametrize("name", ROBOTS)
def test_a_leg_that_would_be_too_short_lets_the_hips_down_without_a_leap(name: str) -> None:
    robot = poise.load_robot(name)
    body, q = BodyShift(robot), robot.half_sitting
    left, right = robot.feet
    before = robot.at(q)
    size = 0.13 * robot.height
    last, steps = q, []
    for k in range(150):  # the mass goes up further than the legs reach
        share = min(k / 100, 1.0)
        found = body.solve(q, share * np.array([-0.5 * size, 0.0, size]), {})
        steps.append(np.abs(pin.difference(robot.model, last, found)[BASE_V:]).max())
        last = found
    after = robot.at(found)
    assert max(steps) < 0.06
    assert max(steps[-20:]) < 1e-3
    for part in (left, right):
        assert after.position(part) == pytest.approx(before.position(part), abs=0.002)
    assert after.com[0] == pytest.approx(before.com[0] - 0.5 * size, abs=0.002)
    assert after.com[2] < before.com[2] + size - 1e-3  # the height is what gives way


SPOILT = SimulationOptions(
    mass_error=0.05, friction=0.5, command_latency=0.005, sensor_latency=0.005
)


def _zmp_error(robot: Robot, motion: Motion, played: Motion) -> np.ndarray:
    """How far the ZMP in physics was from the planned one, after a tenth of a second [m]."""
    _, _, planned = centre_of_mass_and_zmp(robot, motion)
    own = motion.time - motion.time[0]
    wish = np.column_stack([np.interp(played.time, own, planned[:, i]) for i in (0, 1)])
    return np.linalg.norm(played.signals["zmp"] - wish, axis=1)[played.time > 0.1]


@pytest.mark.parametrize("name", ROBOTS)
def test_standing_against_a_pulled_hand_the_zmp_comes_back(name: str) -> None:
    robot = poise.load_robot(name)
    motion = standing(robot, 3.0)
    pull = Push((0.06 * robot.weight, 0.0, 0.0), 0.5, 5.0, "right_hand")
    options = replace(SPOILT, pushes=(pull,))
    bare, fell = run(Player(motion), robot, 3.0, options, start=motion.q[0])
    held, verdict = run(FollowMotion(robot, motion), robot, 3.0, options, start=motion.q[0])
    assert fell.upright and verdict.upright
    before, after = _zmp_error(robot, motion, bare)[-40:], _zmp_error(robot, motion, held)[-40:]
    assert before.mean() > 0.012
    assert after.mean() < 0.1 * before.mean()


@pytest.mark.parametrize("name", ["hrp2", "nao"])
def test_a_walk_with_wrong_masses_is_closer_to_its_plan_with_the_stabiliser(name: str) -> None:
    robot = poise.load_robot(name)
    motion = poise.walk(robot, steps=4)
    bare, _ = run(Player(motion), robot, motion.duration, SPOILT, start=motion.q[0])
    follow = FollowMotion(robot, motion)
    held, verdict = run(follow, robot, motion.duration, SPOILT, start=motion.q[0])
    assert verdict.upright
    p95 = [np.percentile(_zmp_error(robot, motion, played), 95) for played in (bare, held)]
    assert p95[1] < 0.9 * p95[0]
