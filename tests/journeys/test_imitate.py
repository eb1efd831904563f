"""From a recording to a robot that walks in physics, through the command line."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from poise.cli import main
from poise.examples import synthetic_trial, write_synthetic_trial


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory) -> list[Path]:
    return write_synthetic_trial(tmp_path_factory.mktemp("lab"))


def answer(capsys) -> dict:
    return json.loads(capsys.readouterr().out)


def test_events_of_a_recording(laboratory, capsys):
    assert main(["events", str(laboratory[0]), "--json"]) == 0
    told = answer(capsys)
    truth = synthetic_trial().truth
    for side in ("left", "right"):
        for kind, real in (("ic", truth.ic[side]), ("to", truth.to[side])):
            found = np.array(told[side][kind])
            assert max(np.abs(found - t).min() for t in real[1:-1]) < 0.04
    assert told["rate"] == pytest.approx(100.0) and not told["treadmill"]


def test_a_recorded_person_becomes_a_robot_that_walks_in_physics(laboratory, tmp_path, capsys):
    walk, static, *functional = map(str, laboratory)
    out, page = tmp_path / "walk.npz", tmp_path / "walk.html"
    call = ["imitate", walk, "--static", static, "--robot", "hrp2", "--rate", "100"]
    for trial in functional:
        call += ["--functional", trial]
    code = main([*call, "--out", str(out), "--report", str(page), "--json"])
    told = answer(capsys)
    assert code == 0, told["report"]
    assert told["ok"] and told["report"]["physics"]["upright"]
    assert told["slower"] >= 1.0 and 0.0 < told["stride"] <= 1.0
    assert told["fidelity"]["phase_timing"] < 0.03
    assert "left heel altitude" in page.read_text()
    assert main(["check", str(out), "--no-physics", "--json"]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["events", "missing.c3d"], "missing.c3d"),
        (["imitate", "missing.c3d"], "missing.c3d"),
        (["imitate", "WALK", "--robot", "hrp9"], "hrp9"),
        (["imitate", "WALK", "--slow", "0.2"], "slow"),
        (["imitate", "STATIC"], "standing"),
    ],
)
def test_wrong_calls_are_one_sentence(laboratory, arguments, says, capsys):
    known = {"WALK": str(laboratory[0]), "STATIC": str(laboratory[1])}
    assert main([known.get(a, a) for a in arguments]) == 2
    said = capsys.readouterr().err
    assert says in said and "Traceback" not in said


def test_the_example_runs() -> None:
    path = next((Path(__file__).parents[2] / "examples").glob("08_*.py"))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    motion = module.main("hrp2", physics=False)
    assert motion.recipe["slower"] >= 1.0 and motion.contacts.parts == ("left_foot", "right_foot")
