"""What a batch shows of itself: table.html, table.csv, table.parquet and failures.jsonl."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from poise.fleet.page import write_page
from poise.fleet.result import Result
from poise.fleet.table import ranked, rows_of, write_csv, write_failures, write_parquet

EVERY = 30.0  # [s], between two tables while a batch runs
SHARE = 0.02  # of the time, at most, goes into tables while a batch runs


class Publisher:
    """Writes the tables of a batch now and then, and at its end."""

    def __init__(self, folder: Path, title: str) -> None:
        """Remember where, and what the batch is about."""
        self.folder, self.title = folder, title
        self._next = monotonic() + EVERY

    def perhaps(self, results: Sequence[Result]) -> None:
        """Write the tables if the last ones are old."""
        begin = monotonic()
        if begin >= self._next:
            self.publish(results)
            self._next = monotonic() + max(EVERY, (monotonic() - begin) / SHARE)

    def publish(self, results: Sequence[Result]) -> dict[str, str | None]:
        """Write the tables; where each is, None where it could not be written."""
        best_first = ranked(results)
        rows = rows_of(best_first)
        paths = {name: self.folder / f"table.{name}" for name in ("html", "csv", "parquet")}
        write_failures(best_first, self.folder / "failures.jsonl")
        write_csv(rows, paths["csv"])
        write_page(best_first, paths["html"], self.title)
        written = write_parquet(rows, paths["parquet"])
        if not written:  # a table of another run would be taken for this one's
            paths["parquet"].unlink(missing_ok=True)
        found: dict[str, str | None] = {name: str(path) for name, path in paths.items()}
        return found if written else found | {"parquet": None}
