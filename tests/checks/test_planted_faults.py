"""Every planted fault is found by the question that names it, and clean motions pass."""

from __future__ import annotations

import pytest

from checks_helpers.clean import lift, sway
from checks_helpers.faults import FAULTS, Fault
from poise.checks import judge
from poise.robot import load_robot, robot_names

ROBOTS = tuple(robot_names())


def rounds() -> list[tuple[str, Fault]]:
    """Every fault on NAO, and once more on one of the other robots in turn."""
    others = [name for name in ROBOTS if name != "nao"]
    return [("nao", fault) for fault in FAULTS] + [
        (others[k % len(others)], fault) for k, fault in enumerate(FAULTS) if not fault.coupled
    ]


@pytest.mark.parametrize(("robot", "fault"), rounds(), ids=lambda x: getattr(x, "name", x))
def test_a_planted_fault_is_found_by_the_right_question(robot: str, fault: Fault) -> None:
    report = judge(fault.plant(robot), load_robot(robot), fault.options)
    assert not report.ok
    failed = {finding.question: finding for finding in report.failed}
    assert fault.question in failed, str(report)
    if fault.alone:
        assert list(failed) == [fault.question], str(report)
    named = failed[fault.question]
    assert fault.says in f"{named.where}: {named.detail}", str(report)


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("motion", [sway, lift], ids=["sway", "lift"])
def test_a_clean_motion_passes(robot: str, motion) -> None:
    report = judge(motion(robot), load_robot(robot))
    assert report.ok, str(report)
    assert not report.notes, str(report)


def test_a_deep_squat_on_one_leg_overloads_the_knee() -> None:
    light, deep = (judge(lift("hoap3", dip=d), load_robot("hoap3")) for d in (0.02, 0.1))
    assert light.ok
    assert [finding.question for finding in deep.failed] == ["joint torque"]
    assert deep["joint torque"].where == "LLEG_JOINT4"


def test_there_are_enough_faults() -> None:
    assert len({fault.name for fault in FAULTS}) >= 30
