"""A batch keeps every result, tells why each is not good, and goes on where it was."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from poise.door import examine, standing
from poise.engines.expressive import Style
from poise.errors import BadInput
from poise.fleet import work
from poise.fleet.batch import run_batch
from poise.fleet.crew import Answer
from poise.fleet.jobs import Parcel, WalkJob, packed
from poise.fleet.progress import Progress, span
from poise.fleet.quality import quality
from poise.fleet.result import CRASHED, GOOD, NOT_GOOD, REFUSED, Result
from poise.fleet.shelf import Shelf
from poise.fleet.table import ranked
from poise.fleet.trials import imitate_jobs
from poise.robot import load_robot


def job(key: str, **changes: Any) -> WalkJob:
    nao = load_robot("nao")
    usual = {"key": key, "robot": "nao", "model": "nao", "model_hash": nao.model_hash}
    return WalkJob(**(usual | {"style": Style(), "steps": 2, "knobs": {"sway": 1}} | changes))


ENDS = {
    "best": Result("best", "walk", "nao", GOOD, "", {"used_pct": 20.0}, {}, b"best"),
    "fine": Result("fine", "walk", "nao", GOOD, "", {"used_pct": 90.0}, {}, b"fine"),
    "bad": Result("bad", "walk", "nao", NOT_GOOD, "it slips", {"used_pct": 120.0}, {}, b"bad"),
    "no": Result("no", "walk", "nao", REFUSED, "impossible"),
}


class Pretend:
    """A crew that answers at once, with results that are known beforehand."""

    size = 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    def work(self, _: Callable, items: Iterable[Parcel]) -> Iterator[Answer]:
        for index, parcel in enumerate(items):
            self.asked.append(parcel.job.key)
            found = ENDS.get(parcel.job.key)
            if found is None:
                yield Answer(index, problem="its worker died 2 times")
            else:
                timing = {"seconds": 1.0, "cpu_seconds": 0.5}
                yield Answer(index, replace(found, figures=found.figures | {"sway": 1}, run=timing))


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    found = Shelf(tmp_path / "deep" / "out")
    with found.open():
        yield found


JOBS = [job(key) for key in ("no", "fine", "dead", "bad", "best")]


def test_every_job_that_is_not_good_has_a_reason(shelf: Shelf) -> None:
    summary = run_batch(JOBS, Pretend(), shelf)
    assert [result.key for result in summary.results] == ["best", "fine", "bad", "no", "dead"]
    assert not summary.ok and summary.skipped == 0
    lines = (shelf.folder / "failures.jsonl").read_text().splitlines()
    told = {line["key"]: (line["kind"], line["reason"]) for line in map(json.loads, lines)}
    assert told == {
        "bad": (NOT_GOOD, "it slips"),
        "no": (REFUSED, "impossible"),
        "dead": (CRASHED, "its worker died 2 times"),
    }
    assert shelf.motion_path("best").read_bytes() == b"best"
    assert not shelf.motion_path("no").exists()


def test_a_second_run_does_only_what_is_missing_changed_or_crashed(shelf: Shelf) -> None:
    run_batch(JOBS, Pretend(), shelf)
    shelf.motion_path("fine").unlink()
    shelf.motion_path("bad").write_bytes(b"ba")  # not whole
    changed = [replace(j, steps=3) if j.key == "best" else j for j in JOBS]
    crew = Pretend()
    summary = run_batch(changed, crew, shelf, skip_existing=True)
    assert sorted(crew.asked) == ["bad", "best", "dead", "fine"]
    assert summary.skipped == 1 and len(summary.results) == 5
    again = Pretend()
    run_batch(changed, again, shelf)
    assert len(again.asked) == 5, "without being told to, nothing is skipped"


def test_a_record_that_is_not_understood_is_made_again(shelf: Shelf) -> None:
    run_batch(JOBS[1:2], Pretend(), shelf)
    for text in ("", "[1]", '{"kind": "good"}', "{"):
        shelf.record_path("fine").write_text(text)
        assert shelf.find("fine", packed(JOBS[1]).fingerprint) is None


def test_tables_tell_the_same_in_every_format(shelf: Shelf) -> None:
    summary = run_batch(JOBS, Pretend(), shelf)
    assert set(summary.tables) == {"html", "csv", "parquet"}
    rows = list(csv.DictReader(io.StringIO((shelf.folder / "table.csv").read_text())))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert [row["kind"] for row in rows] == [GOOD, GOOD, NOT_GOOD, REFUSED, CRASHED]
    columns = parquet.read_table(shelf.folder / "table.parquet").to_pydict()
    assert list(columns) == list(rows[0])
    assert columns["used_pct"] == [20.0, 90.0, 120.0, None, None]
    page = (shelf.folder / "table.html").read_text()
    assert "it slips" in page and "http" not in page.replace("http-equiv", "")


def test_tables_are_written_when_a_run_breaks_off(shelf: Shelf) -> None:
    class Stopped(Pretend):
        def work(self, function: Callable, items: Iterable[Parcel]) -> Iterator[Answer]:
            yield next(iter(super().work(function, items)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(JOBS[1:], Stopped(), shelf)
    assert (shelf.folder / "table.csv").read_text().count("\n") == 2


def test_a_folder_serves_one_batch_at_a_time_and_is_cleared_of_halves(shelf: Shelf) -> None:
    with pytest.raises(BadInput, match="another batch"), Shelf(shelf.folder).open():
        pass
    file = shelf.folder.parent / "a file"
    file.touch()
    with pytest.raises(BadInput, match="the folder"), Shelf(file).open():
        pass
    other = Shelf(shelf.folder.parent / "other")
    half = other.folder / "results" / "nao" / ".x.npz.abc.part"
    half.parent.mkdir(parents=True)
    half.touch()
    with other.open():
        assert not half.exists()


def test_results_of_the_same_name_are_refused_before_anything_is_done(shelf: Shelf) -> None:
    crew = Pretend()
    with pytest.raises(BadInput, match="twice"):
        run_batch([job("same"), job("Same")], crew, shelf)
    assert crew.asked == []


def test_the_best_comes_first_and_room_decides_among_equals() -> None:
    order = [result.key for result in ranked(ENDS[k] for k in ("no", "bad", "fine", "best"))]
    assert order == ["best", "fine", "bad", "no"]
    worse = replace(ENDS["best"], key="worse", kind=NOT_GOOD, figures={"questions_failed": 3})
    one = replace(ENDS["bad"], figures={"questions_failed": 1, "used_pct": 500.0})
    assert [r.key for r in ranked([worse, one])] == ["bad", "worse"]


def test_quality_is_what_the_judge_says() -> None:
    robot = load_robot("nao")
    report = examine(standing(robot, 0.5), robot, physics=False).report
    found = quality(report)
    assert found["questions_failed"] == 0 and 0.0 <= found["used_pct"] <= 100.0
    used = report[found["used_by"]]
    assert found["used_pct"] == pytest.approx(100.0 * used.worst / used.limit)
    assert found["zmp_margin_mm"] == report["ZMP margin"].worst
    assert found["upright"] is None, "nobody replayed it"


def test_a_refusal_is_a_result_that_names_the_file_and_no_place_of_the_worker(
    tmp_path: Path,
) -> None:
    (tmp_path / "torn.c3d").write_bytes(b"\x02\x50 and nothing more")
    (torn,) = imitate_jobs([tmp_path], ["nao"])
    result = work.perform(packed(torn))
    assert result.kind == REFUSED and result.motion is None
    assert result.reason.startswith("torn.c3d: ")
    assert result.run["cpu_seconds"] >= 0.0


def test_a_worker_with_another_model_of_the_robot_refuses() -> None:
    result = work.perform(packed(job("x", model_hash="of another day")))
    assert result.kind == REFUSED and "the same model on every machine" in result.reason


def test_a_recording_that_vanished_is_refused_and_the_rest_is_done(
    shelf: Shelf, tmp_path: Path
) -> None:
    file = tmp_path / "gone.bvh"
    file.touch()
    jobs = [*imitate_jobs([file], ["nao"]), *JOBS[1:2]]
    file.unlink()
    summary = run_batch(jobs, Pretend(), shelf)
    assert [(r.key, r.kind) for r in summary.results] == [
        ("fine", GOOD),
        ("nao/gone.bvh", REFUSED),
    ]


# -- progress --------------------------------------------------------------------------


def test_progress_tells_how_many_and_how_long_it_will_take() -> None:
    now = [0.0]
    stream = io.StringIO()
    progress = Progress(10, stream, lambda: now[0])
    assert progress.left is None
    progress.skip()
    progress.skip()
    for k in range(4):
        now[0] = 30.0 * (k + 1)
        progress.done(ENDS["fine" if k else "no"])
    assert progress.left == pytest.approx(120.0)
    progress.show(last=True)
    assert len(stream.getvalue().splitlines()) == 4, "the same is not said twice"
    last = stream.getvalue().splitlines()[-1]
    assert last == "6 of 10, 2 done before, 3 good, 1 refused, 2 min so far, 2 min left"


def test_a_terminal_gets_a_bar_on_one_line() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now = [0.0]
    stream = Terminal()
    progress = Progress(2, stream, lambda: now[0])
    now[0] = 1.0
    progress.done(ENDS["fine"])
    progress.show(last=True)
    assert stream.getvalue().count("\n") == 1 and "[############....]" not in stream.getvalue()
    assert "#" * 12 + "." * 12 in stream.getvalue()


def test_times_are_for_people() -> None:
    said = [span(s) for s in (4.2, 600.0, 7200.0, 500000.0)]
    assert said == ["4 s", "10 min", "2.0 h", "5.8 days"]
