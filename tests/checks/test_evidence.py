"""What the judge measures, against closed forms and against forward dynamics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from checks_helpers.clean import lift, soles_down, sway, whole_sole
from poise.checks import CheckOptions, judge
from poise.checks.evidence import Evidence
from poise.checks.torques import motor_torques
from poise.checks.zmp import distance_inside, zmp_track
from poise.contacts import ContactPlan, Touch
from poise.motion import Motion, motion_of
from poise.robot import Robot, load_robot
from poise.robot.robot import GRAVITY


def evidence(motion: Motion, options: CheckOptions | None = None) -> Evidence:
    return Evidence(motion, load_robot(motion.robot), options or CheckOptions())


def carried_along(robot: Robot, time: np.ndarray, path: np.ndarray, plan: ContactPlan) -> Motion:
    """The robot stiff in half-sitting, its base on a path [m], (n, 3)."""
    q = np.tile(robot.half_sitting, (len(time), 1))
    q[:, :3] += path
    return motion_of(robot, time, q, contacts=plan)


@pytest.mark.parametrize("name", ["nao", "hrp2"])
def test_the_zmp_of_a_stiff_body_is_that_of_a_point_mass(name: str) -> None:
    robot = load_robot(name)
    time = np.arange(0.0, 1.0, 0.005)
    path = np.outer(np.sin(4.0 * time), [0.01, 0.02, 0.0])
    plan = ContactPlan.of(whole_sole(robot, p, 0.0, 1.0, T) for p, T in soles_down(robot).items())
    measured = evidence(carried_along(robot, time, path, plan))
    a = -16.0 * path
    com = robot.at(robot.half_sitting).com + path
    expected = com[:, :2] - com[:, 2:] / GRAVITY * a[:, :2]
    inner = slice(4, -4)
    assert np.abs(zmp_track(measured).zmp[inner, :2] - expected[inner]).max() < 1e-4
    force = robot.mass * (a + [0.0, 0.0, GRAVITY])
    assert np.abs(measured.required[inner, :3] - force[inner]).max() < 2e-3 * robot.weight


def test_torques_and_contact_forces_together_give_the_motion() -> None:
    robot, measured = load_robot("hrp2"), evidence(lift("hrp2"))
    data = robot.model.createData()
    for k in range(10, measured.n - 10, 60):
        tau = np.concatenate([np.zeros(6), measured.torques[k]])
        pin.computeJointJacobians(robot.model, data, measured.q[k])
        pin.updateFramePlacements(robot.model, data)
        for part, wrench in measured.carried.forces.items():
            frame = robot.frame_id(part)
            J = pin.getFrameJacobian(robot.model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            tau += J.T @ wrench[k]
        a = pin.aba(robot.model, data, measured.q[k], measured.v[k], tau)
        assert np.abs(a - measured.a[k]).max() < 0.01


def test_forces_press_and_stay_within_friction() -> None:
    measured = evidence(lift("nao"))
    total = sum(f[:, :3] for f in measured.carried.forces.values())
    assert np.abs(total - measured.required[:, :3]).max() < 1e-3 * measured.robot.weight
    for force in measured.carried.forces.values():
        sliding = np.linalg.norm(force[:, :2], axis=1)
        assert (sliding <= measured.options.friction * force[:, 2] + 1e-9).all()
    assert not measured.carried.forces["right_foot"][~measured.touching("right_foot")].any()


def test_a_throw_needs_no_support() -> None:
    robot = load_robot("nao")
    time = np.arange(0.0, 0.4, 0.005)
    fall = 0.1 + 2.0 * time - 0.5 * GRAVITY * time**2
    path = np.column_stack([0.5 * time, 0.0 * time, fall])
    late = Touch("left_foot", 9.0, 10.0, pin.SE3.Identity(), robot.soles["left_foot"].points)
    report = judge(carried_along(robot, time, path, ContactPlan((late,))), robot)
    assert report["flight"].ok and report["flight"].worst < 1e-3 * robot.weight
    hovering = judge(carried_along(robot, time, 0.0 * path, ContactPlan((late,))), robot)
    assert not hovering["flight"].ok
    assert np.isclose(hovering["flight"].worst, robot.weight, rtol=1e-6)


@pytest.mark.parametrize(("angle", "sinks"), [(0.2, False), (-0.2, True)])
def test_a_foot_may_roll_over_its_toe_but_not_into_the_floor(angle: float, sinks: bool) -> None:
    robot = load_robot("hrp2")
    time = np.arange(0.0, 1.0, 0.01)
    soles = soles_down(robot)
    toe = {p: s.points[s.points[:, 0] > 0.0] for p, s in robot.soles.items()}
    edge = soles["left_foot"].act(toe["left_foot"][0])
    start = pin.XYZQUATToSE3(np.array(robot.half_sitting[:7]))
    q = np.tile(robot.half_sitting, (len(time), 1))
    for row, t in zip(q, time, strict=True):
        turn = pin.rpy.rpyToMatrix(0.0, angle * t, 0.0)
        row[:7] = pin.SE3ToXYZQUAT(pin.SE3(turn, edge - turn @ edge) * start)
    plan = ContactPlan.of(Touch(p, 0.0, 1.0, T, toe[p]) for p, T in soles.items())
    report = judge(motion_of(robot, time, q, contacts=plan), robot)
    assert report["contact slip"].ok and report["contact gap"].ok
    assert report["contact penetration"].ok is not sinks
    assert report["contact tilt"].ok  # an edge may lean


def test_an_edge_carries_on_a_strip_only() -> None:
    robot, motion = load_robot("nao"), sway("nao")
    heel = {p: s.points[s.points[:, 0] < 0.0] for p, s in robot.soles.items()}
    plan = ContactPlan.of(replace(t, points=heel[t.part]) for t in motion.contacts.touches)
    report = judge(replace(motion, contacts=plan), robot)
    com = robot.at(robot.half_sitting).com
    behind = 1e3 * (com[0] - heel["left_foot"][0, 0])
    assert not report["ZMP margin"].ok and not report["support"].ok
    assert abs(report["ZMP margin"].worst + behind) < 5.0


def test_a_limit_that_other_forces_avoid_is_not_exceeded() -> None:
    robot, motion = load_robot("hrp2"), sway("hrp2")
    usual = np.abs(motor_torques(evidence(motion)))
    j = int(np.argmax(usual.max(axis=0) / robot.effort_limit))
    model = robot.model.copy()
    model.effortLimit[6 + j] = 0.97 * usual[:, j].max()
    weaker = replace(robot, model=model)
    spared = judge(motion, weaker)["joint torque"]
    assert spared.ok
    for knee in (j, robot.mirror.index[j]):  # both: no shift of the load helps
        model.effortLimit[6 + knee] = 0.3 * usual[:, j].max()
    assert not judge(motion, replace(robot, model=model))["joint torque"].ok


def test_contacts_are_found_where_the_motion_tells_none() -> None:
    robot, motion = load_robot("nao"), lift("nao")
    blind = replace(motion, contacts=ContactPlan())
    found = evidence(blind)
    for part in robot.feet:
        planned = np.array([part in motion.contacts.at(t) for t in motion.time])
        late = np.abs(found.touching(part).astype(int) - planned).sum() / motion.rate
        assert late < 0.3  # [s], over four switches: the first millimetres take their time
    report = judge(blind, robot)
    assert report.ok, str(report)
    assert [note.question for note in report.notes] == ["contact plan"]


def test_a_sunk_motion_without_plan_is_sunk() -> None:
    motion = sway("nao")
    q = motion.q.copy()
    q[:, 2] -= 0.004
    blind = replace(motion, q=q, contacts=ContactPlan())
    assert [f.question for f in judge(blind, load_robot("nao")).failed] == ["contact penetration"]


def test_the_distance_to_a_square_is_signed() -> None:
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    points = np.array([[1.0, 1.0], [1.9, 1.0], [3.0, 1.0], [5.0, 6.0], [1.0, 0.0]])
    polygons = np.tile(square, (len(points), 1, 1))
    assert np.allclose(distance_inside(polygons, points), [1.0, 0.1, -1.0, -5.0, 0.0])


def test_a_robot_sunk_to_its_knees_is_below_ground() -> None:
    robot, motion = load_robot("hrp2"), sway("hrp2")
    q = motion.q.copy()
    q[:, 2] -= 0.4
    found = judge(replace(motion, q=q), robot)["body above ground"]
    assert not found.ok and found.worst < -100.0


def test_a_recording_may_land_early() -> None:
    motion = lift("nao")
    left, first, second = sorted(motion.contacts.touches, key=lambda t: (t.part, t.start))
    late = replace(second, start=second.start + 0.1)
    shifted = replace(motion, contacts=ContactPlan.of([left, first, late]))
    strict, kind = evidence(shifted), evidence(shifted, CheckOptions(early=0.2))
    column = [t.start for t in kind.touches].index(late.start)
    row = motion.row(second.start + 0.05)
    assert not strict.carrying[row, column] and kind.carrying[row, column]
    in_the_air = motion.row(second.start - 0.15)
    assert not kind.carrying[in_the_air, column]


def test_what_a_simulator_recorded_passes_as_a_recording() -> None:
    from poise.simulation import replay

    robot = load_robot("nao")
    played, outcome = replay(robot, lift("nao"))
    assert outcome.upright
    report = judge(played, robot, CheckOptions.recorded())
    assert report.ok, str(report)


def reaching(depth: float) -> Motion:
    """NAO stands while its left hand is planned to rest on a wall, `depth` [m] in front of it."""
    robot, motion = load_robot("nao"), sway("nao")
    hand = robot.at(motion.q[0]).pose("left_hand")
    facing = pin.SE3(hand.rotation, hand.translation - depth * hand.rotation[:, 2])
    touch = Touch("left_hand", 0.0, 0.2, facing, np.zeros((1, 3)))
    q = np.tile(motion.q[0], (len(motion), 1))
    plan = ContactPlan.of([*motion.contacts.touches, touch])
    return motion_of(robot, motion.time, q, contacts=plan)


@pytest.mark.parametrize(
    ("depth", "question"),
    [(0.0, None), (0.004, "contact gap"), (-0.004, "contact penetration")],
)
def test_a_hand_is_held_to_its_wall(depth: float, question: str | None) -> None:
    report = judge(reaching(depth), load_robot("nao"))
    assert [f.question for f in report.failed] == ([question] if question else [])
    if question:
        assert report[question].where == "left_hand"


def test_ankles_that_knock_collide() -> None:
    robot, motion = load_robot("nao"), sway("nao")
    q = np.tile(robot.half_sitting, (len(motion), 1))
    for hip, inward in (("LHipRoll", -0.13), ("RHipRoll", 0.13)):
        q[:, 7 + robot.index(hip)] += inward
    found = judge(motion_of(robot, motion.time, q, contacts=motion.contacts), robot)
    assert not found["self-collision"].ok
    assert found["self-collision"].limit == 0.0
    assert "ankle" in found["self-collision"].where
