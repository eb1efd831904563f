"""`poise balance --survey`: the greatest push that is survived, from every direction."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from poise.commands.outcome import Outcome
from poise.commands.settings import read_settings
from poise.engines.balance import FEEDBACKS
from poise.errors import BadInput


def survey_outcome(args: argparse.Namespace) -> Outcome:
    """Search by halving, draw the polar chart, tell the table.

    Args:
        args: `survey`, `robot`, `duration`, `shape`, `directions`, `feedbacks`, `settings`.
    """
    from poise.balancing import survey_pushes
    from poise.robot import load_robot
    from poise.viewer.balance_figures import draw_survived

    chart, shape = Path(args.survey), args.shape or "sine"
    if chart.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise BadInput("balance", "--survey", f"'{chart}'", "a picture: .png, .svg or .pdf")
    directions, feedbacks = read_directions(args.directions), read_feedbacks(args.feedbacks)
    robot = load_robot(args.robot)
    found = survey_pushes(
        robot,
        args.duration,
        feedbacks,
        directions,
        shape,
        read_settings("balance", args.settings, "Kp=0.3"),
        tell=lambda words: print(words, file=sys.stderr),
    )
    told = "half a sine" if shape == "sine" else "a constant push"
    rows = {one.feedback: (one.directions, one.impulses) for one in found}
    draw_survived(rows, chart, f"{robot.name}, {told} of {args.duration:g} s")
    data: dict[str, Any] = {
        "ok": True,
        "robot": robot.name,
        "duration": args.duration,
        "shape": shape,
        "directions_deg": list(directions),
        "survived": {
            one.feedback: {"forces_N": list(one.forces), "impulses_Ns": list(one.impulses)}
            for one in found
        },
        "chart": str(chart),
    }
    return Outcome(data, _table(data))


def read_directions(text: str) -> tuple[float, ...]:
    """Directions [deg] of a list with commas."""
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise BadInput("balance", "--directions", f"'{text}'", "degrees, as in 0,90,180") from None


def read_feedbacks(text: str) -> tuple[str, ...]:
    """Feedbacks of a list with commas."""
    names = tuple(word.strip() for word in text.split(","))
    for name in names:
        if name not in FEEDBACKS:
            raise BadInput("balance", "--feedbacks", f"'{name}'", ", ".join(FEEDBACKS))
    return names


def _table(data: dict[str, Any]) -> str:
    names = list(data["survived"])
    lines = [f"{data['robot']}, greatest push of {data['duration']:g} s survived [N s]"]
    lines.append("  to [deg] " + "".join(f"{name:>11}" for name in names))
    for k, direction in enumerate(data["directions_deg"]):
        values = (data["survived"][name]["impulses_Ns"][k] for name in names)
        lines.append(f"  {direction:8g} " + "".join(f"{value:11.3g}" for value in values))
    return "\n".join([*lines, f"  drawn in {data['chart']}"])
