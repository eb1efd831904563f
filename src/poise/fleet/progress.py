"""Progress of a batch with the time left, on standard error."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from time import monotonic
from typing import TextIO

from poise.fleet.result import CRASHED, GOOD, NOT_GOOD, REFUSED, Result

EVERY_LINE = 15.0  # [s], between two lines where nobody watches
EVERY_DRAWING = 0.2  # [s], between two drawings on a terminal
BAR = 24  # characters


class Progress:
    """How far a batch is: a bar on a terminal, now and then a line elsewhere."""

    def __init__(
        self,
        total: int,
        stream: TextIO | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Start the clock.

        Args:
            total: how many jobs there are.
            stream: where to show it; standard error when absent.
            clock: seconds, from anywhere.
        """
        self.total, self.clock = total, clock
        self.stream = sys.stderr if stream is None else stream
        self.kinds: Counter[str] = Counter()
        self.skipped, self.cost, self.worked = 0, 0.0, 0.0  # [1], [s of processor], [s]
        self.start = self.shown = clock()
        self.drawn = self.stream.isatty()
        self._said = (-1, -1)  # finished and skipped in the last line

    @property
    def finished(self) -> int:
        """Jobs that came to an end now, not earlier."""
        return sum(self.kinds.values())

    @property
    def seconds(self) -> float:
        """Since it began."""
        return self.clock() - self.start

    @property
    def left(self) -> float | None:
        """Seconds until the end, if the rest goes like what is done; None before anything is."""
        if not self.finished:
            return None
        return (self.total - self.skipped - self.finished) * self.seconds / self.finished

    def skip(self) -> None:
        """One job was done in an earlier run."""
        self.skipped += 1

    def done(self, result: Result) -> None:
        """One job came to an end; show it if it is time to."""
        self.kinds[result.kind] += 1
        self.cost += float(result.run.get("cpu_seconds", 0.0))
        self.worked += float(result.run.get("seconds", 0.0))
        if self.clock() - self.shown >= (EVERY_DRAWING if self.drawn else EVERY_LINE):
            self.show()

    def show(self, last: bool = False) -> None:
        """Show it now; `last` ends the line."""
        self.shown = self.clock()
        if not self.drawn:
            if self._said != (self.finished, self.skipped):
                print(self, file=self.stream, flush=True)
            self._said = (self.finished, self.skipped)
            return
        share = (self.finished + self.skipped) / max(self.total, 1)
        full = round(BAR * share)
        bar = "#" * full + "." * (BAR - full)
        end = "\n" if last else ""
        print(f"\r\033[K[{bar}] {self}", end=end, file=self.stream, flush=True)

    def __str__(self) -> str:
        parts = [f"{self.finished + self.skipped} of {self.total}"]
        if self.skipped:
            parts.append(f"{self.skipped} done before")
        parts += [
            f"{self.kinds[kind]} {kind}"
            for kind in (GOOD, NOT_GOOD, REFUSED, CRASHED)
            if self.kinds[kind]
        ]
        parts.append(f"{span(self.seconds)} so far")
        if self.left is not None and self.left > 0:
            parts.append(f"{span(self.left)} left")
        return ", ".join(parts)


def span(seconds: float) -> str:
    """A length of time for people: "45 s", "12 min", "3.4 h", "2.1 days"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.1f} days"
