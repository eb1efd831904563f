"""From a leader's file to a robot that followed it, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import poise
from poise.cli import main


def test_a_leader_of_my_own_leads_a_robot_and_the_file_tells_it(tmp_path: Path, capsys) -> None:
    leader = tmp_path / "mine.toml"
    leader.write_text(
        'title = "a little ahead"\nwait = 1.0\nsettle = 3.0\n'
        "[[stretch]]\nduration = 3.0\nforward = 0.2\n"
    )
    out, picture = tmp_path / "led.npz", tmp_path / "led.png"
    code = main(
        ["interact", "--robot", "hrp2", "--leader", str(leader), "--out", str(out)]
        + ["--figures", str(picture), "--json"]
    )
    data = json.loads(capsys.readouterr().out)
    assert code == 0 and data["ok"] and data["upright"]
    assert abs(data["distance"] - data["distance_led"]) < 0.15
    assert picture.stat().st_size > 10_000
    motion = poise.load(out)
    assert motion.recipe["engine"] == "interact"
    assert motion.q[-1, 0] - motion.q[0, 0] > 0.4


def test_wrong_calls_are_answered_in_one_sentence(capsys) -> None:
    assert main(["interact", "--leader", "nobody"]) == 2
    assert "leader" in capsys.readouterr().err
    assert main(["interact", "--set", "damping=-3"]) == 2
    assert "damping" in capsys.readouterr().err
    assert main(["safe-area", "--step", "7"]) == 2
    assert "step" in capsys.readouterr().err
