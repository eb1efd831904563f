"""Numbers in text, row by row: CSV with or without a header line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.files import write_whole
from poise.io.source import Source, bad, counted

SEPARATORS = (",", ";", "\t", " ")


@dataclass(frozen=True, eq=False)
class Table:
    """The numbers of a text file, and its header if it has one."""

    header: tuple[str, ...] | None
    rows: np.ndarray  # (n, columns)
    first_line: int  # of the text, that holds row 0


def read_table(source: Source) -> Table:
    """A table of numbers; ragged rows and words among numbers are refused by line."""
    if "table" not in source.kept:
        source.kept["table"] = _parsed(source)
    return source.kept["table"]


def _parsed(source: Source) -> Table:
    lines = [
        (number, line)
        for number, line in enumerate(source.text().splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise bad(source.path, "the table", "without rows", "rows of numbers")
    separator = next((s for s in SEPARATORS if s in lines[0][1].strip()), ",")
    header = None
    if any(_number(cell) is None for cell in _cells(lines[0][1], separator)):
        header = tuple(_cells(lines[0][1], separator))
        if len(set(header)) != len(header):
            twice = next(name for name in header if header.count(name) > 1)
            raise bad(source.path, "the header", f"naming '{twice}' twice", "one name a column")
        lines = lines[1:]
        if not lines or all(_number(cell) is None for cell in _cells(lines[0][1], separator)):
            raise bad(source.path, "the table", "words without numbers", "rows of numbers")
    width = len(header) if header else len(_cells(lines[0][1], separator))
    rows = np.empty((len(lines), width))
    for k, (number, line) in enumerate(lines):
        cells = _cells(line, separator)
        if len(cells) != width:
            found = counted(len(cells), "column")
            raise bad(source.path, f"line {number}", found, f"{width}, as at the top")
        try:
            rows[k] = [float(cell) for cell in cells]
        except ValueError:
            column = next(c for c, cell in enumerate(cells) if _number(cell) is None)
            where = f"line {number}, column {column + 1}"
            raise bad(source.path, where, f"'{cells[column]}'", "a number") from None
    rows.setflags(write=False)
    return Table(header, rows, lines[0][0])


def _cells(line: str, separator: str) -> list[str]:
    if separator == " ":
        return line.split()
    cells = [cell.strip() for cell in line.strip().split(separator)]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells  # a separator at the end


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def write_table(path: str | Path, rows: np.ndarray, header: Sequence[str] = ()) -> None:
    """Rows as CSV, whole or not at all; every number comes back as it was."""
    with write_whole(path) as file:
        if header:
            file.write((",".join(header) + "\n").encode())
        for row in np.asarray(rows, dtype=float).tolist():
            file.write((",".join(map(repr, row)) + "\n").encode())
