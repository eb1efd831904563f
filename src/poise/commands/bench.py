"""`poise bench`: how fast, against what."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from poise.bench import BENCHMARKS, benchmark
from poise.bench.measure import Absent, Result, machine
from poise.commands.outcome import Outcome, Verb


def _arguments(parser: argparse.ArgumentParser) -> None:
    known = "; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items())
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all when absent. {known}")
    parser.add_argument(
        "--write", type=Path, metavar="F.md", help="write the page of the docs, and its plots"
    )


def _run(args: argparse.Namespace) -> Outcome:
    chosen = [(name, benchmark(name)) for name in args.names or BENCHMARKS]
    parts: dict[str, list[Result | Absent]] = {}
    for name, run in chosen:
        print(f"measuring {name} ...", file=sys.stderr)
        parts[name] = list(run())
    rows = [row for found in parts.values() for row in found]
    data = {
        "machine": machine(),
        "results": [row.to_json() for row in rows if isinstance(row, Result)],
        "absent": [row.to_json() for row in rows if isinstance(row, Absent)],
    }
    text = "\n".join([machine(), "", *map(str, rows)])
    if args.write is not None:
        from poise.bench.page import write_page

        written = write_page(machine(), parts, BENCHMARKS, args.write)
        text += "\nwritten: " + ", ".join(map(str, written))
    return Outcome(data, text)


VERB = Verb("bench", "Measure speed, as ratios within one run.", _arguments, _run, files=("write",))
