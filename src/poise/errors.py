"""Everything poise raises on purpose, and the words it uses to teach.

A message is one sentence a person can act on: which thing, what was found,
what is accepted, and the nearest valid name where there is one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path


class PoiseError(Exception):
    """Everything this library raises on purpose."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint such as " Did you mean 'left_foot'?", or nothing when nothing is close."""
    lowered = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=2, cutoff=0.5)
    if not close:
        return ""
    return " Did you mean " + " or ".join(f"'{lowered[c]}'" for c in close) + "?"


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names as a sentence part: at most a dozen, then how many more there are."""
    names = list(names)
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


class NotFound(PoiseError):
    """Something was asked for by a name that nobody has."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        """Name the kind of thing ("frame", "robot"), what was asked and what exists."""
        hint = nearest(name, known) or f" Known: {listed(known)}."
        super().__init__(f"No {kind} is called '{name}'.{hint}")
        self.kind, self.name, self.known = kind, name, tuple(known)


class BadInput(PoiseError):
    """A file or an argument holds something that cannot be used."""

    def __init__(self, where: str | Path, field: str, found: str, accepted: str) -> None:
        """Say which file or call, which field, what was found and what is accepted."""
        super().__init__(f"{where}: {field} is {found}; accepted: {accepted}.")
        self.where, self.field, self.found, self.accepted = str(where), field, found, accepted


class Infeasible(PoiseError):
    """No answer satisfies every requirement; the ones in conflict are named."""

    def __init__(self, what: str, conflict: Sequence[str], remedy: str = "") -> None:
        """Say what was asked, which requirements clash and the nearest thing that works."""
        names = listed(conflict) if conflict else "not identified"
        tail = f" {remedy}" if remedy else ""
        super().__init__(f"{what} has no solution; in conflict: {names}.{tail}")
        self.what, self.conflict, self.remedy = what, tuple(conflict), remedy
