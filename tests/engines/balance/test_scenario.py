"""Scenarios as TOML: what is accepted, what is said of the rest, what they mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.engines.balance import find_scenario, prepare, scenario_names
from poise.engines.balance.engine import from_told, hits_of, to_table
from poise.engines.balance.reference import ride
from poise.engines.balance.scenario import Scenario, Shove
from poise.engines.balance.start import knees, standing_posture
from poise.engines.balance.survey import greatest, steady_force
from poise.errors import BadInput, NotFound
from poise.robot import load_robot
from poise.robot.robot import BASE_Q


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenarios_are_read_and_told_again(name: str) -> None:
    scenario = find_scenario(name)
    assert from_told(to_table(scenario)) == scenario
    assert scenario.duration >= 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("duration = -1", "line 1: duration is -1"),
        ("durration = 3", "'durration'; accepted: .*Did you mean 'duration'"),
        ("[[squat]]\nstart = 1\ndept = 0.02", "line 3: a key of \\[\\[squat\\]\\] is 'dept'"),
        ("[[push]]\nforce = 'hard'", "line 2: force is 'hard'"),
        ("[[reach]]\nby = [1, 2]", "line 2: by is \\[1, 2\\]; accepted: three numbers"),
        ("[controller]\nKp = 50", "Kp is 50; accepted: 0 to 5"),
        ("[controller]\nfeedback = 'stif'", "feedback is 'stif'"),
        ("squat = 3", "squat is 3"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadInput, match=words):
        find_scenario(path)


def test_an_unknown_scenario_or_knob_is_named() -> None:
    with pytest.raises(NotFound, match="squat"):
        find_scenario("sqat")
    with pytest.raises(BadInput, match="'kp'"):
        prepare(load_robot("hoap3"), "stand", {"kp": 1.0})


@pytest.mark.parametrize("name", ["hoap3", "hrp2", "talos", "g1"])
def test_knees_are_bent_as_asked_with_the_mass_where_it_was(name: str) -> None:
    robot = load_robot(name)
    q = standing_posture(robot, np.deg2rad(20.0))
    np.testing.assert_allclose(np.abs(q[BASE_Q + knees(robot)]), np.deg2rad(20.0), atol=0.01)
    at, half = robot.at(q), robot.at(robot.half_sitting)
    np.testing.assert_allclose(at.com[:2], half.com[:2], atol=5e-4)
    for part in robot.feet:
        np.testing.assert_allclose(at.position(part), half.position(part), atol=1e-6)


def test_a_squat_goes_down_like_a_cosine_with_its_rate() -> None:
    trial = prepare(load_robot("hoap3"), "squat")
    reference, stance = trial.controller.reference, trial.controller.stance
    t = np.array([1.0, 2.0, 3.0, 5.0, 42.0, 43.0])
    depth = stance.com[2] - reference.com[[reference.row(x) for x in t], 2]
    np.testing.assert_allclose(depth, [0.0, 0.01, 0.02, 0.0, 0.0, 0.04], atol=1e-12)
    slope = np.gradient(reference.com[:, 2], reference.dt)
    np.testing.assert_allclose(slope, reference.com_velocity[:, 2], atol=2e-4)


def test_a_mass_that_rides_on_a_zmp_obeys_the_pendulum() -> None:
    dt, omega = 0.001, 5.8
    t = np.arange(0.0, 4.0, dt)
    zmp = np.column_stack([0.0 * t, 0.04 * np.clip((t - 1.0) / 0.6, 0.0, 1.0)])
    com, velocity = ride(zmp, omega, dt)
    acceleration = np.gradient(velocity, dt, axis=0)
    np.testing.assert_allclose(com - acceleration / omega**2, zmp, atol=2e-4)
    np.testing.assert_allclose(com[-1], zmp[-1], atol=1e-4)


def test_a_half_sine_in_pieces_keeps_its_impulse() -> None:
    robot = load_robot("hoap3")
    push = Shove(force=10.0, direction=30.0, duration=0.5, shape="sine")
    hits = hits_of(robot, robot.half_sitting, push)
    impulse = sum(np.array(hit.force) * hit.duration for hit in hits)
    expected = 10.0 * 0.5 * 2.0 / np.pi
    np.testing.assert_allclose(
        impulse, expected * np.array([np.cos(np.pi / 6), np.sin(np.pi / 6), 0.0]), rtol=1e-9
    )


def test_a_steady_force_puts_the_zmp_on_the_rim() -> None:
    robot = load_robot("hoap3")
    force = steady_force(robot, robot.half_sitting, 0.0)
    com = robot.at(robot.half_sitting).com
    assert com[0] + force * com[2] / robot.weight == pytest.approx(0.068, abs=1e-6)


def test_halving_finds_the_border() -> None:
    assert greatest(lambda x: x < 1.234, 0.4, 2.2, 12) == pytest.approx(1.234, abs=1e-3)
    assert greatest(lambda x: x < 5.2, 0.4, 2.2, 12) == pytest.approx(5.2, abs=5e-3)


def test_steps_end_where_they_began_and_lift_one_foot_at_a_time() -> None:
    reference = prepare(load_robot("nao"), "steps").controller.reference
    assert (reference.lift.min(axis=1) == 0.0).all()
    lifted = (reference.lift > 0.0).astype(int)
    assert (np.diff(lifted, axis=0) == 1).sum() == 20
    np.testing.assert_allclose(reference.com[-1], reference.com[0], atol=1e-4)
    assert isinstance(find_scenario(Scenario("mine")), Scenario)
