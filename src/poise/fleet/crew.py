"""Crews: whoever does many pieces of work at once, in any order, and loses none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from poise.errors import PoiseError


@dataclass(frozen=True)
class Answer:
    """What came of one piece of work."""

    index: int  # of the item, in the order in which they were taken
    value: Any = None
    problem: str = ""  # why there is no value, in one line


class Crew(Protocol):
    """A context in which a function is called for many items."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    @property
    def size(self) -> int:
        """How many items are worked on at once, now."""
        ...

    def work(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Answer]:
        """Answers as they come; items are taken one by one, only as somebody is free for them.

        Args:
            function: found by its import path; what it raises becomes an Answer's problem.
            items: plain data.
        """
        ...


def crew_at(address: str | None = None, workers: int | None = None) -> Crew:
    """The local cores, or a Dask cluster by the address of its scheduler.

    Args:
        address: of a scheduler, as "tcp://10.0.0.1:8786".
        workers: how many local processes; as many as there are cores when absent.
    """
    if address is None:
        from poise.fleet.local import LocalCores

        return LocalCores(workers)
    from poise.fleet.cluster import Cluster

    return Cluster(address)


def mapped(
    crew: Crew, function: Callable[[Any], Any], items: Sequence[Any], chunk: int = 1
) -> list[Any]:
    """Values of a function in the order of the items.

    Args:
        crew: who works, already entered.
        function: found by its import path.
        items: plain data.
        chunk: how many items travel together, where each is little work.

    Raises:
        PoiseError: when one of them has no value.
    """
    chunks = [(function, tuple(items[k : k + chunk])) for k in range(0, len(items), chunk)]
    found: dict[int, list[Any]] = {}
    for answer in crew.work(_each, chunks):
        if answer.problem:
            raise PoiseError(f"{function.__name__}: {answer.problem}")
        found[answer.index] = answer.value
    return [value for k in range(len(chunks)) for value in found[k]]


def _each(chunk: tuple[Callable[[Any], Any], tuple[Any, ...]]) -> list[Any]:
    function, items = chunk
    return [function(item) for item in items]
