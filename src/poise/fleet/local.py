"""The cores of this machine: processes of one thread each, replaced when they die."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import Thread
from types import TracebackType
from typing import Any, Self

from poise.errors import BadInput
from poise.files import one_line
from poise.fleet.crew import Answer

MOST_DEATHS = 2  # an item that takes its worker down this often is given up
MOST_WORKERS = 1024
GRACE = 5.0  # [s], for a process whose pipe has closed to be gone


@dataclass
class _Errand:
    """An item on its way, and how many workers it has outlived."""

    index: int
    item: Any
    deaths: int = 0


@dataclass
class _Worker:
    """A process with the pipe to it and what it is doing."""

    process: SpawnProcess
    pipe: Connection
    errand: _Errand | None = field(default=None)


class LocalCores:
    """A crew of processes on this machine."""

    def __init__(self, workers: int | None = None) -> None:
        """Take as many processes as there are cores, or as many as are asked for."""
        if workers is not None and not 1 <= workers <= MOST_WORKERS:
            raise BadInput("batch", "--workers", f"{workers}", f"1 to {MOST_WORKERS}")
        self._size = workers or _cores()
        self._workers: list[_Worker] = []

    @property
    def size(self) -> int:
        """How many processes work at once."""
        return self._size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._dismiss(list(self._workers))

    def work(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Answer]:
        """Answers as they come.

        A worker that dies gives its item back, and the next one takes it; when that happens
        twice to the same item, its answer says so.
        """
        fresh = (_Errand(index, item) for index, item in enumerate(items))
        again: deque[_Errand] = deque()

        def next_errand() -> _Errand | None:
            return again.popleft() if again else next(fresh, None)

        try:
            for _ in range(self._size):
                errand = next_errand()
                if errand is None:
                    break
                self._send(self._hired(), function, errand)
            while busy := [worker for worker in self._workers if worker.errand is not None]:
                for worker in _ready(busy):
                    errand, worker.errand = worker.errand, None
                    assert errand is not None
                    answer = self._heard(worker, errand)
                    if answer is None:
                        again.append(errand)
                    coming = next_errand()  # before the answer is looked at, so that nobody idles
                    if coming is not None:
                        self._send(self._hired(), function, coming)
                    if answer is not None:
                        yield answer
        finally:  # whoever is still busy, after an early end, would answer the wrong question later
            self._dismiss([worker for worker in self._workers if worker.errand is not None])

    def _hired(self) -> _Worker:
        """Somebody who is free: a worker that waits, or a new one."""
        for worker in self._workers:
            if worker.errand is None:
                return worker
        context = get_context("spawn")  # nothing of this process leaks into a worker
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()  # or its death would not be heard
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _send(self, worker: _Worker, function: Callable[[Any], Any], errand: _Errand) -> None:
        worker.errand = errand
        with suppress(OSError):  # it is dead already, which is noticed when it is listened to
            worker.pipe.send((function, errand.item))

    def _dismiss(self, workers: list[_Worker]) -> None:
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.join()
            worker.pipe.close()
            self._workers.remove(worker)

    def _heard(self, worker: _Worker, errand: _Errand) -> Answer | None:
        """The answer of a worker; None when it died and its item should be tried again."""
        try:
            value, problem = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(GRACE)
            self._dismiss([worker])
            errand.deaths += 1
            if errand.deaths < MOST_DEATHS:
                return None
            return Answer(errand.index, problem=_obituary(worker.process.exitcode, errand.deaths))
        return Answer(errand.index, value, problem)


def _ready(busy: list[_Worker]) -> list[_Worker]:
    """Workers that said something; the end of a pipe counts as something."""
    heard = wait([worker.pipe for worker in busy])
    return [worker for worker in busy if worker.pipe in heard]


def _obituary(code: int | None, deaths: int) -> str:
    how = f"ended with exit code {code}"
    if code is not None and code < 0:
        with suppress(ValueError):
            how = f"was killed by {signal.Signals(-code).name}"
    return (
        f"its worker process died {deaths} times, at last it {how};"
        " perhaps the machine has too little memory"
    )


def _cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# -- in the worker ---------------------------------------------------------------------


def _serve(pipe: Connection) -> None:
    """Do what comes through the pipe until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who gives the orders
    os.dup2(2, 1)  # standard output belongs to the command's result
    Thread(target=_go_with_the_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            function, item = pipe.recv()
            pipe.send(_tried(function, item))


def _tried(function: Callable[[Any], Any], item: Any) -> tuple[Any, str]:
    try:
        return function(item), ""
    except BaseException as problem:  # the border of the process: what goes wrong travels as words
        return None, one_line(f"{type(problem).__name__}: {problem}")


def _go_with_the_parent() -> None:
    """End this process when the one that started it is gone, even in the middle of work."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
