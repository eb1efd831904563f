"""From a scene file to a motion that a simulated robot plays, through the command line."""

import json

import pytest

from poise.cli import main


def answer(capsys) -> dict:
    return json.loads(capsys.readouterr().out)


def test_a_scene_becomes_a_motion_that_stands_in_physics(tmp_path, capsys):
    out = tmp_path / "reach.npz"
    assert main(["plan", "reach", "--robot", "hrp2", "--out", str(out), "--json"]) == 0
    told = answer(capsys)
    assert told["ok"] and told["report"]["ok"]
    assert told["report"]["physics"]["upright"]
    assert told["certificate"]["contact_error_m"] < 1e-4
    assert {bound["family"] for bound in told["certificate"]["bounds"]} >= {
        "joint torque",
        "friction",
        "pressing force",
        "joint speed",
        "joint position",
        "clearance",
        "contact",
    }
    assert main(["check", str(out), "--json"]) == 0
    again = answer(capsys)
    assert again["ok"] and again["physics"]["upright"]


@pytest.mark.parametrize(
    ("scene", "robot", "says"),
    [
        ("kik", "hrp2", "kick"),
        ("missing.toml", "hrp2", "missing.toml"),
        ("reach", "hrp9", "hrp9"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_sentence(scene, robot, says, capsys):
    assert main(["plan", scene, "--robot", robot, "--json"]) == 2
    told = answer(capsys)
    assert not told["ok"]
    assert says in told["error"]
