"""`poise safe-area`: where a robot may put its feet, computed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.engines.interact import SafeArea, save_area
from poise.engines.interact.sampling import (
    Grid,
    area_of,
    closure,
    sample,
    try_sequence,
)
from poise.errors import BadInput
from poise.robot import load_robot

if TYPE_CHECKING:
    from poise.fleet.crew import Crew


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robot", default="hrp2", help="whose feet: a name, or a URDF")
    parser.add_argument("--out", type=Path, help="TOML file to write")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster, as tcp://10.0.0.1:8786"
    )
    parser.add_argument("--step", type=float, default=0.06, help="grid along x [m], for hrp2")
    parser.add_argument("--across", type=float, default=0.03, help="grid along y [m], for hrp2")
    parser.add_argument("--verify", type=int, default=0, help="random sequences to walk through")


def _run(args: argparse.Namespace) -> Outcome:
    if not (0.005 <= args.step <= 0.2 and 0.005 <= args.across <= 0.2):
        raise BadInput("safe-area", "--step", f"{args.step}, {args.across}", "0.005 to 0.2 m")
    from poise.fleet.crew import crew_at

    with crew_at(args.scheduler) as crew:
        return _computed(args, crew)


def _computed(args: argparse.Namespace, crew: Crew) -> Outcome:
    robot = load_robot(args.robot)
    grid = Grid(step=args.step, across=args.across)
    print(f"trying footprints of {robot.name} ...", file=sys.stderr)
    sampled = sample(robot, grid, spread(crew))
    area = area_of(robot, sampled)
    corners = area.polygon(0.0)
    data = {
        "ok": True,
        "robot": robot.name,
        "out": None if args.out is None else str(args.out),
        "tried": int(sampled.good.size),
        "good": int(sampled.good.sum()),
        "reasons": sampled.reasons,
        "turns": area.turns.tolist(),
        "polygon": corners.tolist(),
        "area_m2": _area(corners),
        "closure": closure(area),
    }
    if args.verify:
        data |= _verified(args.robot, area, args.verify, crew)
    if args.out is not None:
        save_area(area, args.out, {"tried": data["tried"], "good": data["good"]})
    good = data["closure"] >= 1.0 and not data.get("failed", 0)
    data["ok"] = bool(good)
    low, high = corners.min(axis=0), corners.max(axis=0)
    text = (
        f"{robot.name}: {data['good']} of {data['tried']} footprints are good\n"
        f"  without turning: x {low[0]:.2f} to {high[0]:.2f} m, y {low[1]:.2f} to {high[1]:.2f} m;"
        f" turns {area.turns[0]:.2f} to {area.turns[-1]:.2f} rad\n"
        f"  closed for {100 * data['closure']:.1f} % of footprints"
    )
    for reason, count in list(sampled.reasons.items())[:5]:
        text += f"\n  {count:4d} x {reason}"
    if args.verify:
        text += f"\n  {data['failed']} of {args.verify} random sequences went wrong"
    return Outcome(data, text, DONE if good else NOT_GOOD)


def spread(crew: Crew) -> Callable[[Callable[[Any], str], Sequence[Any]], list[str]]:
    """A map over a crew, a few footprints at a time: each is little work."""
    from poise.fleet.crew import mapped

    def over_the_crew(function: Callable[[Any], str], jobs: Sequence[Any]) -> list[str]:
        return mapped(crew, function, jobs, max(1, len(jobs) // (8 * crew.size)))

    return over_the_crew


def _verified(name: str, area: SafeArea, count: int, crew: Crew) -> dict[str, object]:
    print(f"walking through {count} random sequences ...", file=sys.stderr)
    jobs = [(name, seed, 4, area) for seed in range(count)]
    answers = spread(crew)(try_sequence, jobs)
    wrong = [answer for answer in answers if answer]
    return {"sequences": count, "failed": len(wrong), "failures": sorted(set(wrong))}


def _area(corners: np.ndarray) -> float:
    x, y = corners.T
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


VERB = Verb(
    "safe-area", "Where a robot may put its feet, computed.", _arguments, _run, files=("out",)
)
