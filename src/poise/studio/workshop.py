"""Heavy or doubtful work in a process of its own: the page goes on, whatever happens there.

Walks are made and judged here, uploads are read here. A file that crashes a parser or never comes
to an end takes only this process with it; the next job gets a new one.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from concurrent.futures import TimeoutError as Late
from typing import Any, TypeVar

from poise.errors import PoiseError

T = TypeVar("T")
PATIENCE = 600.0  # [s], for a job


class Workshop:
    """One worker that is started when it is first needed, and again when it died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False

    def run(self, job: Callable[..., T], *args: Any, patience: float = PATIENCE) -> T:
        """Do a job and wait for its answer.

        Args:
            job: a function of a module, whose arguments and answer can be sent.
            *args: of the job.
            patience: how long it may take [s].

        Raises:
            PoiseError: what the job raised, or that it crashed or took too long.
        """
        pool = self._worker()
        try:
            good, answer = pool.submit(_attempt, job, args).result(timeout=patience)
        except Late:
            self._discard(pool)
            raise PoiseError(f"This took longer than {patience:.0f} s and was given up.") from None
        except BrokenExecutor:
            self._discard(pool)
            raise PoiseError("The work was too much for its process, which ended.") from None
        if not good:
            raise PoiseError(answer)
        return answer

    def warm(self) -> None:
        """Start the worker now, in the background, unless it was."""
        if self._pool is None and not self._closed:
            self._worker().submit(_import_everything)

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool is not None:
            _kill(pool)

    def _worker(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._closed:
                raise PoiseError("The studio is closing.")
            if self._pool is None:
                context = multiprocessing.get_context("spawn")  # threads and forks do not mix
                self._pool = ProcessPoolExecutor(1, mp_context=context)
            return self._pool

    def _discard(self, pool: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._pool is pool:
                self._pool = None
        _kill(pool)


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


def _import_everything() -> None:
    import poise.door
    import poise.simulation
    import poise.studio.jobs  # noqa: F401
