"""A dialect: one way to write a motion down, with everything a person must know about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from poise.io.layout import Layout
from poise.io.rows import Rows
from poise.io.source import Source
from poise.motion import Motion
from poise.robot import Robot


@dataclass(frozen=True)
class Dialect:
    """A named file format: how to read and write it, and what its numbers mean."""

    name: str
    suffix: str
    quaternion: str
    units: str
    order: str
    rate: str
    about: str  # one sentence
    read: Callable[..., Motion] | None
    write: Callable[..., tuple[str, ...]] | None
    rows: Callable[[Source, Robot], Rows] | None = None  # of dialects with a floating base
    layout: Callable[[Robot, Rows], Layout] | None = None  # what the dialect declares
    usual_rate: float | None = None  # [Hz]


def dialect_of(module: ModuleType, layout: Callable[[Robot, Rows], Layout] | None) -> Dialect:
    """The dialect that a module of this folder describes."""
    about = (module.__doc__ or "").split("\n\n")[0].strip()
    return Dialect(
        name=module.NAME,
        suffix=module.SUFFIX,
        quaternion=module.QUATERNION,
        units=module.UNITS,
        order=module.ORDER,
        rate=module.RATE,
        about=" ".join(about.split()).partition(": ")[2],
        read=getattr(module, "read", None),
        write=getattr(module, "write", None),
        rows=getattr(module, "rows", None),
        layout=layout,
        usual_rate=getattr(module, "USUAL_RATE", None),
    )
