"""Each clue measures what it says, on a robot that stands and one thing changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from io_helpers.samples import ROBOTS, still
from poise.io.evidence import Clue, Sample, body_of, clues
from poise.io.layout import Layout
from poise.io.rows import Rows
from poise.io.source import Source
from poise.robot import Robot, load_robot


def found(robot: Robot, q: np.ndarray, rate: float = 30.0) -> dict[str, Clue]:
    rows = Rows(Source(Path("f"), b""), q[:, :3], q[:, 3:7], q[:, 7:])
    layout = Layout(joints=robot.joint_names)
    sample = Sample.of(rows, rate)
    answers = clues(robot, rows, sample, layout, body_of(robot, rows, sample, layout))
    return {clue.name: clue for clue in answers}


def moved(q: np.ndarray, T: pin.SE3) -> np.ndarray:
    """The whole motion somewhere else in the world."""
    return np.array([[*pin.SE3ToXYZQUAT(T * pin.XYZQUATToSE3(r[:7])), *r[7:]] for r in q])


def value(robot: Robot, q: np.ndarray, name: str) -> float:
    return found(robot, q)[name].value


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_that_stands_costs_next_to_nothing(name: str) -> None:
    robot = load_robot(name)
    answers = found(robot, still(name).q)
    assert sum(clue.cost for clue in answers.values()) < 3.0
    for quiet in ("base tilted by", "feet off the ground by", "stillest foot slides at"):
        assert answers[quiet].value < 1e-6


def test_lifting_turning_tilting_and_sliding_are_measured() -> None:
    robot = load_robot("hrp2")
    q = still("hrp2").q
    up = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.25]))
    assert value(robot, moved(q, up), "feet off the ground by") == pytest.approx(0.25)
    for axis in range(2):
        rpy = np.zeros(3)
        rpy[axis] = 0.4
        tilted = moved(q, pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.zeros(3)))
        assert value(robot, tilted, "base tilted by") == pytest.approx(0.4)
        assert value(robot, tilted, "lower sole tilted by") == pytest.approx(0.4)
    turned = moved(q, pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, -2.0), np.zeros(3)))
    assert value(robot, turned, "faces away from x by") == pytest.approx(2.0)
    assert value(robot, turned, "base tilted by") == pytest.approx(0.0, abs=1e-7)
    slid = q.copy()
    slid[:, 1] += 0.3 * np.arange(len(q)) / 30.0
    assert value(robot, slid, "stillest foot slides at") == pytest.approx(0.3)


def test_joints_out_of_range_and_too_fast_are_counted() -> None:
    robot = load_robot("hrp2")
    q = still("hrp2").q.copy()
    q[:, 7] = robot.upper[0] + 0.5
    q[:, 8] = robot.lower[1] - 0.5
    assert value(robot, q, "joints out of range") == pytest.approx(2 / robot.na)
    q = still("hrp2").q.copy()
    q[1::2, 7] += 2.0 * robot.velocity_limit[0] / 30.0
    assert value(robot, q, "joints too fast") == pytest.approx(1 / robot.na)


def test_mass_away_from_the_feet_is_measured() -> None:
    robot = load_robot("hrp2")
    q = still("hrp2").q
    before = value(robot, q, "mass off the feet by")
    pitch = robot.groups["left_leg"], robot.groups["right_leg"]
    bent = q.copy()
    for leg in pitch:
        bent[:, 7 + robot.index(leg[2])] -= 0.3  # both hips: the feet go ahead of the body
    assert value(robot, bent, "mass off the feet by") > before + 0.05


def test_a_clue_grows_with_the_order_of_magnitude_and_stops() -> None:
    costs = [Clue("x", v, 0.01, 1.0, 5.0, "m").cost for v in (0.0, 0.01, 0.1, 1.0, 100.0)]
    assert costs == sorted(costs) and costs[0] == 0.0 and costs[3] == costs[4] == 5.0
    assert costs[2] - costs[1] > 1.0 and costs[3] - costs[2] > 1.0


@pytest.mark.parametrize("count", [1, 2, 3, 48, 1000])
def test_samples_cover_a_motion_of_any_length(count: int) -> None:
    q = np.tile(still("nao").q[0], (count, 1))
    rows = Rows(Source(Path("f"), b""), q[:, :3], q[:, 3:7], q[:, 7:])
    sample = Sample.of(rows, 30.0)
    assert sample.rows[0] == 0 and sample.after.max() == count - 1
    assert (sample.after - sample.rows <= 1).all()
