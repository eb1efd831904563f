"""Many motions by one command: a folder of recordings and a grid, from the call to the table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import poise
from poise.cli import main
from poise.examples import write_synthetic_trial


def told(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict, str]:
    """Exit code, JSON and standard error of a call of the command."""
    code = main(["batch", *map(str, arguments), "--json"])
    seen = capsys.readouterr()
    return code, json.loads(seen.out), seen.err


def test_a_folder_of_recordings_becomes_motions_reasons_and_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lab, out = tmp_path / "lab", tmp_path / "out"
    lab.mkdir()
    for path in write_synthetic_trial(lab)[2:]:
        path.unlink()  # the trials for the hips
    call = ("imitate", lab, "--robot", "nao", "--rate", "50", "--no-physics", "--out", out)
    code, found, said = told(capsys, *call, "--workers", "2")
    assert code == 1 and found["jobs"] == 2 and found["counts"]["crashed"] == 0
    assert "2 of 2" in said
    assert found["counts"]["refused"] == 1
    reasons = {
        line["key"]: line["reason"]
        for line in map(json.loads, (out / "failures.jsonl").read_text().splitlines())
    }
    assert "standing" in reasons["nao/static.c3d"]
    assert len(reasons) == 2 - found["counts"]["good"] and all(reasons.values())
    motion = poise.load(out / "results/nao/walk.c3d.npz")
    assert motion.recipe["source"] == "walk.c3d"
    with (out / "table.csv").open() as file:
        rows = {row["trial"]: row for row in csv.DictReader(file)}
    assert 0.0 < float(rows["walk.c3d"]["leg_correlation"]) <= 1.0
    assert float(rows["walk.c3d"]["slower"]) >= 1.0 and rows["walk.c3d"]["rank"] == "1"
    code, again, _ = told(capsys, *call, "--skip-existing")
    assert again["skipped"] == 2 and again["counts"] == found["counts"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["imitate", "EMPTY"], "without any recording"),
        (["imitate", "missing"], "missing"),
        (["imitate", "EMPTY", "--robot", "hrp9"], "hrp9"),
        (["imitate", "EMPTY", "--robot", ","], "--robot"),
        (["imitate", "EMPTY", "--slow", "0.1"], "slow"),
        (["walk", "missing.toml"], "missing.toml"),
        (["walk", "GRID", "--workers", "0"], "--workers"),
        (["walk", "GRID", "--scheduler", "nobody"], "--scheduler nobody"),
        (["walk", "GRID", "--workers", "1", "--scheduler", "tcp://127.0.0.1:1"], "--workers"),
        (["dance", "EMPTY"], "dance"),
        (["walk", "BAD"], "swey"),
    ],
)
def test_wrong_calls_are_one_sentence(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "grid.toml").write_text("steps = 1\n")
    (tmp_path / "bad.toml").write_text("steps = 1\n[knobs]\nswey = 1.0\n")
    (tmp_path / "empty").mkdir()
    known = {name.upper(): str(tmp_path / f"{name}.toml") for name in ("grid", "bad")}
    known["EMPTY"] = str(tmp_path / "empty")
    out = tmp_path / "out"
    assert main(["batch", *[known.get(a, a) for a in arguments], "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert says in said and "Traceback" not in said and said.count("\n") == 1
    assert not out.exists(), "nothing is begun"
