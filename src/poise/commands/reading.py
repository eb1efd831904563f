"""Arguments of the verbs that read a motion file, and the reading itself."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from poise.io import Verdict, read_motion
from poise.motion import Motion
from poise.robot import Robot, load_robot


def add_reading(parser: argparse.ArgumentParser, name: str = "motion") -> None:
    """Add the arguments of a motion file."""
    parser.add_argument(name, type=Path, help="motion file, in any dialect poise reads")
    parser.add_argument("--robot", help="whose motion it is, where the file does not say")
    parser.add_argument("--dialect", help="of the file; found out when absent")
    parser.add_argument("--rate", type=float, help="rows per second, where the file does not say")


def read(args: argparse.Namespace, name: str = "motion") -> tuple[Motion, Robot, Verdict]:
    """Read the motion file of the arguments; what was assumed is said on standard error."""
    path = getattr(args, name)
    motion, verdict = read_motion(path, args.robot, args.dialect, args.rate)
    if verdict.dialect != "poise":
        print(f"{path}: read as {verdict}", file=sys.stderr)
    robot = load_robot(args.robot) if args.robot else load_robot(motion.robot)
    return motion, robot, verdict
