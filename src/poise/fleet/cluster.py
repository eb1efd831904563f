"""A Dask cluster, by the address of its scheduler: the same work as on the local cores."""

from __future__ import annotations

import logging
import re
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import dask
from distributed import Client, as_completed
from distributed.client import ClosedClientError, FutureCancelledError
from distributed.scheduler import KilledWorker

from poise import __version__
from poise.errors import BadInput, PoiseError
from poise.files import one_line
from poise.fleet.crew import Answer

PATIENCE = 10.0  # [s], to wait for the scheduler, and for its first worker
AHEAD = 2  # items on their way for each thread, so that no worker waits for the network
RECOUNT = 5.0  # [s], between two looks at how many workers there are
ADDRESS = re.compile(r"((tcp|tls|wss?|ucx)://)?([^\s/:\[\]]+|\[[0-9a-fA-F:]+\]):\d{1,5}")
LOGGERS = ("distributed", "distributed.client")
HOW = "dask worker {} --nthreads 1"


class Cluster:
    """A crew of Dask workers."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        """Remember where the scheduler is.

        Args:
            address: as "tcp://10.0.0.1:8786".
            patience: how long to wait for it, and for its first worker [s].
        """
        self.address, self.patience = address, patience
        self._client: Client | None = None
        self._size, self._counted = 0, 0.0

    def __enter__(self) -> Self:
        if not ADDRESS.fullmatch(self.address):
            raise _no_scheduler(self.address, "not an address")
        for name in LOGGERS:  # the loss of a scheduler is said in our own words, once
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = Client(self.address, timeout=self.patience, set_as_default=False)
        except (OSError, ValueError) as error:
            found = f"out of reach ({error or type(error).__name__})"
            raise _no_scheduler(self.address, found) from None
        try:
            self._client.wait_for_workers(1, timeout=self.patience)
            self._ask_versions()
        except TimeoutError:
            self._close()
            accepted = f"a scheduler with workers; start one by `{HOW.format(self.address)}`"
            raise BadInput(self.address, "its list of workers", "empty", accepted) from None
        except PoiseError:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    @property
    def client(self) -> Client:
        """The connection."""
        assert self._client is not None, "a cluster is used inside `with`"
        return self._client

    @property
    def size(self) -> int:
        """Threads of all workers, now; they may come and go."""
        if not self._size or monotonic() - self._counted > RECOUNT:
            with self._asking():
                self._size = sum(self.client.nthreads().values())
            self._counted = monotonic()
        return max(self._size, 1)

    def work(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Answer]:
        """Answers as they come.

        The scheduler gives the item of a worker that died to another one, and gives it up after
        as many deaths as it was told to allow (`distributed.scheduler.allowed-failures`).
        """
        source = enumerate(items)
        run, indices = uuid4().hex, {}
        coming = as_completed(loop=self.client.loop)

        def send() -> bool:
            index, item = next(source, (None, None))
            if index is None:
                return False
            # recordings travel inside the task: that is not the mistake Dask would warn of
            quiet = {"distributed.admin.large-graph-warning-threshold": "1GB"}
            with self._asking(), dask.config.set(quiet):
                future = self.client.submit(function, item, key=f"poise-{run}-{index}", pure=False)
            indices[future.key] = index
            coming.add(future)
            return True

        while len(indices) < AHEAD * self.size and send():
            pass
        for future in coming:
            answer = self._heard(future, indices.pop(future.key))
            future.release()
            while len(indices) < AHEAD * self.size and send():
                pass
            yield answer

    def _heard(self, future: Any, index: int) -> Answer:
        with self._asking():
            error = future.exception()  # waits, where a worker took its finished work with it
            if error is None:
                return Answer(index, future.result())
            if isinstance(error, CancelledError | FutureCancelledError):
                raise error
        if isinstance(error, KilledWorker):
            return Answer(index, problem="its workers died; perhaps they have too little memory")
        return Answer(index, problem=one_line(f"{type(error).__name__}: {error}"))

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Whatever happens to the connection is the loss of the scheduler."""
        try:
            yield
        except (OSError, CancelledError, FutureCancelledError, ClosedClientError):
            raise self._lost() from None

    def _lost(self) -> PoiseError:
        words = f"The scheduler at {one_line(self.address)} went away"
        return PoiseError(f"{words}; what was finished is kept, go on with --skip-existing.")

    def _ask_versions(self) -> None:
        """Results are only the same when every worker has this version of poise."""
        try:
            versions = self.client.run(_version)
        except ImportError as error:
            found = one_line(f"without poise ({error})")
            raise BadInput(self.address, "a worker", found, f"poise {__version__}") from None
        others = sorted({version for version in versions.values() if version != __version__})
        if others:
            found = f"with poise {', '.join(others)}"
            raise BadInput(self.address, "a worker", found, f"poise {__version__}, as here")

    def _close(self) -> None:
        if self._client is not None:
            self._client.close(timeout=2)
            self._client = None


def _version() -> str:
    return __version__


def _no_scheduler(address: str, found: str) -> BadInput:
    accepted = "the address that `dask scheduler` prints, as tcp://10.0.0.1:8786"
    where = f"--scheduler {one_line(address, most=100)}"
    return BadInput("batch", where, one_line(found, most=200), accepted)
