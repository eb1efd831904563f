"""Measuring side by side: machines are noisy, so what counts is a ratio within one run."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

WARM_UP = 50
UNITS = (("us", 1.0), ("ms", 1e3), ("s", 1e6))
ROUNDS = 40  # the things compared take turns this many times


@dataclass(frozen=True)
class Result:
    """One thing measured, and what it was measured against."""

    name: str
    p50: float
    p99: float
    unit: str
    peer: str  # what the ratio is against
    ratio: float  # of the medians
    limit: float | None = None  # the ratio that is promised, where one is
    theirs: float | None = None  # p50 of the peer, in the same unit

    def to_json(self) -> dict[str, Any]:
        """As `poise bench --json` prints it."""
        return dict(vars(self))

    def __str__(self) -> str:
        promise = "" if self.limit is None else f" (promised: {self.limit:g})"
        return (
            f"{self.name:<34} p50 {self.p50:9.1f}  p99 {self.p99:9.1f} {self.unit}"
            f"   {self.ratio:6.2f} x {self.peer}{promise}"
        )


@dataclass(frozen=True)
class Step(Result):
    """A result that belongs to a series: how time grows with the size of something."""

    series: str = ""  # what is done
    size: float = 0.0
    axis: str = ""  # what grows


@dataclass(frozen=True)
class Absent:
    """A peer that could not be measured, and why."""

    name: str  # what would have been measured
    peer: str
    why: str  # one sentence

    def to_json(self) -> dict[str, Any]:
        """As `poise bench --json` prints it."""
        return dict(vars(self))

    def __str__(self) -> str:
        return f"{self.name:<34} not measured against {self.peer}: {self.why}"


def side_by_side(calls: dict[str, Callable[[], Any]], each: int = 50) -> dict[str, np.ndarray]:
    """Times of several calls [s], taking turns so that a slow moment hits all of them alike.

    Times are of the processor: other programs do not count.
    """
    for call in calls.values():
        for _ in range(WARM_UP):
            call()
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            for _ in range(each):
                start = process_time()
                call()
                times[name].append(process_time() - start)
    return {name: np.array(values) for name, values in times.items()}


def compare(
    name: str, mine: np.ndarray, peer: str, theirs: np.ndarray, limit: float | None = None
) -> Result:
    """A result from two sets of times [s]."""
    p50, p99 = np.percentile(mine, [50, 99]) * 1e6
    other = 1e6 * float(np.median(theirs))
    ratio = float(p50) / other
    unit, size = next((u, s) for u, s in UNITS if p50 < 1e4 * s or u == "s")
    return Result(
        name, float(p50) / size, float(p99) / size, unit, peer, ratio, limit, other / size
    )


def machine() -> str:
    """What these numbers were measured on."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        name = models[0] if models else name
    except OSError:
        pass  # not Linux: the processor's own word is enough
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{name}, {os.cpu_count()} cores{busy}, {system}"
