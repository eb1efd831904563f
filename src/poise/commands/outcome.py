"""What a verb of the command says when it is done."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DONE, NOT_GOOD, WRONG = 0, 1, 2  # exit codes: done and good; judged and not good; bad input


def accept_json(parser: argparse.ArgumentParser) -> None:
    """Let a verb, or one of its actions, take --json."""
    parser.add_argument("--json", action="store_true", help="print one JSON object only")


@dataclass(frozen=True)
class Outcome:
    """One result, for a person and for a program."""

    data: dict[str, Any]  # what --json prints
    text: str = ""  # what a person reads
    code: int = DONE


@dataclass(frozen=True)
class Verb:
    """A verb of the command: its name, its sentence, its arguments, what it does and writes.

    What it writes is looked at before it runs: nobody should wait for a motion that has no place.
    """

    name: str
    summary: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Outcome]
    motions: tuple[str, ...] = ()  # arguments that name motion files to write
    files: tuple[str, ...] = ()  # arguments that name other files to write
