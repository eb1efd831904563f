"""The report as a value: text, JSON, physics; and that nothing makes the judge fall over."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest

from checks_helpers.clean import sway
from checks_helpers.faults import not_a_number
from poise.checks import CheckOptions, Finding, PhysicsVerdict, Report, judge
from poise.checks.finding import number
from poise.checks.judge import QUESTIONS
from poise.contacts import ContactPlan
from poise.errors import BadInput
from poise.motion import Motion, motion_of
from poise.robot import load_robot

KEYS = {"question", "worst", "limit", "unit", "where", "when", "ok"}


def clean() -> Report:
    return judge(sway("nao"), load_robot("nao"))


def test_json_has_the_agreed_keys_and_no_nan() -> None:
    for report in (clean(), judge(not_a_number("nao"), load_robot("nao"))):
        told = json.loads(json.dumps(report.to_json(), allow_nan=False))
        assert set(told) == {"ok", "findings", "physics"}
        assert all(set(finding) >= KEYS for finding in told["findings"])
        assert told["ok"] is report.ok
        assert told["physics"] is None


def test_the_table_names_every_question_and_explains_what_fails() -> None:
    report = judge(not_a_number("nao"), load_robot("nao"))
    text = str(report)
    assert all(name in text for names, _ in QUESTIONS for name in names)
    assert "FAIL" in text and "1 numbers are NaN, infinite" in text
    assert str(clean()).splitlines()[0] == "nao, 2.00 s: good: all 26 questions answered well"


def test_what_cannot_be_answered_does_not_count_as_good() -> None:
    report = judge(not_a_number("nao"), load_robot("nao"))
    assert not report.ok
    assert len(report.unanswered) == sum(len(names) for names, _ in QUESTIONS)
    assert all(not finding.ok for finding in report.unanswered)


@pytest.mark.parametrize(
    ("verdict", "bad"),
    [
        (PhysicsVerdict(True, None, 3.0, 0.02, 0.001, 0.0), []),
        (PhysicsVerdict(False, 1.2, 80.0, 0.5, 0.2, 0.0), ["physics replay", "physics drift"]),
        (PhysicsVerdict(True, None, 3.0, 0.02, 0.05, 0.2), ["physics slip", "physics saturation"]),
        (PhysicsVerdict(True, None, 45.0), ["physics replay"]),
    ],
)
def test_physics_becomes_findings(verdict: PhysicsVerdict, bad: list[str]) -> None:
    report = clean().with_physics(verdict)
    assert [f.question for f in report.failed][: len(bad)] == bad
    assert report.ok is (not bad)
    told = report.to_json()["physics"]
    assert set(told) >= {"upright", "fell_at", "tilt_max_deg", "drift_m"}
    again = report.with_physics(verdict)
    assert again.findings == report.findings


def test_a_long_way_may_drift_further() -> None:
    verdict = PhysicsVerdict(True, None, 3.0, 0.3)
    assert not clean().with_physics(verdict).ok
    assert clean().with_physics(verdict, travelled=3.0).ok


def test_another_model_is_worth_a_note_and_no_failure() -> None:
    motion = replace(sway("nao"), model_hash="0123456789abcdef")
    report = judge(motion, load_robot("nao"))
    assert report.ok
    assert [f.question for f in report.notes] == ["robot and joints"]
    assert "another model" in report.notes[0].detail


def test_joints_in_another_order_are_read_by_name() -> None:
    motion = sway("nao")
    other = motion.ordered_as(list(reversed(motion.joint_names)))
    report = judge(other, load_robot("nao"))
    assert report.ok, str(report)
    assert report["joint velocity"] == clean()["joint velocity"]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_a_motion_of_a_few_instants_is_judged(count: int) -> None:
    robot = load_robot("nao")
    q = np.tile(robot.half_sitting, (count, 1))
    report = judge(motion_of(robot, np.arange(count) * 0.01, q), robot)
    assert isinstance(report.to_json(), dict)
    assert report["finite and ordered"].ok is (count >= 2)


def test_nonsense_gives_findings_and_no_error() -> None:
    robot, rng = load_robot("nao"), np.random.default_rng(3)
    motion = sway("nao")
    n = len(motion)
    wild = rng.normal(size=motion.q.shape) * 100.0
    for q in (wild, np.zeros_like(wild), np.full_like(wild, np.inf), 1e150 * wild):
        for contacts in (motion.contacts, ContactPlan()):
            report = judge(
                replace(
                    motion, q=q[:40], v=motion.v[:40], time=motion.time[:40], contacts=contacts
                ),
                robot,
            )
            assert not report.ok
            json.dumps(report.to_json(), allow_nan=False)
    assert n > 40


def test_a_motion_of_another_robot_is_not_judged() -> None:
    report = judge(sway("hrp2"), load_robot("nao"))
    assert [f.question for f in report.failed] == ["robot and joints"]


def test_options_refuse_what_makes_no_sense() -> None:
    with pytest.raises(BadInput, match="friction"):
        CheckOptions(friction=-0.1)
    with pytest.raises(BadInput, match="slip_limit"):
        CheckOptions(slip_limit=math.nan)
    assert CheckOptions.recorded().slip_limit > CheckOptions().slip_limit


def test_numbers_are_for_people() -> None:
    told = [number(x) for x in (0.0, 1e-12, 1.23456, 12345.6, 2.5e-4, math.nan, math.inf)]
    assert told == ["0", "0", "1.235", "12346", "2.50e-04", "", "inf"]


def test_twenty_seconds_are_judged_in_five() -> None:
    base = sway("nao")
    repeats = 10
    q = np.vstack([base.q[:-1]] * repeats)
    t = np.arange(len(q)) / 200.0
    touches = [replace(touch, end=float(t[-1])) for touch in base.contacts.touches]
    motion: Motion = motion_of(load_robot("nao"), t, q, contacts=ContactPlan.of(touches))
    start = time.process_time()
    assert judge(motion, load_robot("nao")).ok
    assert time.process_time() - start < 5.0


def test_a_finding_says_how_it_went_in_a_word() -> None:
    base = Finding("q", 1.0, 2.0, "m", "", None, True)
    marks = [base, replace(base, ok=False), replace(base, note=True), replace(base, answered=False)]
    assert [finding.mark for finding in marks] == ["ok", "FAIL", "note", "?"]
