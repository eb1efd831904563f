"""A walk in a style, from the command line to a robot that still stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import poise
from poise.cli import main


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:
    """Exit code and JSON of a call of the command."""
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_proud_walk_is_judged_good_and_plays_on_slippery_and_rough_floors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "proud.npz"
    code, walk = told(
        capsys, "walk", "--robot", "nao", "--style", "proud", "--steps", "6", "--out", str(out)
    )
    assert code == 0 and walk["ok"] and walk["steps"] == 6
    assert walk["expected"] == "safe" and walk["fell_at"] is None
    assert walk["report"]["physics"]["upright"]
    for friction in ("0.4", "0.9"):
        code, check = told(capsys, "check", str(out), "--friction", friction)
        assert code == 0 and check["physics"]["upright"]
    motion = poise.load(out)
    assert motion.recipe["options"]["style"]["name"] == "proud"


def test_feedback_keeps_a_wrong_robot_with_late_sensors_upright(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "normal.npz"
    assert told(capsys, "walk", "--robot", "hrp2", "--steps", "4", "--out", str(out))[0] == 0
    wrong = ("--mass-error", "0.05", "--latency", "0.005", "--friction", "0.5")
    code, check = told(capsys, "check", str(out), "--feedback", *wrong)
    assert check["physics"]["upright"]
    assert code == 0


def test_a_walk_that_must_fall_says_so_before_and_after(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, walk = told(capsys, "walk", "--set", "sway=0", "--steps", "6", "--no-physics")
    assert code == 1 and not walk["ok"]
    assert walk["expected"] == "will fall" and walk["expected_because"]
    assert walk["steps"] <= 3 and walk["fell_because"]


def test_knobs_are_listed_with_units_and_safe_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = told(capsys, "walk", "--knobs", "--robot", "talos")
    sway = next(one for one in found["knobs"] if one["name"] == "sway")
    assert {"safe", "will fall"} <= {stretch["verdict"] for stretch in sway["ranges"]}
    step = next(one for one in found["knobs"] if one["name"] == "step_length")
    assert step["unit"] == "m" and step["low"] < 0.0 < step["default"] < step["high"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--style", "prod"),
        ("--style", "missing.toml"),
        ("--robot", "noa"),
        ("--set", "step_lenght=0.1"),
        ("--set", "step_length=wide"),
        ("--set", "step_length"),
        ("--steps", "0"),
    ],
)
def test_wrong_calls_end_with_one_sentence(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["walk", *arguments]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert said and "Traceback" not in "".join(said)
