"""`poise balance`: stand, squat, lift a foot, step, reach; and be pushed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.commands.settings import add_settings, read_settings
from poise.engines.balance import FEEDBACKS, BalanceOptions, Shove, scenario_names
from poise.errors import BadInput
from poise.motion.knobs import checked, knobs_of


def _arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(scenario_names())
    parser.add_argument("--robot", default="hoap3", help="who balances: a name, or a URDF's path")
    parser.add_argument("--scenario", default="stand", help=f"{names}, or the path of a TOML")
    parser.add_argument("--push", type=float, metavar="N", help="push with so many newtons")
    parser.add_argument(
        "--direction", type=float, default=0.0, metavar="DEG", help="0 forward, 90 to its left"
    )
    parser.add_argument("--duration", type=float, default=0.5, metavar="S", help="of the push [s]")
    parser.add_argument("--start", type=float, default=1.0, metavar="S", help="of the push [s]")
    parser.add_argument("--shape", help="of the push: square, or sine (the survey's)")
    parser.add_argument(
        "--survey", type=Path, metavar="F.png", help="find the greatest push of every direction"
    )
    parser.add_argument(
        "--directions", default="0,45,90,135,180,225,270,315", metavar="DEG,DEG", help="of a survey"
    )
    parser.add_argument(
        "--feedbacks", default=",".join(FEEDBACKS), metavar="NAME,NAME", help="of a survey"
    )
    add_settings(parser)
    parser.add_argument("--seed", type=int, default=0, help="of the sensors' noise")
    parser.add_argument("--out", type=Path, help="motion file to write")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="draw loads, pressure, joints")
    parser.add_argument("--report", type=Path, metavar="F.html", help="one page with everything")
    parser.add_argument("--knobs", action="store_true", help="list the knobs")


def _run(args: argparse.Namespace) -> Outcome:
    from poise.balancing import balance_trial
    from poise.door import save

    if args.knobs:
        return _knobs()
    if args.survey is not None:
        from poise.commands.push_survey import survey_outcome

        return survey_outcome(args)
    pushes = () if args.push is None else (_push(args),)
    print(f"{args.robot} balances, {args.scenario} ...", file=sys.stderr)
    done = balance_trial(
        args.robot,
        args.scenario,
        read_settings("balance", args.settings, "Kp=0.3"),
        pushes,
        args.seed,
    )
    report = done.report()
    data: dict[str, Any] = {
        "ok": done.upright,
        "upright": done.upright,
        "fell_at": done.verdict.fell_at,
        "why": done.why or None,
        "robot": done.robot.name,
        "scenario": done.trial.scenario.name,
        "duration": done.motion.duration,
        "out": None if args.out is None else str(args.out),
        **done.figures,
        "report": report.to_json(),
    }
    if args.out is not None:
        save(done.handed_out, args.out, robot=done.robot)
    if args.figures is not None:
        from poise.viewer.balance_figures import draw_balance

        data["figures"] = [str(path) for path in draw_balance(done.handed_out, args.figures)]
    if args.report is not None:
        from poise.door import Judged, write_report

        write_report(Judged(report, done.handed_out, done.robot), args.report)
        data["page"] = str(args.report)
    return Outcome(data, _text(data), DONE if done.upright else NOT_GOOD)


def _push(args: argparse.Namespace) -> Shove:
    told = {
        "force": args.push,
        "direction": args.direction,
        "duration": args.duration,
        "start": args.start,
        "shape": args.shape or "square",
    }
    known = knobs_of(Shove())
    if args.push is not None and args.push <= 0.0:
        raise BadInput("balance", "--push", f"{args.push:g} N", "a force above 0 N")
    flags = {"force": "--push"}
    for name, value in told.items():
        checked(f"balance, {flags.get(name, '--' + name)}", known[name], value)
    return Shove(**told)


def _text(data: dict[str, Any]) -> str:
    state = "stays up" if data["upright"] else f"falls at {data['fell_at']:.2f} s: {data['why']}"
    lines = [f"{data['robot']}, {data['scenario']}, {data['feedback']}: {state}"]
    lines.append(
        f"  feet keep their pose to {data['feet_error_max_mm']:.2g} mm and "
        f"{data['feet_error_max_deg']:.2g} deg, the CoM its reference to "
        f"{data['com_error_max_mm']:.2f} mm"
    )
    for push in data.get("pushes", []):
        lines.append(_push_text(push))
    for squat in data.get("squats", []):
        if squat["done"]:
            lines.append(
                f"  squats of {squat['depth_mm']:.0f} mm in {squat['period_s']:g} s: height to "
                f"{squat['com_z_rms_mm']:.2f} mm rms, loads to "
                f"{1e2 * squat['load_sum_off_max']:.1f} %"
            )
    if data["out"]:
        lines.append(f"  written to {data['out']}")
    return "\n".join(lines)


def _push_text(push: dict[str, Any]) -> str:
    head = f"  push of {push['force_N']:.3g} N to {push['direction_deg']:g} deg: "
    if not push["survived"]:
        return head + "not survived"
    after = push["settled_after_s"]
    back = "not back within 2 mm" if after is None else f"back within 2 mm after {after:.2f} s"
    return (
        f"{head}ZMP off by {push['offset_end_mm']:.1f} mm at its end "
        f"({1e2 * push['offset_share']:.0f} % of passive), {back}, leaning {push['lean_mm']:.1f} mm"
    )


def _knobs() -> Outcome:
    knobs = knobs_of(BalanceOptions()).values()
    lines = [f"  {one.name:<14} {one.default!s:>12}  ({one.accepted})  {one.doc}" for one in knobs]
    rows = [
        {
            "name": one.name,
            "default": one.default,
            "low": None if one.choices else one.low,
            "high": None if one.choices else one.high,
            "choices": list(one.choices),
            "unit": one.unit,
            "doc": one.doc,
        }
        for one in knobs
    ]
    return Outcome({"knobs": rows}, "\n".join(lines))


VERB = Verb(
    "balance",
    "Keep the balance, in simulation.",
    _arguments,
    _run,
    motions=("out",),
    files=("report", "survey"),
)
