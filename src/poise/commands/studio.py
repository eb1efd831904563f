"""`poise studio`: the web page where motions are made."""

from __future__ import annotations

import argparse

from poise.commands.outcome import Outcome, Verb


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robot", default="nao", help="robot to start with")
    parser.add_argument("--host", default="127.0.0.1", help="address to serve the page on")
    parser.add_argument("--port", type=int, default=8080, help="port to serve the page on")
    parser.add_argument(
        "--shadows", action="store_true", help="draw shadows; slow without a graphics card"
    )


def _run(args: argparse.Namespace) -> Outcome:
    from poise.robot import load_robot
    from poise.studio import open_studio

    open_studio(load_robot(args.robot), args.host, args.port, shadows=args.shadows)
    return Outcome({"ok": True})


VERB = Verb("studio", "The web page where motions are made.", _arguments, _run)
