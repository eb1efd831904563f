"""A batch: many jobs, one crew, one shelf; every job ends as a result with a reason."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from poise.errors import BadInput, PoiseError
from poise.fleet.crew import Crew
from poise.fleet.jobs import Job, Parcel, packed
from poise.fleet.progress import Progress
from poise.fleet.publishing import Publisher
from poise.fleet.result import CRASHED, GOOD, REFUSED, Result
from poise.fleet.shelf import Shelf
from poise.fleet.table import ranked
from poise.fleet.work import perform


@dataclass(frozen=True)
class Summary:
    """What a batch came to."""

    results: tuple[Result, ...]  # the best first, without motions and reports
    skipped: int  # done in an earlier run
    seconds: float  # this run, from beginning to end
    cpu_seconds: float  # of all workers in this run
    at_once: float  # jobs at work at the same time, on average
    tables: dict[str, str | None]  # by format; None for one that could not be written

    def count(self, kind: str) -> int:
        """How many ended this way."""
        return sum(result.kind == kind for result in self.results)

    @property
    def ok(self) -> bool:
        """Whether every job gave a good motion."""
        return all(result.kind == GOOD for result in self.results)


def run_batch(
    jobs: Sequence[Job],
    crew: Crew,
    shelf: Shelf,
    skip_existing: bool = False,
    progress: Progress | None = None,
    title: str = "batch",
) -> Summary:
    """Do all jobs and keep what comes of each as soon as it is there.

    Args:
        jobs: with different keys.
        crew: who works, already entered.
        shelf: where results are kept, already open.
        skip_existing: leave out what an earlier run finished with the same settings and inputs.
        progress: told about every result.
        title: of the page.
    """
    _different(jobs)
    progress = progress or Progress(len(jobs))
    results: dict[str, Result] = {}
    sent: dict[int, tuple[Job, str]] = {}

    def keep(result: Result, fingerprint: str) -> None:
        shelf.put(result, fingerprint)
        results[result.key] = _light(result)
        progress.done(result)

    numbers = itertools.count()

    def parcels() -> Iterator[Parcel]:
        for job in jobs:
            try:
                parcel = packed(job)
            except PoiseError as error:
                keep(_without_motion(job, REFUSED, str(error)), "unreadable")
                continue
            fingerprint = parcel.fingerprint
            known = shelf.find(job.key, fingerprint) if skip_existing else None
            if known is not None:
                results[job.key] = _light(known)
                progress.skip()
                continue
            sent[next(numbers)] = (job, fingerprint)
            yield parcel

    publisher = Publisher(shelf.folder, title)
    try:
        for answer in crew.work(perform, parcels()):
            job, fingerprint = sent.pop(answer.index)
            broken = bool(answer.problem)
            result = _without_motion(job, CRASHED, answer.problem) if broken else answer.value
            keep(result, fingerprint)
            publisher.perhaps(list(results.values()))
    finally:  # after Ctrl-C or the loss of a scheduler too: the tables tell what there is
        tables = publisher.publish(list(results.values()))
    best_first = tuple(ranked(results.values()))
    seconds = progress.seconds
    at_once = progress.worked / max(seconds, 1e-9)
    return Summary(best_first, progress.skipped, seconds, progress.cost, at_once, tables)


def _light(result: Result) -> Result:
    """What the tables need: the rest is on the disk, and a million of them are kept in mind."""
    return replace(result, motion=None, report=None)


def _without_motion(job: Job, kind: str, reason: str) -> Result:
    return Result(job.key, job.verb, job.robot, kind, " ".join(reason.split()), dict(job.about))


def _different(jobs: Sequence[Job]) -> None:
    seen: set[str] = set()
    for job in jobs:
        if job.key.lower() in seen:  # some disks do not tell capitals apart
            accepted = "inputs and robots whose results have different names"
            raise BadInput("batch", "the name of a result", f"'{job.key}' twice", accepted)
        seen.add(job.key.lower())
