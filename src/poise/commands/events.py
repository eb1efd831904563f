"""`poise events`: when the feet of a recorded person meet and leave the ground."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from poise.commands.outcome import Outcome, Verb
from poise.engines.imitate import FootEvents, foot_events
from poise.io import read_recording
from poise.motion.marker_names import SIDES


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trial", type=Path, help="recorded walk: C3D, TRC, BVH or AMC")


def _run(args: argparse.Namespace) -> Outcome:
    found = foot_events(read_recording(args.trial))
    data: dict[str, Any] = {side: _times(found, side) for side in SIDES}
    data |= {
        "rate": found.rate,
        "treadmill": found.treadmill,
        "belt_speed": found.belt_speed,
        "walking_speed": found.walking_speed,
        "notes": list(found.notes),
    }
    return Outcome(data, _text(found))


def _times(found: FootEvents, side: str) -> dict[str, list[float]]:
    events = found.side(side)
    return {"ic": events.ic.tolist(), "to": events.to.tolist()}


def _text(found: FootEvents) -> str:
    lines = ["seconds from the first frame of the file", ""]
    for side in SIDES:
        for kind, times in zip(
            ("initial contact", "toe-off"), _times(found, side).values(), strict=True
        ):
            row = "  ".join(f"{t:7.3f}" for t in times)
            lines.append(f"{side:<5} {kind:<15} {row}")
    where = f"on a belt at {found.belt_speed:.2f} m/s" if found.treadmill else "over ground"
    lines += ["", f"walking at {found.walking_speed:.2f} m/s {where}, {found.rate:g} frames/s"]
    return "\n".join([*lines, *found.notes])


VERB = Verb("events", "Foot contact events of a recording.", _arguments, _run)
