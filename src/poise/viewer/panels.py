"""Panels as pictures, and as a page that needs no other file."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from poise.files import write_whole
from poise.motion.panels import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"person": "#c2703d", "wish": "#8a8f98", "robot": "#1f6f8b", "limit": "#b0b4ba"}
WIDTH, HEIGHT = 5.4, 3.0  # [inch], of a panel


def draw_panels(panels: Sequence[Panel], columns: int = 2) -> Figure:
    """All panels in one figure."""
    from matplotlib.figure import Figure

    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(WIDTH * columns, HEIGHT * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw(axes, panel)
    return figure


def _draw(axes: Axes, panel: Panel) -> None:
    for line in panel.lines:
        colour = COLOURS[line.kind]
        if line.filled:
            axes.fill(line.x, line.y, facecolor=colour, alpha=0.12, edgecolor=colour, linewidth=0.8)
            continue
        style = "--" if line.dashed else "-"
        axes.plot(line.x, line.y, style, color=colour, linewidth=1.3, label=line.label or None)
    axes.set_title(panel.title, fontsize=10, loc="left")
    axes.set_xlabel(panel.x_label, fontsize=8)
    axes.set_ylabel(panel.y_label, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    if panel.equal:
        axes.set_aspect("equal", adjustable="datalim")
    if any(line.label for line in panel.lines):
        axes.legend(fontsize=7, frameon=False)


def panels_png(panels: Sequence[Panel], path: str | Path, columns: int = 2) -> Path:
    """Write panels as one PNG."""
    with write_whole(path) as file:
        draw_panels(panels, columns).savefig(file, format="png", dpi=110)
    return Path(path)


def panels_html(panels: Sequence[Panel], title: str, sentences: Sequence[str], table: str) -> str:
    """A page with a title, some sentences, the panels and a table as plain text."""
    picture = io.StringIO()
    draw_panels(panels).savefig(picture, format="svg")
    svg = picture.getvalue()
    svg = svg[svg.index("<svg") :]
    words = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)
    return f"""<!doctype html><html lang="en"><meta charset="utf-8">
<title>{html.escape(title)}</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;
color:#22262b}}svg{{width:100%;height:auto}}pre{{font-size:12px;overflow:auto;background:#f5f6f7;
padding:1rem}}</style><h1>{html.escape(title)}</h1>{words}{svg}<pre>{html.escape(table)}</pre></html>
"""


def panels_page(
    panels: Sequence[Panel], title: str, sentences: Sequence[str], table: str, path: str | Path
) -> Path:
    """Write such a page; see `panels_html`."""
    page = panels_html(panels, title, sentences, table)
    with write_whole(path) as file:
        file.write(page.encode())
    return Path(path)
