"""`poise safe-area`: where a robot may put its feet, computed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.engines.interact import SafeArea, save_area
from poise.engines.interact.feasibility import learn
from poise.engines.interact.proving import Proved, proved, surface
from poise.engines.interact.safe_area import kept_area_file, rotated
from poise.engines.interact.sampling import Grid, Sampled, area_of, closure, explore, sample
from poise.errors import BadInput
from poise.robot import Robot, load_robot

if TYPE_CHECKING:
    from poise.fleet.crew import Crew

VERIFY, EXPLORE = 10000, 600  # random walks: to prove the set, and to learn from
MOST_WALKS = 1000000


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robot", default="hrp2", help="whose feet: a name, or a URDF")
    parser.add_argument("--out", type=Path, help="TOML file to write")
    parser.add_argument(
        "--keep", action="store_true", help="lead this robot with this set from now on"
    )
    parser.add_argument(
        "--figures", type=Path, metavar="F.png", help="draw the set and how likely steps are good"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster, as tcp://10.0.0.1:8786"
    )
    parser.add_argument("--step", type=float, default=0.06, help="grid along x [m], for hrp2")
    parser.add_argument("--across", type=float, default=0.03, help="grid along y [m], for hrp2")
    parser.add_argument(
        "--verify",
        type=int,
        default=VERIFY,
        help="random walks of four clipped steps that have to go well in a row; 0 for none",
    )
    parser.add_argument(
        "--explore", type=int, default=EXPLORE, help="random walks to learn from; 0 for none"
    )


def _run(args: argparse.Namespace) -> Outcome:
    for name in ("step", "across"):
        value = getattr(args, name)
        if not 0.005 <= value <= 0.2:
            raise BadInput("safe-area", f"--{name}", f"{value:g}", "0.005 to 0.2 m")
    for name in ("verify", "explore"):
        value = getattr(args, name)
        if not 0 <= value <= MOST_WALKS:
            raise BadInput("safe-area", f"--{name}", f"{value}", f"0 to {MOST_WALKS}")
    robot = load_robot(args.robot)
    from poise.fleet.crew import crew_at

    with crew_at(args.scheduler) as crew:
        return _computed(args, robot, crew)


def _computed(args: argparse.Namespace, robot: Robot, crew: Crew) -> Outcome:
    grid, run = Grid(step=args.step, across=args.across), spread(crew)
    _say(f"trying footprints of {robot.name} ...")
    sampled = sample(robot, grid, run)
    area, proof, rows = area_of(robot, sampled), None, sampled.rows
    if args.explore:
        rows = np.vstack([rows, explore(robot, args.explore, grid, run)])
    if 0.0 < rows[:, -1].mean() < 1.0:
        area = replace(area, chance=learn(rows[:, :-1], rows[:, -1]))
    if args.verify:
        _say(f"walking until {args.verify} random walks in a row go well ...")
        proof = proved(robot, area, args.verify, run, _say)
        area = proof.area
    data = _data(robot, area, sampled, proof)
    more = {key: data[key] for key in ("tried", "good", "walks", "pairs")}
    files = {"out": args.out, "kept": kept_area_file(robot) if args.keep else None}
    for key, path in files.items():
        data[key] = None if path is None else str(path)
        if path is not None:
            if key == "kept":
                path.parent.mkdir(parents=True, exist_ok=True)
            save_area(area, path, more)
    if args.figures is not None:
        _draw(area, sampled, args.figures)
    data["figures"] = None if args.figures is None else str(args.figures)
    return Outcome(data, _text(data), DONE if data["ok"] else NOT_GOOD)


def _data(robot: Robot, area: SafeArea, sampled: Sampled, proof: Proved | None) -> dict[str, Any]:
    corners = area.polygon(0.0)
    closed = closure(area)
    return {
        "ok": closed >= 1.0,
        "robot": robot.name,
        "tried": int(sampled.good.size),
        "good": int(sampled.good.sum()),
        "reasons": sampled.reasons,
        "turns": area.turns.tolist(),
        "polygon": corners.tolist(),
        "area_m2": surface(corners),
        "closure": closed,
        "walks": proof.walks if proof else 0,
        "failed": 0,  # of these walks: a set is given only when none of them failed
        "pairs": proof.pairs if proof else 0,
        "steps_tried": proof.steps if proof else 0,
        "changes": proof.changes if proof else 0,
        "feasibility": asdict(area.chance.scores) if area.chance else None,
    }


def _text(data: dict[str, Any]) -> str:
    low, high = np.min(data["polygon"], axis=0), np.max(data["polygon"], axis=0)
    text = (
        f"{data['robot']}: {data['good']} of {data['tried']} footprints are good alone\n"
        f"  without turning: x {low[0]:.2f} to {high[0]:.2f} m, y {low[1]:.2f} to {high[1]:.2f} m;"
        f" turns {data['turns'][0]:.2f} to {data['turns'][-1]:.2f} rad\n"
        f"  closed for {100 * data['closure']:.1f} % of footprints"
    )
    for reason, count in list(data["reasons"].items())[:5]:
        text += f"\n  {count:4d} x {reason}"
    if data["walks"]:
        text += (
            f"\n  {data['pairs']} pairs of corners and {data['walks']} random walks in a row went"
            f" well, after the set was made smaller {data['changes']} times"
        )
    else:
        text += "\n  not walked through (--verify 0)"
    if learnt := data["feasibility"]:
        text += (
            f"\n  probability of a good step: Brier score {learnt['brier']:.3f} on"
            f" {learnt['samples']} steps kept apart ({learnt['brier_base']:.3f} by the share of"
            f" good ones), calibrated within {100 * learnt['calibration']:.1f} %"
        )
    return text


def _draw(area: SafeArea, sampled: Sampled, path: Path) -> None:
    """The set over the learnt probability: a column for every turn, a row for every speed."""
    from poise.viewer.footprints import FootprintMap, plot_footprints

    if area.chance is None:
        raise BadInput("safe-area", "--figures", "without --explore", "some walks to learn from")
    usual, spread_of = area.chance.centre[3:], area.chance.scale[3:]
    apart = 0.5 * (sampled.xs[1] - sampled.xs[0]), 0.5 * (sampled.ys[1] - sampled.ys[0])
    x = np.linspace(sampled.xs[0] - apart[0], sampled.xs[-1] + apart[0], 61)
    y = np.linspace(sampled.ys[0] - apart[1], sampled.ys[-1] + apart[1], 41)
    maps = []
    for words, forward in (("at rest", 0.0), ("fast ahead", usual[0] + 2.0 * spread_of[0])):
        speed = (forward, usual[1])
        for turn in area.turns.tolist():
            tried = sampled.tried(turn) if words == "at rest" else (np.zeros((0, 2)),) * 2
            steps = [(*rotated((a, b), -0.5 * turn), turn, *speed) for a in x for b in y]
            chance = area.chance.of_many(np.array(steps)).reshape(len(x), len(y))
            title = f"turn {turn:+.2f} rad, mass {words}\n({forward:.2f} m/s at lift-off)"
            maps.append(FootprintMap(title, x, y, chance, area.polygon(turn), *tried))
    plot_footprints(maps, len(area.turns), path)


def _say(words: str) -> None:
    print(words, file=sys.stderr)


def spread(crew: Crew) -> Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]:
    """A map over a crew, a few footprints at a time: each is little work."""
    from poise.fleet.crew import mapped

    def over_the_crew(function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        return mapped(crew, function, jobs, max(1, len(jobs) // (8 * crew.size)))

    return over_the_crew


VERB = Verb(
    "safe-area",
    "Where a robot may put its feet, computed.",
    _arguments,
    _run,
    files=("out", "figures"),
)
