"""Tables of numbers in text, where a missing value is an empty cell."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.io.source import bad

MOST_ROWS = 2_000_000
MISSING = {"", "nan", "NaN", "NAN", "-nan", "nan(ind)", "-nan(ind)", "null", "None"}


def table_of(lines: list[str], columns: int, path: Path, first_line: int, tabs: bool) -> np.ndarray:
    """Rows of numbers, (n, columns); an empty cell or a short row gives NaN.

    Args:
        lines: of the file, blank ones are skipped.
        columns: how many numbers a row should have.
        path: of the file, for words.
        first_line: number of the first of the lines in the file, for words.
        tabs: whether tabs separate the cells (then empty cells count), else any space.
    """
    if len(lines) > MOST_ROWS:
        raise bad(path, "the number of rows", len(lines), f"at most {MOST_ROWS}")
    rows = []
    for k, line in enumerate(lines):
        if not line.strip():
            continue
        cells = [c.strip() for c in line.rstrip("\r\n").split("\t")] if tabs else line.split()
        row = np.full(columns, np.nan)
        for j, cell in enumerate(cells[:columns]):
            if cell in MISSING:
                continue
            try:
                row[j] = float(cell)
            except ValueError:
                where = f"line {first_line + k}, column {j + 1}"
                raise bad(path, where, f"'{cell}'", "a number or nothing") from None
        rows.append(row)
    table = np.array(rows).reshape(len(rows), columns)
    table[np.isinf(table)] = np.nan
    return table
