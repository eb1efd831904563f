"""`poise batch`: many motions on all cores or on a cluster, with a reason for each failure."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.engines.imitate.options import DYNAMIC, QUASISTATIC, ImitateOptions
from poise.errors import BadInput

if TYPE_CHECKING:
    from poise.fleet.batch import Summary
    from poise.fleet.jobs import Job

VERBS = ("imitate", "walk")


def _arguments(parser: argparse.ArgumentParser) -> None:
    usual = ImitateOptions()
    parser.add_argument("verb", choices=VERBS, help="what to do many times")
    parser.add_argument(
        "inputs",
        type=Path,
        nargs="+",
        metavar="INPUT",
        help="imitate: folders with C3D, TRC, BVH, AMC files, or such files; walk: GRID.toml",
    )
    parser.add_argument(
        "--robot",
        metavar="R[,R...]",
        help="who: names or paths of URDFs, with commas between them; nao, or what the grid says",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to fill")
    parser.add_argument(
        "--skip-existing",
        action="store_true",
        help="keep what an earlier run finished with the same inputs and settings",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster, as tcp://10.0.0.1:8786"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="local processes; one a core when absent"
    )
    parser.add_argument(
        "--physics",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="judge with a replay in the simulator",
    )
    imitate = parser.add_argument_group("for imitate")
    imitate.add_argument(
        "--balance",
        choices=(DYNAMIC, QUASISTATIC),
        default=usual.balance,
        help="preview control, or slowly with the centre of mass over the feet",
    )
    imitate.add_argument("--slow", type=float, default=usual.slow, help="times slower, at least")
    imitate.add_argument("--rate", type=float, default=usual.rate, help="of the motions [Hz]")


def _run(args: argparse.Namespace) -> Outcome:
    from poise.fleet.batch import run_batch
    from poise.fleet.crew import crew_at
    from poise.fleet.progress import Progress
    from poise.fleet.shelf import Shelf

    if args.scheduler is not None and args.workers is not None:
        accepted = "one of them: a cluster has the workers that joined it"
        raise BadInput("batch", "--workers", "given with --scheduler", accepted)
    jobs = _jobs(args)
    shelf = Shelf(args.out)
    with crew_at(args.scheduler, args.workers) as crew, shelf.open():
        where = args.scheduler or "this machine"
        print(f"{len(jobs)} motions, {crew.size} at a time on {where} ...", file=sys.stderr)
        progress = Progress(len(jobs))
        title = f"poise batch {args.verb} {' '.join(map(str, args.inputs))}"
        summary = run_batch(jobs, crew, shelf, args.skip_existing, progress, title)
        progress.show(last=True)
    return _told(args, summary)


def _jobs(args: argparse.Namespace) -> list[Job]:
    """What is to be done, checked before anything is."""
    robots = [name.strip() for name in (args.robot or "").split(",") if name.strip()]
    if args.robot is not None and not robots:
        raise BadInput("batch", "--robot", f"'{args.robot}'", "names such as hrp2,hoap3")
    if args.verb == "walk":
        from poise.fleet.grid import walk_jobs

        return [job for grid in args.inputs for job in walk_jobs(grid, robots, args.physics)]
    from poise.fleet.trials import imitate_jobs

    options = ImitateOptions(balance=args.balance, slow=args.slow, rate=args.rate)
    return [*imitate_jobs(args.inputs, robots or ["nao"], options, args.physics)]


def _told(args: argparse.Namespace, summary: Summary) -> Outcome:
    from poise.fleet.progress import span
    from poise.fleet.result import KINDS

    counts = {kind: summary.count(kind) for kind in KINDS}
    total = len(summary.results)
    now = total - summary.skipped
    data: dict[str, Any] = {
        "ok": summary.ok,
        "out": str(args.out),
        "jobs": total,
        "counts": counts,
        "skipped": summary.skipped,
        "seconds": summary.seconds,
        "cpu_seconds": summary.cpu_seconds,
        "at_once": summary.at_once,
        "cpu_seconds_per_job": summary.cpu_seconds / now if now else None,
        "tables": summary.tables,
        "failures": str(args.out / "failures.jsonl"),
        "best": [result.key for result in summary.results[:10] if result.made],
    }
    lines = [", ".join(f"{count} {kind}" for kind, count in counts.items() if count)]
    if now:
        lines.append(
            f"{now} done in {span(summary.seconds)}"
            f", {summary.at_once:.1f} at a time"
            f", {summary.cpu_seconds / now:.1f} s of processor time each"
        )
    if summary.skipped:
        lines.append(f"{summary.skipped} kept from an earlier run")
    lines += [f"  {path}" for path in summary.tables.values() if path is not None]
    if summary.tables["parquet"] is None:
        lines.append("  no table.parquet: it needs pyarrow, pip install 'poise[parquet]'")
    if not summary.ok:
        lines.append(f"  {data['failures']}: {total - counts['good']} reasons")
    return Outcome(data, "\n".join(lines), DONE if summary.ok else NOT_GOOD)


VERB = Verb("batch", "Many motions, on all cores or on a cluster.", _arguments, _run)
