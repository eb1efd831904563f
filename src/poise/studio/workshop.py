"""Heavy or doubtful work in processes of their own: the page goes on, whatever happens there.

Walks are made and judged here, uploads are read here. A file that crashes a parser or never comes
to an end takes only its own process with it; the next job gets a new one. Browsers work side by
side, as many at once as there are workers; the next one waits for a free worker.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time as clock
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as Late
from typing import Any, TypeVar

from poise.errors import PoiseError

T = TypeVar("T")
PATIENCE = 600.0  # [s], for a job
LOOK = 0.25  # [s], between two looks whether somebody still waits for it
WORKERS = max(2, os.cpu_count() or 1)  # at once: one browser's long plan must not stop the others


class Workshop:
    """Workers that are started when they are needed, and again when they died.

    Args:
        workers: at most at once.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(workers)
        self._idle: ProcessPoolExecutor | None = None  # one is kept warm
        self._busy: list[ProcessPoolExecutor] = []
        self._closed = False

    def run(
        self,
        job: Callable[..., T],
        *args: Any,
        patience: float = PATIENCE,
        left: threading.Event | None = None,
    ) -> T:
        """Do a job and wait for its answer.

        Args:
            job: a function of a module, whose arguments and answer can be sent.
            *args: of the job.
            patience: how long it may take once it has begun [s].
            left: set when nobody waits for the answer any more.

        Raises:
            PoiseError: what the job raised, or that it crashed or took too long.
        """
        left = left or threading.Event()
        while not self._places.acquire(timeout=LOOK):
            _still_wanted(left)
        try:
            good, answer = self._done(job, args, patience, left)
        finally:
            self._places.release()
        if not good:
            raise PoiseError(answer)
        done: T = answer
        return done

    def _done(
        self,
        job: Callable[..., Any],
        args: tuple[Any, ...],
        patience: float,
        left: threading.Event,
    ) -> tuple[bool, Any]:
        worker = self._take()
        healthy = False
        try:
            answer = _awaited(worker.submit(_attempt, job, args), patience, left)
            healthy = True
        except Late:
            raise PoiseError(f"This took longer than {patience:.0f} s and was given up.") from None
        except BrokenExecutor:
            raise PoiseError("The work was too much for its process, which ended.") from None
        finally:
            self._give_back(worker, healthy)
        return answer

    def warm(self) -> None:
        """Start a worker now, in the background, unless there is one."""
        with self._lock:
            if self._closed or self._idle is not None or self._busy:
                return
            self._idle = _worker()
            self._idle.submit(_import_everything)

    def close(self) -> None:
        """End the workers."""
        with self._lock:
            self._closed = True
            workers = [*self._busy, *([self._idle] if self._idle is not None else [])]
            self._idle = None
        for one in workers:
            _kill(one)

    def _take(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._closed:
                raise PoiseError("The studio is closing.")
            worker, self._idle = self._idle or _worker(), None
            self._busy.append(worker)
            return worker

    def _give_back(self, worker: ProcessPoolExecutor, healthy: bool) -> None:
        with self._lock:
            self._busy.remove(worker)
            keep = healthy and self._idle is None and not self._closed
            if keep:
                self._idle = worker
        if not keep:
            _kill(worker)


def _worker() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")  # threads and forks do not mix
    return ProcessPoolExecutor(1, mp_context=context)


def _still_wanted(left: threading.Event) -> None:
    if left.is_set():
        raise PoiseError("Nobody waits for this any more.")


def _awaited(
    future: Future[tuple[bool, Any]], patience: float, left: threading.Event
) -> tuple[bool, Any]:
    """The answer, as long as somebody waits for it."""
    latest = clock.monotonic() + patience
    while True:
        try:
            return future.result(timeout=min(LOOK, max(latest - clock.monotonic(), 0.0)))
        except Late:
            _still_wanted(left)
            if clock.monotonic() >= latest:
                raise


def _kill(pool: ProcessPoolExecutor) -> None:
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join(timeout=5.0)


def _attempt(job: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
    """The answer of a job, or the sentence of what went wrong (errors do not travel well)."""
    try:
        return True, job(*args)
    except PoiseError as error:
        return False, str(error)
    except (MemoryError, RecursionError):
        return False, "This is more than the memory of this machine can hold."
    except Exception as error:  # whatever it is: the log has all of it, the page a sentence
        traceback.print_exc()
        return False, f"An error that poise does not know ended this ({type(error).__name__})."


def _import_everything() -> None:
    import poise.door
    import poise.simulation
    import poise.studio.jobs  # noqa: F401
