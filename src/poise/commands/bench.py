"""`poise bench`: how fast, against what."""

from __future__ import annotations

import argparse
import sys

from poise.bench import BENCHMARKS, benchmark
from poise.bench.measure import machine
from poise.commands.outcome import Outcome, Verb


def _arguments(parser: argparse.ArgumentParser) -> None:
    known = "; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items())
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all when absent. {known}")


def _run(args: argparse.Namespace) -> Outcome:
    chosen = [(name, benchmark(name)) for name in args.names or BENCHMARKS]
    results = []
    for name, run in chosen:
        print(f"measuring {name} ...", file=sys.stderr)
        results += run()
    text = "\n".join([machine(), "", *map(str, results)])
    return Outcome({"machine": machine(), "results": [r.to_json() for r in results]}, text)


VERB = Verb("bench", "Measure speed, as ratios within one run.", _arguments, _run)
