"""The argument `--set KNOB=VALUE`, as every verb with knobs takes it."""

from __future__ import annotations

import argparse
from typing import Any

from poise.errors import BadInput


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add `--set`, which may stand any number of times."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KNOB=VALUE",
        dest="settings",
        help="a knob in SI units, as often as you like; `--knobs` lists them",
    )


def read_settings(verb: str, entries: list[str], example: str) -> dict[str, Any]:
    """Knobs by name: numbers, or words for whoever knows the knobs to judge.

    Args:
        verb: who asks, for the sentence about a wrong entry.
        entries: as they were written, "KNOB=VALUE".
        example: one that would be accepted.
    """
    settings: dict[str, Any] = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals or not name:
            raise BadInput(verb, "--set", f"'{entry}'", f"KNOB=VALUE, e.g. {example}")
        try:
            settings[name.strip()] = float(value)
        except ValueError:
            settings[name.strip()] = value.strip()
    return settings
