"""A real scheduler and two real workers: the same results as here, and none lost with a worker."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Thread

import pytest

from fleet_helpers.cluster import Loopback, loopback
from fleet_helpers.errands import double, fail_on_three
from poise.commands.safe_area import spread
from poise.engines.interact.proving import proved
from poise.engines.interact.safe_area import box_area
from poise.engines.interact.sampling import Grid, sample
from poise.errors import BadInput, PoiseError
from poise.fleet.batch import run_batch
from poise.fleet.cluster import Cluster
from poise.fleet.crew import mapped
from poise.fleet.grid import walk_jobs
from poise.fleet.shelf import Shelf
from poise.robot import load_robot

GRID = 'robots = ["nao"]\nsteps = 2\n[knobs]\nsway = [0.95, 1.05]\n'
KEYS = [f"nao/normal,sway={sway}" for sway in ("0.95", "1.05")]


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("grid") / "grid.toml"
    path.write_text(GRID)
    return path


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory):
    with loopback(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def call(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "poise.cli", "batch", *map(str, arguments)]


@pytest.fixture(scope="module")
def local(grid: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict, list[str]]:
    """A local run that is killed after its first result and started again."""
    out = tmp_path_factory.mktemp("local") / "out"
    start = call("walk", grid, "--no-physics", "--workers", "1", "--out", out)
    run = subprocess.Popen(start, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300.0
    while not (before := sorted(out.rglob("*.json"))):
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    stamps = {path: path.stat().st_mtime_ns for path in sorted(out.rglob("*.json"))}
    again = subprocess.run([*start, "--skip-existing", "--json"], capture_output=True, text=True)
    told = json.loads(again.stdout)
    redone = [path.name for path, stamp in stamps.items() if path.stat().st_mtime_ns != stamp]
    assert before
    return out, told | {"kept": len(stamps)}, redone


def everything(out: Path) -> dict[str, tuple[bytes, dict]]:
    """Motions and records by key, without when and where they were made."""
    found = {}
    for path in sorted((out / "results").rglob("*.json")):
        record = json.loads(path.read_text())
        assert record.pop("run")["cpu_seconds"] > 0.0
        found[record["key"]] = (path.with_name(path.name[:-5] + ".npz").read_bytes(), record)
    return found


def test_a_killed_run_starts_again_with_what_was_not_finished(local) -> None:
    out, told, redone = local
    assert told["jobs"] == 2 and told["counts"]["good"] == 2 and told["ok"]
    assert told["skipped"] == told["kept"] == 1
    assert redone == []
    assert sorted(everything(out)) == KEYS
    assert not list(out.rglob("*.part")), "nothing half-written is left"


def kill_in_the_middle(crew: Cluster, cluster: Loopback, name: str) -> None:
    """Kill a worker as soon as it has been at work for a moment."""
    names = {w["id"]: address for address, w in crew.client.scheduler_info()["workers"].items()}
    end = time.monotonic() + 120.0
    while not crew.client.processing()[names[name]] and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.1)  # less than the quickest job takes
    cluster.workers[name].kill()


def test_a_cluster_of_which_a_worker_is_killed_gives_the_same_bits(
    cluster: Loopback, local, grid: Path, tmp_path: Path
) -> None:
    shelf = Shelf(tmp_path)
    jobs = walk_jobs(grid, physics=False)
    with Cluster(cluster.address, patience=120.0) as crew, shelf.open():
        crew.client.wait_for_workers(2, timeout=120)
        assert mapped(crew, double, [1.0, 2.0, 3.0], chunk=2) == [2.0, 4.0, 6.0]
        problems = [answer.problem for answer in crew.work(fail_on_three, [3])]
        assert problems == ["ValueError: three is not wanted"]
        crew.client.run(import_module, "poise.fleet.work")
        killer = Thread(target=kill_in_the_middle, args=(crew, cluster, "worker-0"))
        killer.start()
        summary = run_batch(jobs, crew, shelf)
        killer.join()
        assert cluster.workers["worker-0"].wait(10) == -signal.SIGKILL
    assert summary.count("good") == 2
    survivor = cluster.workers["worker-1"].pid
    pids = [json.loads(path.read_text())["run"]["pid"] for path in tmp_path.rglob("*.json")]
    assert pids == [survivor, survivor], "the other one was killed before it had finished anything"
    assert everything(local[0]) == everything(tmp_path)


def test_safe_footprints_found_on_a_cluster_are_those_found_here(cluster: Loopback) -> None:
    robot, few = load_robot("nao"), Grid(step=0.2, across=0.2, turns=(0.0,))
    box = box_area("nao", 0.05, -0.12, -0.1, 0.0)
    square = replace(box, turns=box.turns[1:2], offsets=box.offsets[1:2])
    with Cluster(cluster.address, patience=120.0) as crew:
        there = sample(robot, few, spread(crew))
        proved_there = proved(robot, square, 4, spread(crew))
    here, proved_here = sample(robot, few), proved(robot, square, 4)
    assert (here.good == there.good).all() and here.reasons == there.reasons
    assert (here.rows == there.rows).all()
    assert here.good.any() and not here.good.all()
    assert (proved_here.area.offsets == proved_there.area.offsets).all()
    assert proved_here.walks == proved_there.walks == 4 and proved_here.pairs >= 16


def test_the_loss_of_the_scheduler_is_one_sentence_that_says_how_to_go_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        loopback(tmp_path, workers=1) as mortal,
        pytest.raises(PoiseError, match="--skip-existing"),
        Cluster(mortal.address, patience=120.0) as crew,
    ):
        for answer in crew.work(time.sleep, [0.1] * 1000):
            if answer.index == 2:
                mortal.scheduler.kill()
    assert "Traceback" not in capfd.readouterr().err


def test_addresses_without_a_scheduler_or_without_workers_are_one_sentence(
    tmp_path: Path,
) -> None:
    for address, says in (
        ("banana", "not an address"),
        ("tcp://127.0.0.1:1", "out of reach"),
    ):
        with pytest.raises(BadInput, match=says), Cluster(address, patience=1.0):
            pass
    with (
        loopback(tmp_path, workers=0) as empty,
        pytest.raises(BadInput, match="dask worker tcp"),
        Cluster(empty.address, patience=1.0),
    ):
        pass
