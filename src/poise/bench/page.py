"""The page of the docs with everything measured: a table for each benchmark, and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poise.bench.measure import Absent, Result, Step
from poise.files import whole_path, write_whole

Row = Result | Absent
FAST, SLOW, INK, PALE = "#1b7fc4", "#d8743c", "#2a2e34", "#9aa2ad"

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


def write_page(
    machine: str, parts: Mapping[str, Sequence[Row]], about: Mapping[str, str], path: Path
) -> list[Path]:
    """Write the page, and its plots into the folder `pictures` beside it; what was written."""
    rows = [row for found in parts.values() for row in found]
    folder, plots = path.parent / "pictures", []
    folder.mkdir(exist_ok=True)
    if any(isinstance(row, Result) and row.theirs is not None for row in rows):
        plots.append(plot_ratios(rows, folder / "bench-ratios.png"))
    if any(isinstance(row, Step) for row in rows):
        plots.append(plot_growth(rows, folder / "bench-growth.png"))
    words = {"bench-ratios.png": "poise against others", "bench-growth.png": "How time grows"}
    shown = "\n\n".join(f"![{words[p.name]}](pictures/{p.name})" for p in plots)
    with write_whole(path) as file:
        file.write(page(machine, parts, about, shown).encode("utf-8"))
    return [path, *plots]


def plot_ratios(rows: Sequence[Row], path: Path) -> Path:
    """The time of poise divided by that of each other, as bars; left of the line is faster."""
    plain = [row for row in rows if isinstance(row, Result) and not isinstance(row, Step)]
    kept = [row for row in plain if row.theirs is not None and row.ratio > 0.0]
    figure, axes = _figure(9.0, 1.0 + 0.26 * len(kept))
    colours = [FAST if row.ratio <= (row.limit or 1.0) else SLOW for row in kept]
    axes.barh(range(len(kept)), [np.log10(row.ratio) for row in kept], color=colours, height=0.6)
    axes.axvline(0.0, color=INK, linewidth=1.0)
    for k, row in enumerate(kept):
        if row.limit:
            axes.plot([np.log10(row.limit)] * 2, [k - 0.4, k + 0.4], color=INK, linewidth=2.0)
    axes.set_yticks(range(len(kept)), [f"{row.name}  /  {row.peer}" for row in kept], fontsize=8)
    axes.invert_yaxis()
    low, high = axes.get_xlim()
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    axes.set_xticks(list(decades), [f"{10.0**d:g}" for d in decades])
    axes.set_xlabel("time of poise / time of the other; the mark is what is promised")
    return _drawn(figure, path)


def plot_growth(rows: Sequence[Row], path: Path) -> Path:
    """Time against size, series by series, with time in proportion to size as a dotted line."""
    steps = [row for row in rows if isinstance(row, Step)]
    names = list(dict.fromkeys((row.series, row.axis) for row in steps))
    figure, many = _figure(2.7 * len(names), 2.9, len(names))
    for axes, (series, axis) in zip(np.atleast_1d(many), names, strict=True):
        own = [row for row in steps if (row.series, row.axis) == (series, axis)]
        sizes, times = [row.size for row in own], [row.p50 for row in own]
        axes.plot(sizes, [times[0] * size / sizes[0] for size in sizes], ":", color=PALE)
        axes.plot(sizes, times, "o-", color=FAST)
        axes.set_title(series, fontsize=9)
        axes.set_xlabel(axis)
        axes.set_ylim(0.0)
    np.atleast_1d(many)[0].set_ylabel("p50 [ms]")
    return _drawn(figure, path)


def _figure(width: float, height: float, across: int = 1) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, across)


def _drawn(figure: Any, path: Path) -> Path:
    with whole_path(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")
    return path


def _promise(row: Result) -> str:
    if row.limit is None:
        return ""
    kept = "" if row.ratio <= row.limit else ", **not kept**"
    return f"at most {row.limit:.3g}{kept}"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
