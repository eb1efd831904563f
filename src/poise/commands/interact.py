"""`poise interact`: lead a robot by the hand, in simulation, with a virtual partner."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.commands.settings import add_settings, read_settings
from poise.engines.interact import SafeArea, knobs_for, leader_names, load_area
from poise.engines.interact.safe_area import BY_SIZE, known_area
from poise.errors import BadInput
from poise.robot import Robot, load_robot
from poise.robot.loading import name_to_load


def _arguments(parser: argparse.ArgumentParser) -> None:
    leaders = ", ".join(leader_names())
    parser.add_argument("--robot", default="hrp2", help="who is led: a name, or a URDF")
    parser.add_argument("--leader", default="straight", help=f"{leaders}, or a TOML file")
    parser.add_argument("--seed", type=int, help="of a leader who wanders")
    add_settings(parser)
    parser.add_argument("--area", type=Path, help="safe area as `poise safe-area` writes it")
    parser.add_argument("--out", type=Path, help="motion file to write: what really happened")
    parser.add_argument(
        "--figures", type=Path, metavar="F.png", help="draw the paper's figures 5 and 6"
    )
    parser.add_argument(
        "--scenario", type=Path, metavar="F.png", help="only draw the paper's figures 2 and 3"
    )
    parser.add_argument("--knobs", action="store_true", help="list the knobs of this robot")


def _run(args: argparse.Namespace) -> Outcome:
    from poise.door import save
    from poise.leading import interacted

    robot = load_robot(args.robot)
    if args.knobs:
        return _knobs(args.robot)
    if args.scenario is not None:
        from poise.engines.interact.comparing import compare_generators
        from poise.engines.interact.scenario import curves
        from poise.viewer.led import plot_curves

        plot_curves(curves(), args.scenario)
        found = compare_generators()
        data = {"ok": True, "out": str(args.scenario), "generators": found}
        return Outcome(data, f"drawn: {args.scenario}\n{_generators(found)}")
    area = _area(robot, args.area)
    print(f"{robot.name} is led by {args.leader} ...", file=sys.stderr)
    done = interacted(
        robot,
        args.leader,
        read_settings("interact", args.settings, "damping=120"),
        area=area,
        seed=args.seed,
    )
    if args.out is not None:
        save(done.motion, args.out, robot=robot)
    if args.figures is not None:
        from poise.viewer.led import plot_led

        plot_led(done.motion, args.figures)
    data = {**done.figures, "out": None if args.out is None else str(args.out)}
    return Outcome(data, _text(done.figures), DONE if done.figures["ok"] else NOT_GOOD)


def _area(robot: Robot, path: Path | None) -> SafeArea:
    """Where the robot may put its feet; says so when nobody has computed that."""
    if path is not None:
        area = load_area(path)
        if area.robot != robot.name:
            raise BadInput(path, "robot", f"'{area.robot}'", f"a set for {robot.name}")
        return area
    area = known_area(robot)
    if area.source == BY_SIZE:
        print(
            f"where {robot.name} may put its feet is guessed by its sizes;"
            f" `poise safe-area --robot {name_to_load(robot)} --keep` computes it once and for all",
            file=sys.stderr,
        )
    return area


def _text(f: dict[str, Any]) -> str:
    state = "upright" if f["upright"] else f"fell at {f['fell_at']:.2f} s"
    lines = [
        f"{f['robot']}, led by {f['leader']}: {state}, {f['steps']} steps in {f['duration']:.1f} s",
        f"  went {f['distance']:.2f} m of {f['distance_led']:.2f} m,"
        f" turned {f['turned']:.2f} of {f['turn_led']:.2f} rad",
        f"  hand at most {f['hand_lead_max']:.2f} m ahead (limit {f['hand_lead_limit']:.2f}),"
        f" pulled with {f['hand_force_max']:.0f} N at most",
        f"  real ZMP off by {1e3 * f['zmp_error_p50']:.0f} mm (median),"
        f" within 2 cm for {100 * f['zmp_within_2cm']:.0f} % of the time",
        f"  landings moved by {1e3 * f['shift_max']:.0f} ms at most,"
        f" ZMP fluctuation {1e3 * f['fluctuation_x_max']:.0f} and"
        f" {1e3 * f['fluctuation_y_max']:.0f} mm, {f['footprints_clipped']} footprints clipped",
    ]
    if f["feasibility_min"] is not None:
        lines.append(
            f"  steps were feasible with a probability of {f['feasibility_mean']:.2f} on average,"
            f" {f['feasibility_min']:.2f} at least"
        )
    if f["stopped_because"]:
        lines.append(f"  stopped in {f['steps_to_stop']} steps: {f['stopped_because']}")
    return "\n".join(lines)


def _generators(found: dict[str, dict[str, float]]) -> str:
    """What the generators give up, as a table."""
    lines = ["the same random wishes, mean and 95th percentile of what is given up:"]
    for name, f in found.items():
        lines.append(
            f"  {name:<7} {f['off_mm_mean']:5.1f} {f['off_mm_p95']:5.1f} mm off the wish,"
            f" {f['shift_ms_mean']:5.1f} {f['shift_ms_p95']:5.1f} ms,"
            f" {f['zmp_mm_mean']:5.1f} {f['zmp_mm_p95']:5.1f} mm of ZMP,"
            f" {100 * f['refused']:.1f} % refused"
        )
    return "\n".join(lines)


def _knobs(name: str) -> Outcome:
    knobs = knobs_for(load_robot(name))
    lines, data, group = [], [], ""
    for one in knobs.values():
        if one.group != group:
            group = one.group
            lines += ["", f"{group}:"]
        shown = f"{one.default:.3g}" if isinstance(one.default, float) else str(one.default)
        lines.append(f"  {one.name:<14} {shown:>9}  ({one.accepted})  {one.doc}")
        data.append({"name": one.name, "default": one.default, "unit": one.unit, "doc": one.doc})
    return Outcome({"knobs": data}, "\n".join(lines).strip())


VERB = Verb(
    "interact",
    "Lead a walking robot by the hand, in simulation.",
    _arguments,
    _run,
    motions=("out",),
    files=(
        "figures",
        "scenario",
    ),
)
