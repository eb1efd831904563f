"""The report as one HTML file that needs nothing else: 3D playback, plots, timeline, verdict."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from poise.checks.page import page_values
from poise.checks.report import Report
from poise.checks.surfaces import Surface, surfaces_of
from poise.files import write_whole
from poise.motion import Motion
from poise.robot import Robot

SCRIPTS = ("algebra.js", "scene.js", "plots.js", "report.js")


def write_html(
    report: Report,
    motion: Motion,
    robot: Robot,
    path: str | Path,
    replayed: Motion | None = None,
    surfaces: Sequence[Surface] | None = None,
) -> Path:
    """Write the report of a motion as one self-contained page, whole or not at all.

    Args:
        report: what the judge said.
        motion: what was judged.
        robot: whose motion it is.
        path: the file.
        replayed: the motion as a simulator played it, drawn as a ghost beside it.
        surfaces: how the robot looks, if someone knows better than its URDF.
    """
    path = Path(path)
    text = page(report, motion, robot, replayed, surfaces)
    with write_whole(path) as file:
        file.write(text.encode())
    return path


def page(
    report: Report,
    motion: Motion,
    robot: Robot,
    replayed: Motion | None = None,
    surfaces: Sequence[Surface] | None = None,
) -> str:
    """The text of the page."""
    seen = report.evidence is not None
    looks = surfaces if surfaces is not None else surfaces_of(robot) if seen else ()
    values = page_values(report, motion, robot, looks, replayed)
    assets = files("poise.checks") / "assets"
    text = (assets / "report.html").read_text("utf-8")
    script = "\n".join((assets / name).read_text("utf-8") for name in SCRIPTS)
    parts = {
        "{{title}}": html.escape(f"{values['robot']}: motion report"),
        "{{style}}": (assets / "report.css").read_text("utf-8"),
        "{{script}}": script,
        "{{values}}": _safe(json.dumps(values, allow_nan=False, separators=(",", ":"))),
    }
    for mark, filling in parts.items():
        head, tail = text.split(mark)
        text = head + filling + tail
    return text


def _safe(text: str) -> str:
    """JSON that cannot end the script element it sits in."""
    return text.replace("<", "\\u003c")
