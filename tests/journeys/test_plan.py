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
    assert again["ok"]
    # the judge plays it as the planner meant it, unless told otherwise
    assert again["physics"] == told["report"]["physics"]
    assert main(["check", str(out), "--no-feedback", "--json"]) == 0
    alone = answer(capsys)["physics"]
    assert alone["upright"] and alone["drift_m"] != again["physics"]["drift_m"]


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


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_told_while_it_solves(monkeypatch, capsys, terminal):
    """A terminal has one line that renews itself at every iteration, a file a line now and then."""
    from poise.commands import plan
    from poise.engines.multicontact import Progress

    monkeypatch.setattr(plan.sys.stderr, "isatty", lambda: terminal)
    show = plan._show()
    for iteration in range(11):
        assert not show(Progress(0, iteration, 12.5, 1e-3, 2.0, lambda: None))
    told = capsys.readouterr().err
    assert told.count("round 1, iteration") == (11 if terminal else 2)
    assert told.count("\r") == (11 if terminal else 0)
    assert "cost 12.5, violation 1.0e-03" in told
