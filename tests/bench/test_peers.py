"""Peers: measured in turns where they are, reported in one sentence where they are not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from poise.bench import BENCHMARKS, growth, peers, stack
from poise.bench.measure import Absent, Result, compare
from poise.bench.page import page, table, write_page
from poise.cli import main
from poise.robot import load_robot

SCRIPT = """
import sys
sys.path.insert(0, {scripts!r})
from serving import problem, serve
problem()
print("a library says hello")
{body}
"""
PROBLEM = {"urdf": "<robot/>"}


@pytest.fixture
def settle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Settle a peer of this name, whose script does this, in this Python."""
    real = peers.SCRIPTS
    monkeypatch.setattr(peers, "SCRIPTS", tmp_path / "scripts")
    monkeypatch.setattr(peers, "HOMES", tmp_path / "homes")
    (tmp_path / "scripts").mkdir()

    def one(name: str, body: str) -> None:
        text = SCRIPT.format(scripts=str(real), body=body)
        (tmp_path / "scripts" / f"{name}.py").write_text(text, "utf-8")
        home = tmp_path / "homes" / name / "bin"
        home.mkdir(parents=True)
        (home / "python").symlink_to(sys.executable)

    return one


def test_a_peer_takes_turns_and_says_how_well_it_did(settle) -> None:
    settle("quick", "serve(lambda: sum(range(1000)), lambda: {'error_mm': 0.5})")
    times, told, absent = peers.in_turns(
        "sums", PROBLEM, {"quick": "quick.py"}, {"mine": lambda: None}, rounds=3, each=4, warm=1
    )
    assert len(times["mine"]) == len(times["quick"]) == 12 and not absent
    assert np.median(times["quick"]) > np.median(times["mine"])
    assert told == {"quick": {"error_mm": 0.5}}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import a_library_that_is_not_there", "No module named 'a_library_that_is_not_there'"),
        ("import os; os.abort()", "crashed (signal 6)"),
        ("serve(lambda: 1 / 0)", "ZeroDivisionError"),
    ],
)
def test_a_peer_that_fails_is_reported_in_one_sentence(settle, body: str, says: str) -> None:
    settle("broken", body)
    times, _, absent = peers.in_turns(
        "sums", PROBLEM, {"broken": "broken.py"}, {"mine": lambda: None}, 1, 1, 1
    )
    assert list(times) == ["mine"]
    assert len(absent) == 1 and says in absent[0].why and "\n" not in absent[0].why


def test_a_peer_that_is_not_installed_is_reported(settle, tmp_path: Path) -> None:
    settle("there", "serve(lambda: 0)")
    (tmp_path / "scripts" / "gone.py").write_text("")
    (tmp_path / "homes" / "there" / "failed.log").write_text("...\nERROR: no such version\n")
    names = {"gone": "gone.py", "there": "there.py", "unwritten": "unwritten.py"}
    _, _, absent = peers.in_turns("sums", PROBLEM, names, {}, 1, 1, 1)
    why = {row.peer: row.why for row in absent}
    assert "make bench" in why["gone"] and "no such version" in why["there"]
    assert "repository" in why["unwritten"]


def test_the_page_has_every_number_and_every_absence() -> None:
    rows = [
        Result("tick", 120.4, 150.0, "us", "mink", 0.55, 0.5, 219.0),
        Result("tick", 120.4, 150.0, "us", "placo", 2.5, 3.0, 48.0),
        Absent("tick", "tsid", "tsid crashed (signal 11)"),
    ]
    text = page("a machine", {"stack": rows}, {"stack": "ticks of everybody"})
    assert "| tick | 120 | 150 | us | mink | 219 | 0.55 | at most 0.5, **not kept** |" in text
    assert "| 2.50 | at most 3 |" in text and "against tsid: tsid crashed (signal 11)" in text
    assert "## stack" in text and "a machine" in text and "Ticks of everybody." in text


def test_a_table_of_absences_alone_has_no_empty_table() -> None:
    assert "|" not in table([Absent("tick", "tsid", "why")])


def test_eight_frames_are_tracked_and_named_as_in_the_urdf() -> None:
    robot = load_robot("nao")
    frames = stack.frames_of(robot)
    told = stack.problem_of(robot, frames)
    assert len(frames) == 8 and all(f'name="{f["link"]}"' in told["urdf"] for f in frames)
    assert all(f'name="{f["joint"]}"' in told["mjcf"] for f in frames)
    assert "<visual" not in told["urdf"] and json.dumps(told)
    for strict in (False, True):
        ticks = stack.Ticks(robot, frames, strict)
        for _ in range(20):
            ticks()
        assert ticks.error() < 20.0


def test_a_wrong_benchmark_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "stak"]) == 2
    said = capsys.readouterr().err
    assert "stack" in said and "Traceback" not in said


def test_the_command_writes_its_page(tmp_path: Path, monkeypatch, capsys) -> None:
    found = [Result("tick", 1.0, 2.0, "us", "bare", 1.5), Absent("tick", "tsid", "crashed")]
    monkeypatch.setattr("poise.commands.bench.benchmark", lambda name: lambda: found)
    assert main(["bench", "control", "--write", str(tmp_path / "page.md"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["results"][0]["ratio"] == 1.5 and told["absent"][0]["why"] == "crashed"
    assert BENCHMARKS["control"][1:] in (tmp_path / "page.md").read_text("utf-8")


def test_growth_is_measured_against_the_smallest_and_drawn(tmp_path: Path) -> None:
    sizes = [(n, np.full(5, 1e-3 * n**2), "nao") for n in (2.0, 4.0, 8.0)]
    rows = growth.series("solving", "spans", sizes)
    assert [row.ratio for row in rows] == pytest.approx([1.0, 4.0, 16.0])
    assert growth.exponent(rows) == pytest.approx(2.0)
    faster = Result("tick", 10.0, 12.0, "us", "mink", 0.5, 0.5, 20.0)
    written = write_page("a machine", {"all": [faster, *rows]}, {"all": "all"}, tmp_path / "b.md")
    assert [path.name for path in written] == ["b.md", "bench-ratios.png", "bench-growth.png"]
    assert all(path.stat().st_size > 1000 for path in written[1:])
    assert "](pictures/bench-growth.png)" in written[0].read_text("utf-8")


def test_times_are_told_in_a_unit_that_can_be_read() -> None:
    short = compare("a", np.full(3, 2e-4), "b", np.full(3, 1e-4))
    long = compare("a", np.full(3, 25.0), "b", np.full(3, 50.0))
    assert (short.p50, short.unit, short.theirs) == (pytest.approx(200.0), "us", pytest.approx(100))
    assert (long.p50, long.unit, long.ratio) == (pytest.approx(25.0), "s", pytest.approx(0.5))
