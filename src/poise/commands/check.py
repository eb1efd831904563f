"""`poise check`: the judge."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.commands.reading import add_reading, read


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading(parser)
    parser.add_argument("--report", type=Path, metavar="F.html", help="also write an HTML report")
    parser.add_argument(
        "--physics",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="replay it by joint servos in the simulator",
    )
    parser.add_argument("--friction", type=float, help="of the floor, for judge and simulator")
    parser.add_argument(
        "--feedback",
        action=argparse.BooleanOptionalAction,
        help="replay it with a stabiliser, or open loop by servos alone; unless told, plans "
        "through contact phases with, all others without",
    )
    parser.add_argument(
        "--mass-error", type=float, default=0.0, help="0.05: the simulated robot is 5 %% heavier"
    )
    parser.add_argument(
        "--ankle-sag",
        type=float,
        metavar="MM",
        help="the simulated ankles are springs that sink so far under 1.25 weights [mm]",
    )
    parser.add_argument("--latency", type=float, default=0.0, help="of the simulated sensors [s]")


def _run(args: argparse.Namespace) -> Outcome:
    from poise.checks import CheckOptions
    from poise.door import examine, robot_of, write_report
    from poise.simulation import SimulationOptions, sagging_ankles

    motion, robot, _ = read(args)
    options = CheckOptions() if args.friction is None else CheckOptions(friction=args.friction)
    world = SimulationOptions(mass_error=args.mass_error, sensor_latency=args.latency)
    if args.friction is not None:
        world = replace(world, friction=args.friction)
    if args.ankle_sag is not None:
        world = sagging_ankles(robot_of(motion, robot), 1e-3 * args.ankle_sag, world)
    judged = examine(motion, robot, args.physics, options, world, feedback=args.feedback)
    data = judged.report.to_json() | {"robot": judged.robot.name, "duration": motion.duration}
    text = str(judged.report)
    if args.report is not None:
        write_report(judged, args.report)
        data["html"] = str(args.report)
        text += f"\n\nReport written to {args.report}"
    return Outcome(data, text, DONE if judged.report.ok else NOT_GOOD)


VERB = Verb(
    "check",
    "Judge a motion: limits, contacts, balance, physics.",
    _arguments,
    _run,
    files=("report",),
)
