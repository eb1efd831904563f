"""Many motions: all cores against one, on the same jobs.

Whole jobs of `poise batch imitate` (reading, retargeting, judging with a physics replay), done by
one worker and by one a core, who take turns. Times are by the clock, because waiting for each
other is what would make a crew slow; other programs on the machine disturb them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from poise.bench.measure import Absent, Result, compare
from poise.errors import PoiseError
from poise.examples.synthetic import write_synthetic_trial
from poise.fleet.crew import Crew
from poise.fleet.jobs import packed
from poise.fleet.local import LocalCores
from poise.fleet.trials import imitate_jobs
from poise.fleet.work import perform

ROBOTS = ("hrp2", "hoap3")
JOBS = 20  # in one measurement: the last ones, for which others wait, should not count much
ROUNDS = 1
EFFICIENCY = 0.9  # of the cores, promised: 1.8 times the throughput on two


def run() -> list[Result | Absent]:
    """Measure how long an imitation takes when many are wanted."""
    with tempfile.TemporaryDirectory() as folder:
        walk = write_synthetic_trial(folder)[0]
        parcels = [packed(job) for job in imitate_jobs([walk], ROBOTS)]
    return [throughput(f"imitated walk, {', '.join(ROBOTS)}", perform, parcels, JOBS)]


def throughput(
    name: str, function: Callable[[Any], Any], items: Sequence[Any], jobs: int
) -> Result | Absent:
    """Seconds a job by a crew of one a core, against those by a crew of one.

    Args:
        name: of the result.
        function: what a job does, found by its import path.
        items: what it does it to, taken in turns.
        jobs: in one measurement.
    """
    everybody = LocalCores()
    if everybody.size < 2:
        return Absent(name, "one worker", "this machine has one core.")
    with everybody, LocalCores(1) as one:
        for crew in (everybody, one):  # a worker's first job loads its libraries
            _seconds(crew, function, items, crew.size)
        times = np.array(
            [
                [_seconds(crew, function, items, jobs) for crew in (everybody, one)]
                for _ in range(ROUNDS)
            ]
        )
    peer = f"one worker ({everybody.size} cores)"
    return compare(name, times[:, 0], peer, times[:, 1], 1.0 / (EFFICIENCY * everybody.size))


def _seconds(crew: Crew, function: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> float:
    """How long a crew takes for a job [s], on average."""
    start = perf_counter()
    for answer in crew.work(function, [items[k % len(items)] for k in range(jobs)]):
        if answer.problem:
            raise PoiseError(f"bench fleet: {answer.problem}")
    return (perf_counter() - start) / jobs
