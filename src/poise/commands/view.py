"""`poise view`: look at a motion in the browser, as a film strip or as a video."""

from __future__ import annotations

import argparse
from pathlib import Path

from poise.commands.outcome import Outcome, Verb
from poise.commands.reading import add_reading, read


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading(parser)
    parser.add_argument("--picture", type=Path, metavar="F.png", help="write a film strip instead")
    parser.add_argument("--video", type=Path, metavar="F.mp4", help="write a video instead")
    parser.add_argument("--compare", type=Path, help="another motion, shown as a ghost")
    parser.add_argument("--host", default="127.0.0.1", help="address to serve the page on")
    parser.add_argument("--port", type=int, default=8080, help="port to serve the page on")


def _run(args: argparse.Namespace) -> Outcome:
    from poise import door

    motion, robot, _ = read(args)
    written = {}
    if args.picture is not None:
        written["picture"] = str(door.picture(motion, args.picture, robot))
    if args.video is not None:
        written["video"] = str(door.video(motion, args.video, robot))
    if not written:
        other = door.load(args.compare, robot) if args.compare is not None else None
        door.view(motion, robot, host=args.host, port=args.port, compare=other)
    text = "\n".join(f"{kind} written to {path}" for kind, path in written.items())
    return Outcome({"ok": True} | written, text)


VERB = Verb(
    "view",
    "Look at a motion: browser, film strip or video.",
    _arguments,
    _run,
    files=(
        "picture",
        "video",
    ),
)
