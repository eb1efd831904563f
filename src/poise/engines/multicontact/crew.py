"""Work shared with forked processes: each does its share of the same job, in common memory.

Threads do not pay here: distances and what is left of Python hold the interpreter, and data that
two processors take turns to write travels between their caches. A forked process has an
interpreter and data of its own; only what goes in and what comes out is common.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Self

import numpy as np

DONE, FAILED = b"d", b"f"


def common(count: int) -> np.ndarray:
    """Numbers (count,) in memory that a process keeps in common with those it forks."""
    return np.frombuffer(mmap.mmap(-1, max(8 * count, 8)), dtype=float, count=count)


def may_fork() -> bool:
    """Whether this process may be copied: not beside threads that may be holding locks."""
    return sys.platform == "linux" and threading.active_count() == 1


class Crew:
    """This process and some that it forked, all with the same work.

    Args:
        work: does a share of a job; told the job's name, one letter, and whose share it is.
        count: how many share it, this process included, which has share 0.
    """

    def __init__(self, work: Callable[[str, int], None], count: int) -> None:
        self._work = work
        self._mates: dict[int, _Mate] = {}
        for k in range(1, count):
            self._mates[k] = _Mate.forked(work, k, tuple(self._mates.values()))

    def do(self, job: str) -> None:
        """Have a job done. What a mate fails to do is done here, and fails here if it must."""
        waiting = {k: mate.ask(job) for k, mate in self._mates.items()}
        problem: BaseException | None = None
        try:
            self._work(job, 0)
        except BaseException as raised:
            problem = raised
        left = [k for k, asked in waiting.items() if not (asked and self._mates[k].done())]
        if problem is not None:
            raise problem
        for k in left:
            self._work(job, k)

    def end(self) -> None:
        """Send the others home."""
        for mate in self._mates.values():
            mate.let_go()
            os.waitpid(mate.pid, 0)
        self._mates.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()


class _Mate:
    """A forked process, told what to do through a pipe."""

    def __init__(self, pid: int, tell: int, hear: int) -> None:
        self.pid, self._tell, self._hear = pid, tell, hear

    @classmethod
    def forked(
        cls, work: Callable[[str, int], None], share: int, others: tuple[_Mate, ...]
    ) -> _Mate:
        told, tell = os.pipe()
        hear, says = os.pipe()
        with warnings.catch_warnings():  # idle threads of BLAS count for Python, and do no harm
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid:
            os.close(told)
            os.close(says)
            return cls(pid, tell, hear)
        try:
            for mate in (*others, cls(0, tell, hear)):
                mate.let_go()  # only the parent speaks to them: they leave when it does
            _serve(work, share, told, says)
        finally:
            os._exit(0)  # nothing of the parent's is to be cleaned up here

    def ask(self, job: str) -> bool:
        try:
            return os.write(self._tell, job.encode()) == 1
        except OSError:
            return False

    def done(self) -> bool:
        return os.read(self._hear, 1) == DONE

    def let_go(self) -> None:
        os.close(self._tell)  # it has nothing more to read, and leaves
        os.close(self._hear)


def _serve(work: Callable[[str, int], None], share: int, told: int, says: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to decide
    while job := os.read(told, 1):
        try:
            work(job.decode(), share)
            answer = DONE
        except BaseException:
            answer = FAILED  # the parent does it again, and hears of it
        os.write(says, answer)
