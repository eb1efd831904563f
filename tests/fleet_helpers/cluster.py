"""A real Dask scheduler and real workers on loopback, each a process that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PATIENCE = 120.0  # [s], on a busy machine


@dataclass
class Loopback:
    """A scheduler's address and the processes of its workers by name."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)


@contextmanager
def loopback(folder: Path, workers: int = 2) -> Iterator[Loopback]:
    """Start a scheduler and some workers of one thread; end them all afterwards."""
    file = folder / "scheduler.json"
    started = [
        _dask(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
    ]
    try:
        found = Loopback(_address(file, started[0]), started[0])
        for k in range(workers):
            name = f"worker-{k}"
            options = ("--nthreads", "1", "--no-nanny", "--name", name)
            process = _dask(folder, "worker", found.address, *options)
            started.append(process)
            found.workers[name] = process
        yield found
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _dask(folder: Path, kind: str, *options: str | Path) -> subprocess.Popen[bytes]:
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "dask", kind, "--no-dashboard", *map(str, options)]
    with (folder / f"{kind}.log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def _address(file: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, "the scheduler ended"
        if file.exists() and (text := file.read_text()):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    raise AssertionError("the scheduler did not come up")
