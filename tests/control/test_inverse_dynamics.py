"""One tick of inverse dynamics: mechanics holds exactly, limits hold, what gives way is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from poise.contacts import Touch
from poise.control import DynamicsOptions, Footing, InverseDynamics
from poise.control.viability import ViableAccelerations
from poise.robot import Robot, Snapshot, load_robot
from poise.tasks import AngularMomentum, CenterOfMass, FramePose, Posture, Task, TorqueEffort

ROBOTS = ["nao", "hrp2", "hoap3"]


def footings(robot: Robot, at: Snapshot, friction: float = 0.6) -> list[Footing]:
    return [
        Footing(Touch(p, 0.0, 1e9, at.pose(p), robot.soles[p].points), friction, robot.weight)
        for p in robot.feet
    ]


def sway(robot: Robot, start: Snapshot, com: np.ndarray, time: float) -> list[Task]:
    size, rate = 0.08 * com[2], 2.0 * np.pi / 2.5
    ramp = min(1.0, time)
    swing = size * ramp * np.array([np.sin(rate * time), rate * np.cos(rate * time)])
    y = np.array([0.0, 1.0, 0.0])
    target = CenterOfMass(com + swing[0] * y, swing[1] * y, -(rate**2) * swing[0] * y)
    feet = [Task(p, FramePose(p, start.pose(p)), weight=100.0, gain=1000.0) for p in robot.feet]
    return [
        *feet,
        Task("com", target, weight=10.0, gain=100.0),
        Task("posture", Posture(robot.half_sitting[7:]), weight=0.01, gain=25.0),
        Task("momentum", AngularMomentum(), weight=0.1, gain=5.0),
    ]


@pytest.mark.parametrize("name", ROBOTS)
def test_three_seconds_of_sway_obey_mechanics_friction_and_limits(name: str) -> None:
    robot = load_robot(name)
    start, at = robot.at(robot.half_sitting), robot.at(robot.half_sitting)
    com, dt = start.com.copy(), 0.005
    controller = InverseDynamics(robot)
    feet = footings(robot, start)
    q, v = robot.half_sitting.copy(), np.zeros(robot.nv)
    effort = TorqueEffort(robot.indices("left_arm"), weight=0.1)
    motors = robot.motor_map
    for k in range(600):
        at.refresh(q, v)
        answer = controller.solve(at, sway(robot, start, com, k * dt), feet, effort)
        assert not answer.gave_way
        pushed = sum(at.jacobian(p).T @ answer.forces[p] for p in robot.feet)
        gap = at.mass_matrix @ answer.a + at.bias - np.r_[np.zeros(6), answer.tau] - pushed
        assert np.abs(gap).max() < 1e-6
        assert answer.coefficients.min() > -1e-8
        assert np.all(np.abs(motors @ answer.tau) <= robot.effort_limit + 1e-6)
        for p in robot.feet:
            f = answer.forces[p][:3]
            assert np.hypot(f[0], f[1]) <= 0.6 * f[2] + 1e-6
        q = pin.integrate(robot.model, q, dt * v + 0.5 * dt * dt * answer.a)
        v = v + dt * answer.a
    for p in robot.feet:
        assert np.linalg.norm(at.position(p) - start.position(p)) < 1e-3
    if robot.couplings:
        assert np.abs(robot.coupled(q) - q).max() < 1e-6
    assert np.linalg.norm(at.com - com) < 0.1 * com[2]


def test_the_memory_of_a_tick_is_reused_and_the_answer_does_not_depend_on_it() -> None:
    robot = load_robot("hrp2")
    start = robot.at(robot.half_sitting)
    used = InverseDynamics(robot)
    feet = footings(robot, start)
    for time in (0.3, 0.9, 0.4):
        tasks = sway(robot, start, start.com.copy(), time)
        a = used.solve(start, tasks, feet).a.copy()
        fresh = InverseDynamics(robot).solve(start, tasks, feet).a
        assert np.allclose(a, fresh, atol=1e-6)


def test_a_joint_running_into_its_limit_stops_before_it() -> None:
    """The one-step bound overshoots here by more than ten milliradians."""
    robot = load_robot("nao")
    dt, brake = 0.005, 60.0
    limits = ViableAccelerations(robot, dt, brake)
    k = robot.index("LKneePitch")
    q, v = robot.half_sitting.copy(), np.zeros(robot.nv)
    q[7 + k], v[6 + k] = robot.upper[k] - 0.2, 3.0
    for _ in range(200):
        limits.refresh(q, v)
        assert limits.lower[k] <= limits.upper[k]
        a = min(limits.upper[k], 40.0)  # it wants to go on
        assert a >= -brake - 1e-9
        q[7 + k] += dt * v[6 + k] + 0.5 * dt * dt * a
        v[6 + k] += dt * a
        assert q[7 + k] <= robot.upper[k]
        assert v[6 + k] <= robot.velocity_limit[k] + 1e-9
    assert abs(v[6 + k]) < 1e-2


@pytest.mark.parametrize("rate", [0.2, 1.0, 3.0])
def test_a_joint_that_settles_at_its_limit_brakes_gradually(rate: float) -> None:
    robot = load_robot("nao")
    dt, brake = 0.005, 30.0
    limits = ViableAccelerations(robot, dt, brake, settling=30.0)
    k = robot.index("LKneePitch")
    q, v = robot.half_sitting.copy(), np.zeros(robot.nv)
    q[7 + k], v[6 + k] = robot.upper[k] - 0.4, rate
    asked = []
    for _ in range(400):
        limits.refresh(q, v)
        a = min(limits.upper[k], 0.0)  # it wants to go on as it does
        asked.append(a)
        q[7 + k] += dt * v[6 + k] + 0.5 * dt * dt * a
        v[6 + k] += dt * a
        assert q[7 + k] <= robot.upper[k]
    assert robot.upper[k] - q[7 + k] < 5e-3  # it does get there
    assert np.abs(np.diff(asked)).max() < 0.17 * 30.0 * rate  # abruptly it would be all of `brake`


def test_the_greatest_speed_is_reached_gradually() -> None:
    robot = load_robot("nao")
    dt, k = 0.005, robot.index("LKneePitch")
    limits = ViableAccelerations(robot, dt, 30.0, settling=30.0)
    q, v, asked = robot.half_sitting.copy(), np.zeros(robot.nv), []
    for _ in range(100):
        limits.refresh(q, v)
        asked.append(min(limits.upper[k], 60.0))
        v[6 + k] += dt * asked[-1]
    assert robot.velocity_limit[k] - 0.1 < v[6 + k] <= robot.velocity_limit[k]
    assert np.abs(np.diff(asked)).max() < 0.2 * 60.0


def test_the_feet_share_the_weight_by_what_their_forces_cost() -> None:
    robot = load_robot("nao")
    at = robot.at(robot.half_sitting)
    left, right = footings(robot, at)
    control = InverseDynamics(robot)
    tasks = sway(robot, at, at.com.copy(), 0.0)
    carried = []
    for price in (1.0, 4.0, 1.0):
        answer = control.solve(at, tasks, [left, replace(right, price=price)])
        up = {part: wrench[2] for part, wrench in answer.forces.items()}
        assert sum(up.values()) == pytest.approx(robot.weight, rel=0.02)
        carried.append(up[right.part] / up[left.part])
    assert carried[0] == pytest.approx(carried[2]) and carried[1] < 0.7 * carried[0]


@pytest.mark.parametrize("name", ROBOTS)
def test_motors_stay_within_their_torque_unless_the_limit_is_named(name: str) -> None:
    robot = load_robot(name)
    rng = np.random.default_rng(3)
    named = kept = 0
    for _ in range(12):  # bodies thrown about: often nothing fits
        start = robot.at(robot.half_sitting, 4.0 * rng.normal(size=robot.nv))
        tasks = sway(robot, start, start.com.copy(), 0.0)
        answer = InverseDynamics(robot).solve(start, tasks, footings(robot, start))
        beyond = np.abs(robot.motor_map @ answer.tau) > robot.effort_limit + 1e-7
        told = any(one.endswith("torque limit") for one in answer.gave_way)
        assert told == beyond.any()
        named, kept = named + told, kept + (bool(answer.gave_way) and not told)
    assert named


@pytest.mark.parametrize("name", ROBOTS)
def test_when_nothing_fits_the_softest_requirement_gives_way_and_is_named(name: str) -> None:
    robot = load_robot(name)
    rates = np.zeros(robot.nv)  # arms far beyond their speed, and hardly any torque to brake
    rates[6 + robot.indices("left_arm")] = 5.0 * robot.velocity_limit[robot.indices("left_arm")]
    start = robot.at(robot.half_sitting, rates)
    weak = replace(DynamicsOptions(), torque_fraction=0.005)
    answer = InverseDynamics(robot, weak).solve(
        start, sway(robot, start, start.com.copy(), 0.0), footings(robot, start)
    )
    assert answer.gave_way
    assert any("joint limit" in name for name in answer.gave_way)
    assert np.isfinite(answer.a).all()
    pushed = sum(start.jacobian(p).T @ answer.forces[p] for p in robot.feet)
    gap = start.mass_matrix @ answer.a + start.bias - np.r_[np.zeros(6), answer.tau] - pushed
    assert np.abs(gap).max() < 1e-5


def test_without_contacts_the_robot_falls_freely() -> None:
    robot = load_robot("hoap3")
    at = robot.at(robot.half_sitting)
    posture = Task("posture", Posture(robot.half_sitting[7:]), gain=25.0)
    answer = InverseDynamics(robot).solve(at, [posture], [])
    com_acceleration = at.com_jacobian @ answer.a + at.com_drift
    assert np.allclose(com_acceleration, [0.0, 0.0, -9.81], atol=1e-9)


def test_a_tired_arm_hangs_with_less_torque() -> None:
    robot = load_robot("hrp2")
    start = robot.at(robot.half_sitting)
    tasks = sway(robot, start, start.com.copy(), 0.0)
    arm = robot.indices("left_arm")
    feet = footings(robot, start)
    free = InverseDynamics(robot).solve(start, tasks, feet).tau[arm].copy()
    tired = InverseDynamics(robot).solve(start, tasks, feet, TorqueEffort(arm, 10.0)).tau[arm]
    assert np.linalg.norm(tired) < 0.5 * np.linalg.norm(free)
