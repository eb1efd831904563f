"""The page of the docs with everything measured: a table for each benchmark, and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from poise.bench.measure import Absent, Result

Row = Result | Absent

HEAD = """# Benchmarks

How fast poise is, against what anybody would have to pay and against its peers, on the machine
named below. Machines differ and are busy, so what counts is the **ratio** within one run: the
time of poise divided by the time of the other, below 1 when poise is faster. Things that are
compared take turns. Peers come from their packages, in the versions of `benchmarks/peers/*.txt`,
each in an environment of its own, and are told the same problem. Where a ratio is promised, the
last column says so; a promise that does not hold is marked.

This page is written by `make bench`. One part of it alone: `poise bench NAME`.

Measured on: {machine}.
"""


def page(
    machine: str, parts: Mapping[str, Sequence[Row]], about: Mapping[str, str], pictures: str = ""
) -> str:
    """The whole page as Markdown.

    Args:
        machine: what it was measured on.
        parts: rows by the name of their benchmark.
        about: one sentence for each benchmark.
        pictures: Markdown to put at the end.
    """
    text = [HEAD.format(machine=machine)]
    for name, rows in parts.items():
        text.append(f"## {name}\n\n{about[name][0].upper()}{about[name][1:]}.\n\n{table(rows)}")
    return "\n".join([*text, pictures]).rstrip() + "\n"


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table; absent peers follow as sentences."""
    lines = [
        "| what | p50 | p99 | | against | its p50 | ratio | promised |",
        "| --- | ---: | ---: | --- | --- | ---: | ---: | --- |",
    ]
    for row in rows:
        if isinstance(row, Result):
            theirs = "" if row.theirs is None else _short(row.theirs)
            lines.append(
                f"| {row.name} | {_short(row.p50)} | {_short(row.p99)} | {row.unit} | {row.peer} "
                f"| {theirs} | {row.ratio:.2f} | {_promise(row)} |"
            )
    missing = [row for row in rows if isinstance(row, Absent)]
    absent = [f"- {row.name}, against {row.peer}: {row.why}" for row in missing]
    notes = ["", "Not measured:", "", *absent] if absent else []
    return "\n".join([*(lines if len(lines) > 2 else []), *notes, ""])


def write_page(text: str, path: Path) -> None:
    """Write the page whole."""
    from poise.files import write_whole

    with write_whole(path) as file:
        file.write(text.encode("utf-8"))


def _promise(row: Result) -> str:
    if row.limit is None:
        return ""
    kept = "" if row.ratio <= row.limit else ", **not kept**"
    return f"at most {row.limit:.3g}{kept}"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
