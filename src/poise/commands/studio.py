"""`poise studio`: the web page where motions are made."""

from __future__ import annotations

import argparse
from pathlib import Path

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robot", help="robot to start with; nao unless a recipe says so")
    parser.add_argument("--host", default="127.0.0.1", help="address to serve the page on")
    parser.add_argument("--port", type=int, default=8080, help="port to serve the page on")
    parser.add_argument(
        "--shadows", action="store_true", help="draw shadows; slow without a graphics card"
    )
    parser.add_argument(
        "--replay", type=Path, metavar="F", help="no page: do a recipe or a recording again"
    )
    parser.add_argument("--out", type=Path, help="with --replay: motion file to write")


def _run(args: argparse.Namespace) -> Outcome:
    from poise.robot import load_robot

    if args.replay is not None:
        return _replay(args)
    from poise.studio import open_studio

    open_studio(load_robot(args.robot or "nao"), args.host, args.port, shadows=args.shadows)
    return Outcome({"ok": True})


def _replay(args: argparse.Namespace) -> Outcome:
    from poise.door import examine, save
    from poise.robot import load_robot
    from poise.studio.live_physics import kind_of, replay_physics
    from poise.studio.script import read_recipe, replay

    recipe = read_recipe(args.replay)
    robot = load_robot(args.robot or recipe["inputs"]["robot"])
    lived = kind_of(recipe) is not None  # in physics, with hands on it: no replay without them
    motion = replay_physics(robot, recipe) if lived else replay(robot, recipe)
    report = examine(motion, robot, physics=not lived).report
    if args.out is not None:
        save(motion, args.out, robot=robot)
    data = {
        "ok": report.ok,
        "out": None if args.out is None else str(args.out),
        "duration": motion.duration,
        "report": report.to_json(),
        "robot": robot.name,
    }
    text = f"{report}" + ("" if args.out is None else f"\n\nwritten to {args.out}")
    return Outcome(data, text, DONE if report.ok else NOT_GOOD)


VERB = Verb("studio", "The web page where motions are made.", _arguments, _run, motions=("out",))
