"""`poise imitate`: a person's captured walk on any humanoid, judged before anyone plays it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.engines.imitate.options import DYNAMIC, QUASISTATIC, ImitateOptions


def _arguments(parser: argparse.ArgumentParser) -> None:
    usual = ImitateOptions()
    parser.add_argument("trial", type=Path, help="recorded walk: C3D, TRC, BVH or AMC")
    parser.add_argument("--static", type=Path, help="the same person standing")
    parser.add_argument(
        "--functional",
        type=Path,
        action="append",
        default=[],
        help="a trial in which a leg is swung, for its hip centre; as often as you like",
    )
    parser.add_argument("--robot", default="nao", help="who imitates: a name, or a path of a URDF")
    parser.add_argument(
        "--balance",
        choices=(DYNAMIC, QUASISTATIC),
        default=usual.balance,
        help="preview control, or slowly with the centre of mass over the feet",
    )
    parser.add_argument("--slow", type=float, default=usual.slow, help="times slower, at least")
    parser.add_argument("--stride", type=float, default=usual.stride, help="of the steps, at most")
    parser.add_argument("--rockers", type=float, default=usual.rockers, help="of the foot pitch")
    parser.add_argument("--rate", type=float, default=usual.rate, help="of the motion [Hz]")
    parser.add_argument(
        "--upper-body",
        action=argparse.BooleanOptionalAction,
        default=usual.upper_body,
        help="imitate trunk and arms",
    )
    parser.add_argument(
        "--lead",
        action=argparse.BooleanOptionalAction,
        default=usual.lead,
        help="steps from and to standing before and after the clip",
    )
    parser.add_argument("--out", type=Path, help="motion file to write")
    parser.add_argument("--report", type=Path, metavar="F.html", help="person and robot compared")
    parser.add_argument(
        "--physics",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="replay it in the simulator, and play it slower until that goes well",
    )


def _run(args: argparse.Namespace) -> Outcome:
    from poise.door import imitated, save
    from poise.engines.imitate.fidelity import fidelity

    options = ImitateOptions(
        balance=args.balance,
        slow=args.slow,
        stride=args.stride,
        rockers=args.rockers,
        rate=args.rate,
        upper_body=args.upper_body,
        lead=args.lead,
    )
    found = imitated(
        args.robot, args.trial, args.static, args.functional, options, args.physics, _progress
    )
    motion, report, made = found.motion, found.judged.report, found.plan
    if args.out is not None:
        save(motion, args.out, robot=found.judged.robot)
    figures = fidelity(made)
    data: dict[str, Any] = {
        "ok": report.ok,
        "out": None if args.out is None else str(args.out),
        "duration": motion.duration,
        "report": report.to_json(),
        "robot": motion.robot,
        "source": made.person.source,
        "balance": args.balance,
        "slower": made.slower,
        "stride": made.draft.walk.stride,
        "steps": len(made.draft.walk.steps),
        "fidelity": figures.to_json(),
        "notes": motion.recipe["notes"],
    }
    text = f"{report}\n\n{figures}\n"
    text += f"{made.slower:.2f} times slower than the person, steps {made.draft.walk.stride:.2f}"
    text += f" of the marionette's, {motion.duration:.1f} s"
    if args.report is not None:
        from poise.door import write_comparison

        data["html"] = str(write_comparison(found, args.report))
        text += f"\nReport written to {args.report}"
    if args.out is not None:
        text += f"\nWritten to {args.out}"
    return Outcome(data, text, DONE if report.ok else NOT_GOOD)


def _progress(words: str) -> None:
    print(words, file=sys.stderr)


VERB = Verb(
    "imitate",
    "A person's captured walk on any humanoid.",
    _arguments,
    _run,
    motions=("out",),
    files=("report",),
)
