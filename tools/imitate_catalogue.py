"""Every walk of a folder on some robots: how many are judged good, stay upright, and how slowly.

    python tools/imitate_catalogue.py ../shared/mocap --robot hrp2,nao --out rows.jsonl
    python tools/imitate_catalogue.py --table rows.jsonl

Treadmill trials, and files that are no walk with both legs, are left out and named. What is already
in the file of rows is not made again, so a run can be stopped and taken up.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from poise.door import Imitated, imitated
from poise.engines.imitate import ImitateOptions
from poise.engines.imitate.fidelity import fidelity
from poise.engines.imitate.plan import Plan
from poise.errors import PoiseError
from poise.fleet.trials import recordings_below

TREADMILL = "on a treadmill"


def main() -> None:
    """Make the rows, or the table of rows that were made."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="*", type=Path, help="folders or files")
    parser.add_argument("--robot", default="hrp2,hoap3,nao,g1", help="names, with commas")
    parser.add_argument("--balance", default="dynamic", help="dynamic or quasistatic")
    parser.add_argument("--rate", type=float, default=100.0, help="of the motions [Hz]")
    parser.add_argument("--out", type=Path, help="file of rows, one JSON object a line")
    parser.add_argument("--table", type=Path, nargs="*", default=[], help="rows to put in a table")
    args = parser.parse_args()
    if args.out is not None:
        run(args)
    for path in args.table:
        print(table([json.loads(line) for line in path.read_text().splitlines()]))


def run(args: argparse.Namespace) -> None:
    """Add what is not in the file of rows yet."""
    old = args.out.read_text().splitlines() if args.out.exists() else []
    known = {(row["trial"], row["robot"], row["balance"]) for row in map(json.loads, old)}
    for place in args.inputs:
        for path in recordings_below(place):
            name = str(path.relative_to(place)) if path != place else path.name
            for robot in args.robot.split(","):
                if (name, robot, args.balance) in known:
                    continue
                row = {"trial": name, "robot": robot, "balance": args.balance}
                start = perf_counter()
                row |= one(path, robot, ImitateOptions(balance=args.balance, rate=args.rate))
                row["seconds"] = round(perf_counter() - start, 1)
                with args.out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print({k: v for k, v in row.items() if k != "findings"}, flush=True)


def one(path: Path, robot: str, options: ImitateOptions) -> dict[str, Any]:
    """What became of one trial on one robot."""
    try:
        found = imitated(robot, path, options=options)
    except PoiseError as error:
        return {"refused": " ".join(str(error).split())}
    if found.plan.person.events.treadmill:
        return {"refused": TREADMILL}
    return figures(found)


def figures(found: Imitated) -> dict[str, Any]:
    """The numbers of a row."""
    made, report = found.plan, found.judged.report
    like, physics = fidelity(made), report.physics
    slip, sink = held(made, reference=False)
    slip_ref, sink_ref = held(made, reference=True)
    return {
        "good": report.ok,
        "why": found.why,
        "upright": physics is not None and physics.upright,
        "slower": made.slower,
        "stride": made.draft.walk.stride,
        "attempts": found.motion.recipe["attempts"],
        "margin_mm": 1e3 * float(made.margin.min()),
        "residual": float(made.postures.residual.max()),
        "slip_mm": slip,
        "sink_mm": sink,
        "slip_reference_mm": slip_ref,
        "sink_reference_mm": sink_ref,
        "legs": like.leg_correlation,
        "duration": found.motion.duration,
        "notes": list(found.motion.recipe["notes"]),
        "findings": [f.to_json() for f in report.findings if not f.ok],
    }


def held(made: Plan, reference: bool) -> tuple[float, float]:
    """How far standing points move and soles reach below the floor [mm], at most."""
    draft = made.draft
    slip = sink = 0.0
    for side, path in draft.feet.items():
        foot = draft.limbs.feet[side]
        R, p = path.R, path.p
        if not reference:
            R, p = feet_of(made, side)
        outline = draft.robot.soles[foot.part].outline
        sink = max(sink, -float((p[:, None] + np.einsum("nij,kj->nki", R, outline))[..., 2].min()))
        for touch in path.touches:
            rows = (draft.time >= touch.start) & (draft.time < touch.end)
            if rows.any():
                at = p[rows, None] + np.einsum("nij,kj->nki", R[rows], touch.points)
                slip = max(slip, float(np.abs(at - touch.anchors).max()))
    return 1e3 * slip, 1e3 * sink


def feet_of(made: Plan, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a sole in the postures, by Pinocchio."""
    robot, part = made.draft.robot, made.draft.limbs.feet[side].part
    R, p = [], []
    for q in made.postures.q:
        at = robot.at(q)
        R.append(at.rotation(part).copy())
        p.append(at.position(part).copy())
    return np.array(R), np.array(p)


def table(rows: list[dict[str, Any]]) -> str:
    """One line a robot and balance, then what failed and what was left out."""
    lines = [
        "| robot | balance | trials | good | upright | slower (median) | stride (median) |"
        " slip mm | below floor mm | residual m | legs correlate (median) |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    made = [row for row in rows if "good" in row]
    for robot, balance in dict.fromkeys((row["robot"], row["balance"]) for row in made):
        mine = [r for r in made if (r["robot"], r["balance"]) == (robot, balance)]
        middle = {k: float(np.median([r[k] for r in mine])) for k in ("slower", "stride", "legs")}
        worst = {k: max(r[k] for r in mine) for k in ("slip_mm", "sink_mm", "residual")}
        lines.append(
            f"| {robot} | {balance} | {len(mine)} | {sum(r['good'] for r in mine)} |"
            f" {sum(r['upright'] for r in mine)} | {middle['slower']:.2f} |"
            f" {middle['stride']:.2f} | {worst['slip_mm']:.0e} | {worst['sink_mm']:.0e} |"
            f" {worst['residual']:.0e} | {middle['legs']:.2f} |"
        )
    lines.append("")
    lines += [
        f"- {r['trial']} on {r['robot']}, {r['balance']}: {r['why']}" for r in made if not r["good"]
    ]
    lines.append("")
    out = {r["trial"]: r["refused"] for r in rows if "refused" in r}
    lines += [f"- left out: {trial}: {why}" for trial, why in out.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
