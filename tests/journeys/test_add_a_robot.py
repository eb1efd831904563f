"""Someone brings a URDF that poise has never seen: it is learned, written, and it stands."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jvrc_description
import pytest

from poise import door
from poise.cli import main
from poise.robot import load_robot

STRANGERS = {
    "jvrc": Path(jvrc_description.__file__).parent / "urdf" / "jvrc1.urdf",
    "icub_gazebo": Path(sys.prefix) / "share" / "iCub" / "robots" / "iCubGazeboV2_5" / "model.urdf",
}


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_is_learned_without_a_hand_edit_and_stands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setenv("POISE_ROBOTS", str(tmp_path))
    code = main(["robots", "add", str(STRANGERS[name]), "--name", name, "--json"])
    seen = capsys.readouterr()
    told = json.loads(seen.out)
    assert code == 0, [test for test in told["self_test"] if not test["ok"]]
    assert "left_foot" in seen.err or "foot" in seen.err  # what was guessed is told
    assert Path(told["folder"]) == tmp_path / name

    robot = load_robot(name)
    motion = door.standing(robot, 10.0)
    judged = door.examine(motion, robot)
    assert judged.report.ok, str(judged.report)
    assert judged.report.physics is not None
    assert judged.report.physics.upright
    assert judged.report.physics.drift_m < 0.01
