"""The summary table as one page that needs no other file; a click on a heading sorts it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from poise.files import write_whole
from poise.fleet.result import KINDS, Result
from poise.fleet.table import columns_of, rows_of

MOST_ROWS = 20_000  # a browser takes no more in good time; the CSV has them all


def write_page(results: Sequence[Result], path: Path, title: str) -> None:
    """Write the page of a batch, whole or not at all.

    Args:
        results: the best first.
        path: of the HTML file; links to motions are relative to it.
        title: what the batch is about.
    """
    with write_whole(path) as file:
        file.write(page(results, title).encode())


def page(results: Sequence[Result], title: str) -> str:
    """The text of the page."""
    rows = rows_of(results[:MOST_ROWS])
    columns = columns_of(rows)
    data = {
        "columns": [
            {"name": c.name, "title": c.title, "doc": c.doc, "digits": c.digits} for c in columns
        ],
        "rows": [[row.get(column.name) for column in columns] for row in rows],
    }
    note = f"{len(results)} jobs"
    if len(results) > MOST_ROWS:
        note += f"; this page shows the best {MOST_ROWS}, table.csv has all"
    assets = files("poise.fleet") / "assets"
    text = (assets / "table.html").read_text("utf-8")
    parts = {
        "TITLE": html.escape(title),
        "NOTE": html.escape(note),
        "COUNTS": _counts(results),
        "STYLE": (assets / "table.css").read_text("utf-8"),
        "SCRIPT": (assets / "table.js").read_text("utf-8"),
        "DATA": json.dumps(data, allow_nan=False).replace("</", "<\\/"),
    }
    # in one go over the template: nothing that is put in is looked at again
    return re.sub(r"@([A-Z]+)@", lambda found: parts[found[1]], text)


def _counts(results: Sequence[Result]) -> str:
    """How many of each robot ended how, as the rows of a small table."""
    robots = sorted({result.robot for result in results})
    lines = []
    for robot in robots:
        mine = [result for result in results if result.robot == robot]
        cells = "".join(f"<td>{sum(r.kind == kind for r in mine)}</td>" for kind in KINDS)
        costs = sorted(float(r.run["cpu_seconds"]) for r in mine if r.made and r.run)
        middle = f"{costs[len(costs) // 2]:.1f}" if costs else ""
        name = html.escape(robot)
        lines.append(f"<tr><th>{name}</th><td>{len(mine)}</td>{cells}<td>{middle}</td></tr>")
    return "\n".join(lines)
