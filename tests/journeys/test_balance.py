"""A push through the command line, from one sentence to a judged motion file."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from poise.balancing import balance_again
from poise.cli import main
from poise.door import load
from poise.robot import load_robot


def test_a_pushed_robot_stays_up_and_is_written_judged_and_made_again(
    tmp_path: Path, capsys
) -> None:
    scenario, out = tmp_path / "short.toml", tmp_path / "push.npz"
    scenario.write_text("duration = 1.8\n[[reach]]\nduration = 0.5\nstart = 0.3\n", "utf-8")
    call = f"balance --robot hoap3 --scenario {scenario} --push 8 --direction 0 --duration 0.3"
    call += f" --start 0.5 --out {out} --figures {tmp_path / 'figures'} --json"
    assert main(call.split()) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] and told["upright"] and told["robot"] == "hoap3"
    assert told["pushes"][0]["survived"] and told["report"]["physics"]["upright"]
    assert all(Path(path).stat().st_size > 10_000 for path in told["figures"])
    motion, robot = load(out), load_robot("hoap3")
    assert motion.signals["loads"].shape == (len(motion), 2)
    again = balance_again(robot, motion.recipe)
    np.testing.assert_allclose(again.q, motion.q, atol=1e-9)


def test_unstable_gains_end_in_one_sentence(capsys) -> None:
    assert (
        main(["balance", "--set", "feedback=stiff", "--set", "Kp=2", "--set", "zmp_filter=0.02"])
        == 2
    )
    words = capsys.readouterr().err.strip().splitlines()[-1]
    assert "unstable" in words and "accepted: zmp_filter" in words
    assert main(["balance", "--push", "-3"]) == 2
    assert main(["balance", "--scenario", "nothing"]) == 2


def test_a_fall_is_told_and_is_not_good(tmp_path: Path, capsys) -> None:
    call = "balance --push 60 --duration 0.5 --start 0.2 --set duration=1.5 --json"
    assert main(call.split()) == 1
    told = json.loads(capsys.readouterr().out)
    assert not told["upright"] and told["fell_at"] > 0.2 and told["why"]


def test_the_greatest_pushes_are_found_and_drawn(tmp_path: Path, capsys, monkeypatch) -> None:
    def world(robot, scenario, knobs, pushes):
        bears = {"none": 20.0, "capture": 30.0}[knobs["feedback"]]
        return SimpleNamespace(upright=pushes[0].force < bears)

    monkeypatch.setattr("poise.balancing.balance_trial", world)
    chart = tmp_path / "polar.png"
    call = f"balance --survey {chart} --directions 0,90,180 --feedbacks none,capture --json"
    assert main(call.split()) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["directions_deg"] == [0.0, 90.0, 180.0] and told["shape"] == "sine"
    for name, bears in (("none", 20.0), ("capture", 30.0)):
        np.testing.assert_allclose(told["survived"][name]["forces_N"], bears, rtol=0.07)
        expected = np.array(told["survived"][name]["forces_N"]) * 0.5 * 2.0 / np.pi
        np.testing.assert_allclose(told["survived"][name]["impulses_Ns"], expected)
    assert chart.stat().st_size > 10_000
    assert main(["balance", "--survey", str(chart), "--feedbacks", "brave"]) == 2
    assert main(["balance", "--survey", str(chart), "--directions", "up"]) == 2
    assert main(["balance", "--survey", "chart.txt"]) == 2
