"""`poise walk`: a walk in a style, judged before anyone plays it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.commands.settings import add_settings, read_settings
from poise.engines.expressive import (
    GROUPS,
    Style,
    find_style,
    knobs_for,
    predict,
    preset_names,
    ranges,
)
from poise.robot import Robot, load_robot


def _arguments(parser: argparse.ArgumentParser) -> None:
    presets = ", ".join(preset_names())
    parser.add_argument("--robot", default="nao", help="who walks: a name, or the path of a URDF")
    parser.add_argument("--style", default="normal", help=f"{presets}, or the path of a TOML")
    add_settings(parser)
    parser.add_argument("--steps", type=int, default=20, help="how many")
    parser.add_argument("--out", type=Path, help="motion file to write")
    parser.add_argument("--knobs", action="store_true", help="list the knobs of this robot")
    parser.add_argument(
        "--physics",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="replay it by joint servos in the simulator",
    )


def _run(args: argparse.Namespace) -> Outcome:
    from poise.door import examine, save, walk

    robot = load_robot(args.robot)
    settings = read_settings("walk", args.settings, "step_length=0.05")
    style = find_style(args.style, robot)
    if settings:
        style = style.set_on(robot, settings, "walk")
    if args.knobs:
        return _knobs(robot, style)
    expected = predict(robot, style)
    print(f"{robot.name} walks {args.steps} steps, {args.style} ...", file=sys.stderr)
    if expected.why:
        print(f"expected beforehand: {expected.verdict}: {expected.why}", file=sys.stderr)
    motion = walk(robot, style, args.steps)
    judged = examine(motion, robot, args.physics)
    report = judged.report
    if args.out is not None:
        save(motion, args.out, robot=robot)
    recipe = motion.recipe
    travelled = float(((motion.q[-1, :2] - motion.q[0, :2]) ** 2).sum() ** 0.5)
    data: dict[str, Any] = {
        "ok": report.ok,
        "out": None if args.out is None else str(args.out),
        "duration": motion.duration,
        "report": report.to_json(),
        "robot": robot.name,
        "style": recipe["options"]["style"]["name"],
        "steps": recipe["steps_done"],
        "distance": travelled,
        "fell_at": recipe["fell_at"],
        "fell_because": recipe["fell_because"],
        "gave_way_first": recipe["gave_way_first"],
        "expected": expected.verdict,
        "expected_because": expected.why,
    }
    text = f"{report}\n\n{travelled:.2f} m in {motion.duration:.1f} s"
    if recipe["fell_at"] is not None:
        text += f"; it fell: {recipe['fell_because']}"
    if args.out is not None:
        text += f", written to {args.out}"
    return Outcome(data, text, DONE if report.ok else NOT_GOOD)


def _knobs(robot: Robot, style: Style) -> Outcome:
    """The knobs of a robot, with where each may go around a style."""
    knobs, around = knobs_for(robot), ranges(robot, style)
    lines, group, told = [], "", []
    for one in sorted(knobs.values(), key=lambda one: GROUPS.index(one.group)):
        if one.group != group:
            group = one.group
            lines += ["", f"{group}:"]
        stretches = around.get(one.name, ())
        safe = [f"{_value(s.low)} to {_value(s.high)}" for s in stretches if s.verdict == "safe"]
        note = f"  safe: {', '.join(safe) or 'nowhere'}" if stretches else ""
        value = style.value_on(robot, one.name)
        lines.append(f"  {one.name:<16} {_value(value):>9}  ({one.accepted}){note}  {one.doc}")
        told.append(
            {
                "name": one.name,
                "group": one.group,
                "value": value,
                "default": one.default,
                "low": None if one.choices else one.low,
                "high": None if one.choices else one.high,
                "choices": list(one.choices),
                "unit": one.unit,
                "doc": one.doc,
                "ranges": [vars(stretch) for stretch in stretches],
            }
        )
    return Outcome({"knobs": told}, "\n".join(lines).strip())


def _value(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


VERB = Verb("walk", "Design a walk by its style.", _arguments, _run, motions=("out",))
