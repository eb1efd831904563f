"""`poise convert`: a motion file from one dialect to another."""

from __future__ import annotations

import argparse
from pathlib import Path

from poise.commands.outcome import Outcome, Verb
from poise.commands.reading import add_reading, read


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading(parser, "source")
    parser.add_argument("out", type=Path, help="file to write; its suffix decides the dialect")
    parser.add_argument("--to", metavar="DIALECT", help="dialect to write, e.g. unitree-csv")
    parser.add_argument("--out-rate", type=float, help="resample to this many rows a second [Hz]")


def _run(args: argparse.Namespace) -> Outcome:
    from poise.io import save

    motion, robot, verdict = read(args, "source")
    notes = save(motion, args.out, args.to, robot, args.out_rate)
    data = {
        "ok": True,
        "out": str(args.out),
        "read_as": verdict.dialect,
        "certainty": verdict.certainty,
        "reasons": list(verdict.reasons),
        "alternatives": [list(other) for other in verdict.alternatives],
        "notes": list(notes),
        "duration": motion.duration,
        "robot": robot.name,
    }
    lines = [f"read {args.source} as {verdict}", *notes]
    return Outcome(data, "\n".join(lines))


VERB = Verb(
    "convert", "A motion file from one dialect to another.", _arguments, _run, motions=("out",)
)
