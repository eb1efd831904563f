"""Local cores: every item is answered, whatever happens to the processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet_helpers.errands import (
    chatter,
    die_on_three,
    die_once,
    double,
    fail_on_three,
    slowly,
    who,
)
from poise.errors import BadInput, PoiseError
from poise.fleet.crew import mapped
from poise.fleet.local import LocalCores


@pytest.fixture(scope="module")
def two() -> Iterator[LocalCores]:
    with LocalCores(2) as crew:
        yield crew


def test_values_come_in_the_order_of_the_items(two: LocalCores) -> None:
    assert mapped(two, slowly, range(7)) == list(range(7))
    assert mapped(two, double, [0.5, 1.5, 2.5], chunk=2) == [1.0, 3.0, 5.0]
    assert mapped(two, double, []) == []


def test_work_is_done_elsewhere_by_as_many_processes_as_were_asked_for(two: LocalCores) -> None:
    found = set(mapped(two, who, range(12)))
    assert os.getpid() not in found and 1 <= len(found) <= 2


def test_items_are_taken_only_as_somebody_is_free(two: LocalCores) -> None:
    taken = []

    def items() -> Iterator[int]:
        for k in range(1000):
            taken.append(k)
            yield k

    for answer in two.work(slowly, items()):
        assert len(taken) <= answer.index + 1 + 2 * two.size
        if len(taken) > 20:
            break
    assert mapped(two, double, [1.0, 2.0]) == [2.0, 4.0], "nothing of the broken off work is left"


def test_an_exception_is_an_answer_in_one_line() -> None:
    with LocalCores(1) as crew:
        answers = sorted(crew.work(fail_on_three, range(5)), key=lambda a: a.index)
        assert [a.value for a in answers] == [0, 1, 2, None, 4]
        assert answers[3].problem == "ValueError: three is not wanted"
        with pytest.raises(PoiseError, match="three is not wanted"):
            mapped(crew, fail_on_three, [3])


def test_a_killed_process_loses_no_item_and_a_killer_is_given_up(tmp_path: Path) -> None:
    with LocalCores(2) as crew:
        names = [str(tmp_path / f"{k}") for k in range(2)]
        assert mapped(crew, die_once, names) == ["0", "1"]
        answers = sorted(crew.work(die_on_three, range(6)), key=lambda a: a.index)
    assert [a.value for a in answers] == [0, 1, 2, None, 4, 5]
    assert "died 2 times" in answers[3].problem and "SIGKILL" in answers[3].problem


def test_workers_go_when_the_one_that_started_them_is_killed(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    code = (
        "from poise.fleet.local import LocalCores\n"
        "from fleet_helpers.errands import sleep_long\n"
        "if __name__ == '__main__':\n"
        f"    list(LocalCores(1).work(sleep_long, [{str(marker)!r}]))\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    boss = subprocess.Popen([sys.executable, script], env=os.environ | {"PYTHONPATH": paths})
    worker = int(_soon(lambda: marker.exists() and marker.read_text()))
    boss.kill()
    boss.wait()
    assert _soon(lambda: not _alive(worker))


def test_what_workers_print_stays_out_of_the_results_of_the_command(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with LocalCores(1) as crew:
        assert mapped(crew, chatter, [1]) == [1]
    seen = capfd.readouterr()
    assert seen.out == "" and "words of some library" in seen.err


def test_a_crew_of_nobody_is_refused() -> None:
    with pytest.raises(BadInput, match="--workers"):
        LocalCores(0)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"  # an orphan in a container may find nobody who buries it


def _soon(what, patience: float = 60.0):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")
