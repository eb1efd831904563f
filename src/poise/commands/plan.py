"""`poise plan`: a motion through contact phases, certified and judged."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.engines.multicontact import PlanOptions, Progress, scene_names
from poise.robot import load_robot


def _arguments(parser: argparse.ArgumentParser) -> None:
    scenes = ", ".join(scene_names())
    defaults = PlanOptions()
    parser.add_argument("scene", help=f"{scenes}, or the path of a TOML file")
    parser.add_argument("--robot", default="hrp2", help="who: a name, or the path of a URDF")
    parser.add_argument("--out", type=Path, help="motion file to write")
    parser.add_argument("--rate", type=float, default=200.0, help="of the motion's instants [Hz]")
    parser.add_argument(
        "--seconds",
        type=float,
        default=defaults.seconds,
        help="solve no longer than this [s]; Ctrl-C stops earlier, with the best motion so far",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=defaults.workers,
        help="processes that share the evaluation of the phases, where cores are idle",
    )
    parser.add_argument(
        "--start-at",
        type=float,
        nargs="+",
        metavar="X",
        help="first guess of the free contact coordinates, in the order of the scene [m, rad]",
    )
    parser.add_argument(
        "--physics",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="replay it by joint servos and balance feedback in the simulator",
    )
    for name, unit in (("time", "1/s"), ("torque", "1/(N m)^2/s"), ("jerk", "s^5/rad^2")):
        default = getattr(defaults, f"{name}_weight")
        parser.add_argument(
            f"--{name}-weight",
            type=float,
            default=None,
            help=f"of the cost [{unit}]; without it the scene's, or {default:g}",
        )
    parser.add_argument(
        "--collisions",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="keep links clear of each other and of the surroundings",
    )


def _run(args: argparse.Namespace) -> Outcome:
    from poise.door import examine, plan, save

    robot = load_robot(args.robot)
    weights = {
        f"{name}_weight": value
        for name in ("time", "torque", "jerk")
        if (value := getattr(args, f"{name}_weight")) is not None
    }
    options = PlanOptions(
        seconds=args.seconds, collisions=args.collisions, workers=args.workers, **weights
    )
    motion = plan(
        robot, args.scene, options=options, rate=args.rate, floats=args.start_at, watch=_show()
    )
    judged = examine(motion, robot, args.physics)
    report = judged.report
    if args.out is not None:
        save(motion, args.out, robot=robot)
    figures, certificate = motion.recipe["figures"], motion.recipe["certificate"]
    data: dict[str, Any] = {
        "ok": report.ok and certificate["holds"] and not figures["stopped"],
        "out": None if args.out is None else str(args.out),
        "duration": motion.duration,
        "report": report.to_json(),
        "robot": robot.name,
        "scene": motion.recipe["scene"]["title"],
        "certificate": certificate,
        **figures,
    }
    text = f"{report}\n\n{_told(figures, certificate)}"
    if args.out is not None:
        text += f"\nwritten to {args.out}"
    return Outcome(data, text, DONE if data["ok"] else NOT_GOOD)


def _told(figures: dict[str, Any], certificate: dict[str, Any]) -> str:
    phases = " + ".join(f"{T:.2f}" for T in figures["durations"])
    lines = [
        f"{figures['variables']} unknowns, {figures['constraints']} constraints, "
        f"{figures['iterations']} iterations in {figures['seconds']:.0f} s; "
        f"cost {figures['cost']:.4g}; phases {phases} s",
        "certified between the nodes, over all spans:",
    ]
    for bound in certificate["bounds"]:
        lines.append(
            f"  {bound['family']:<17} {bound['worst']:10.4g} (limit {bound['limit']:.4g}) "
            f"{bound['unit']:<6} {bound['where']}, {bound['phase']}"
        )
    for name, found in figures["floating"].items():
        places = ", ".join(f"{k} {v:+.3f}" for k, v in found.items() if k != "position")
        lines.append(f"{name} settled at {places}")
    if not certificate["holds"]:
        lines.append("not certified: a bound above exceeds its limit")
    if figures["stopped"]:
        lines.append("stopped before it was done: the best motion so far")
    return "\n".join(lines)


def _show() -> Any:
    """One line that renews itself where standard error is a terminal, else a line now and then."""
    terminal = sys.stderr.isatty()

    def show(progress: Progress) -> bool:
        line = (
            f"round {progress.round + 1}, iteration {progress.iteration}: cost "
            f"{progress.cost:.4g}, violation {progress.violation:.1e}, {progress.seconds:.0f} s"
        )
        if terminal:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        elif progress.iteration % 10 == 0:
            print(line, file=sys.stderr, flush=True)
        return False

    return show


VERB = Verb("plan", "Plan a motion through contact phases.", _arguments, _run, motions=("out",))
