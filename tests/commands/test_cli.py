"""The command as users and programs call it: JSON, exit codes, one sentence for a wrong call."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import door
from poise.cli import VERBS, main
from poise.commands.outcome import Outcome
from poise.robot import load_robot


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    seen = capsys.readouterr()
    return code, seen.out, seen.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:
    code, out, _ = call(capsys, *arguments, "--json")
    assert out.count("\n") == 1, "exactly one JSON object and nothing else"
    return code, json.loads(out)


@pytest.fixture
def standing(tmp_path: Path) -> Path:
    path = tmp_path / "stand.npz"
    door.save(door.standing(load_robot("nao"), 1.0), path)
    return path


def test_the_list_shows_seven_robots_with_the_masses_of_their_facts(capsys) -> None:
    code, data = as_json(capsys, "robots", "list")
    robots = {robot["name"]: robot for robot in data["robots"]}
    assert code == 0
    assert {"nao", "hrp2", "hoap3", "g1", "talos", "icub", "romeo"} <= set(robots)
    assert robots["nao"]["mass"] == pytest.approx(5.195, abs=5e-4)
    assert robots["hrp2"]["mass"] == pytest.approx(58.0, abs=5e-4)
    assert robots["hoap3"]["mass"] == pytest.approx(8.802, abs=5e-4)
    for robot in robots.values():
        assert {"name", "mass", "height", "joints", "urdf"} <= set(robot)
        assert Path(robot["urdf"]).is_file()


def test_showing_a_robot_tells_parts_sole_half_sitting_and_limits(capsys) -> None:
    code, data = as_json(capsys, "robots", "show", "hrp2")
    assert code == 0
    assert {"parts", "sole", "half_sitting", "limits"} <= set(data)
    assert data["half_sitting"]["base_height"] == pytest.approx(0.6487, abs=5e-5)
    assert set(data["limits"]["RLEG_JOINT3"]) == {"lower", "upper", "velocity", "effort"}


def test_robots_are_found_by_alias_and_whatever_the_case(capsys) -> None:
    assert as_json(capsys, "robots", "show", "NAO")[1]["name"] == "nao"
    assert as_json(capsys, "robots", "show", "unitree_g1")[1]["name"] == "g1"


def test_a_good_motion_is_judged_good(capsys, standing: Path) -> None:
    code, data = as_json(capsys, "check", str(standing))
    assert code == 0 and data["ok"]
    assert {"question", "worst", "limit", "unit", "where", "when", "ok"} <= set(data["findings"][0])
    assert data["physics"]["upright"] is True
    assert {"upright", "fell_at", "tilt_max_deg", "drift_m"} <= set(data["physics"])


def test_a_bad_motion_is_judged_bad_with_exit_code_one(capsys, tmp_path: Path) -> None:
    motion = door.standing(load_robot("nao"), 0.5)
    motion.q[20:, 2] -= 0.01  # both soles a centimetre in the floor
    path = tmp_path / "sunk.npz"
    door.save(motion, path)
    code, data = as_json(capsys, "check", str(path), "--no-physics")
    bad = {f["question"] for f in data["findings"] if not f["ok"]}
    assert code == 1 and not data["ok"]
    assert "contact penetration" in bad
    assert data["physics"] is None


def test_conversion_says_what_it_assumed(capsys, standing: Path, tmp_path: Path) -> None:
    csv = tmp_path / "stand.csv"
    code, data = as_json(capsys, "convert", str(standing), str(csv), "--to", "unitree-csv")
    assert code == 0 and csv.is_file()
    assert np.loadtxt(csv, delimiter=",").shape[1] == 7 + 24
    back = tmp_path / "back.npz"
    code, data = as_json(capsys, "convert", str(csv), str(back), "--robot", "nao", "--rate", "100")
    assert code == 0
    assert data["read_as"] in ("unitree-csv", "kimodo-csv")
    assert 0.0 < data["certainty"] <= 1.0 and data["reasons"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rbots"], "Did you mean 'robots'"),
        (["robots", "show", "talox"], "Did you mean 'talos'"),
        (["robots", "shwo", "nao"], "invalid choice"),
        (["robots", "add", "nowhere.urdf"], "missing"),
        (["check", "nowhere.npz"], "nowhere.npz"),
        (["check"], "required"),
        (["convert", "a.npz"], "required"),
        (["view", "nowhere.npz", "--port", "many"], "invalid int value"),
        (["bench", "contrl"], "Did you mean 'control'"),
    ],
)
def test_a_wrong_call_gets_one_sentence_and_exit_code_two(
    capsys, arguments: list[str], words: str
) -> None:
    code, out, err = call(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert words in err
    code, data = as_json(capsys, *arguments)
    assert code == 2 and data["ok"] is False and words in data["error"]


def test_every_verb_has_help_with_its_defaults(capsys) -> None:
    for verb in VERBS:
        with pytest.raises(SystemExit) as ended:
            main([verb, "--help"])
        assert ended.value.code == 0
        assert "usage: poise" in capsys.readouterr().out


def test_the_installed_command_answers_without_a_traceback() -> None:
    command = Path(sys.executable).with_name("poise")
    done = subprocess.run([command, "check", "x.npz"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert subprocess.run([command], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "call_",
    [
        ("walk", "--steps", "1000", "--out"),
        ("imitate", "no-recording.c3d", "--out"),
        ("balance", "--out"),
        ("balance", "--report"),
        ("balance", "--survey"),
        ("plan", "platform", "--out"),
        ("interact", "--out"),
        ("interact", "--figures"),
        ("safe-area", "--out"),
        ("safe-area", "--figures"),
        ("bench", "--write"),
    ],
    ids=" ".join,
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call_: tuple[str, ...]
) -> None:
    """Otherwise minutes of solving end in nothing."""
    verb = importlib.import_module(f"poise.commands.{call_[0].replace('-', '_')}").VERB
    ran: list[object] = []
    monkeypatch.setattr(
        f"poise.commands.{call_[0].replace('-', '_')}.VERB",
        replace(verb, run=lambda args: ran.append(args) or Outcome({})),
    )
    place = tmp_path / "no-folder" / "result.npz"
    code, _, err = call(capsys, *call_, str(place))
    assert (code, ran) == (2, [])
    assert err == f"poise: {place}: the folder is missing; accepted: an existing folder.\n"


def test_a_motion_of_no_dialect_is_refused_before_the_work(capsys, tmp_path: Path) -> None:
    code, _, err = call(capsys, "walk", "--steps", "1000", "--out", str(tmp_path / "walk.xyz"))
    assert code == 2 and "the suffix is '.xyz'" in err and err.count("\n") == 1
