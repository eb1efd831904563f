"""How fast, against what: ratios within one run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from poise.bench.measure import Result
from poise.errors import NotFound

BENCHMARKS = {
    "control": "Snapshot and inverse dynamics against bare Pinocchio",
    "multicontact": "one evaluation of a planning problem, and a whole solve",
    "simulation": "the simulator against real time and bare mj_step",
}


def benchmark(name: str) -> Callable[[], list[Result]]:
    """The benchmark of a name."""
    if name not in BENCHMARKS:
        raise NotFound("benchmark", name, list(BENCHMARKS))
    return import_module(f"poise.bench.{name}").run
