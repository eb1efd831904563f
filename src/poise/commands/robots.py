"""`poise robots`: list, show, add."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb
from poise.errors import BadInput
from poise.robot import Robot, load_robot, robot_names


def _arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="list | show NAME | add URDF")
    listing = actions.add_parser("list", help="all robots, with mass, height and joints")
    show = actions.add_parser("show", help="one robot in detail")
    show.add_argument("name", help="name, alias or path")
    add = actions.add_parser("add", help="learn a robot from its URDF")
    add.add_argument("urdf", type=Path, help="path of the URDF")
    add.add_argument("--name", help="what to call it (the URDF's own name when absent)")
    add.add_argument("--home", type=Path, help="folder of robots (the user's when absent)")
    add.add_argument("--replace", action="store_true", help="replace a robot of the same name")
    for sub in (listing, show, add):
        sub.add_argument(
            "--json", action="store_true", help="print one JSON object and nothing else"
        )


def _run(args: argparse.Namespace) -> Outcome:
    if args.action == "show":
        return show(args.name)
    if args.action == "add":
        return add(args.urdf, args.name, args.home, args.replace)
    return list_all()


def list_all() -> Outcome:
    """All robots."""
    rows = [_summary(load_robot(name)) for name in robot_names()]
    lines = ["name          mass [kg]  height [m]  joints  what it is"]
    for row in rows:
        lines.append(
            f"{row['name']:<12} {row['mass']:>10.3f} {row['height']:>11.3f} {row['joints']:>7d}"
            f"  {row['title']}"
        )
    return Outcome({"robots": rows}, "\n".join(lines))


def show(name: str) -> Outcome:
    """One robot."""
    robot = load_robot(name)
    at = robot.at(robot.half_sitting)
    limits = {
        joint: {
            "lower": float(robot.lower[k]),
            "upper": float(robot.upper[k]),
            "velocity": float(robot.velocity_limit[k]),
            "effort": float(robot.effort_limit[k]),
        }
        for k, joint in enumerate(robot.joint_names)
    }
    data = _summary(robot) | {
        "parts": dict(robot.parts),
        "sole": {part: sole.polygon.tolist() for part, sole in robot.soles.items()},
        "half_sitting": {
            "base_height": float(robot.half_sitting[2]),
            "com_height": float(at.com[2]),
            "joints": dict(zip(robot.joint_names, robot.half_sitting[7:].tolist(), strict=True)),
        },
        "limits": limits,
        "groups": {group: list(joints) for group, joints in robot.groups.items()},
        "couplings": [vars(c) for c in robot.couplings],
        "sensors": [{"name": s.name, "kind": s.kind, "link": s.link} for s in robot.sensors],
        "sources": dict(robot.sources or {}),
        "licence": robot.licence,
    }
    return Outcome(data, _portrait(robot, data))


def add(urdf: Path, name: str | None, home: Path | None, replace: bool) -> Outcome:
    """Learn a robot from its URDF."""
    from poise.robot.onboarding import look_at, write_folder

    found = look_at(urdf, name)
    print(found, file=sys.stderr)
    if found.robot.name in robot_names() and not replace:
        raise BadInput(
            urdf,
            "the robot's name",
            f"'{found.robot.name}', which exists",
            "--name NEW, or --replace",
        )
    folder = write_folder(found, home, replace)
    robot = load_robot(folder)
    good = all(test.ok for test in found.self_test)
    data = _summary(robot) | {
        "ok": good,
        "folder": str(folder),
        "guesses": [vars_of(guess) for guess in found.guesses],
        "self_test": [vars_of(test) for test in found.self_test],
    }
    text = f"Written to {folder}. Try: poise robots show {robot.name}"
    return Outcome(data, text, DONE if good else NOT_GOOD)


def vars_of(value: Any) -> dict[str, Any]:
    """Fields of a small value as plain JSON."""
    return {key: _plain(entry) for key, entry in vars(value).items()}


def _plain(entry: Any) -> Any:
    if isinstance(entry, float):
        return entry if np.isfinite(entry) else None
    if isinstance(entry, (str, int, bool, list, dict, type(None))):
        return entry
    return str(entry)


def _summary(robot: Robot) -> dict[str, Any]:
    return {
        "name": robot.name,
        "title": robot.title,
        "mass": robot.mass,
        "height": robot.height,
        "joints": robot.na,
        "urdf": str(robot.urdf),
    }


def _portrait(robot: Robot, data: dict[str, Any]) -> str:
    sole = next(iter(robot.soles.values())).polygon
    length, width = np.ptp(sole, axis=0)
    lines = [
        f"{robot.name}: {robot.title}",
        f"  {robot.mass:.3f} kg, {robot.height:.3f} m, {robot.na} joints",
        f"  half-sitting: base at {data['half_sitting']['base_height']:.4f} m, "
        f"centre of mass at {data['half_sitting']['com_height']:.4f} m",
        f"  sole: {1e3 * length:.0f} mm long, {1e3 * width:.0f} mm wide",
        f"  parts: {', '.join(f'{part} = {link}' for part, link in robot.parts.items())}",
        f"  sensors: {', '.join(f'{s.name} ({s.kind})' for s in robot.sensors)}",
    ]
    for c in robot.couplings:
        lines.append(f"  {c.joint} is on the motor of {c.of} (x {c.multiplier:g})")
    lines.append(f"  urdf: {robot.urdf}")
    lines.append("")
    lines.append("  joint                        lower    upper [rad]  speed [rad/s]  torque [N m]")
    for joint, limit in data["limits"].items():
        lines.append(
            f"  {joint:<26} {limit['lower']:>7.3f}  {limit['upper']:>7.3f}  "
            f"{limit['velocity']:>13.2f}  {limit['effort']:>12.2f}"
        )
    return "\n".join(lines)


VERB = Verb("robots", "List, show or add robots.", _arguments, _run)
