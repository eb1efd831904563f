"""How fast, against what: ratios within one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from poise.bench.measure import Absent, Result
from poise.errors import NotFound

BENCHMARKS = {
    "expressive": "one tick of a live walk against the terms and the QP it contains",
    "imitate": "a whole retargeted clip against two stages of QPs a frame on mink",
    "control": "Snapshot and inverse dynamics against bare Pinocchio",
    "dynamics": "one inverse-dynamics tick against TSID and placo",
    "stack": "inverse kinematics and strict stacks against mink, pink and placo",
    "interact": "a replan, a cycle of the generator and the whole tick of a robot that is led",
    "multicontact": "one evaluation of a planning problem, and a whole solve",
    "planning": "a whole plan against crocoddyl, and what both break between their knots",
    "balance": "one tick of the balance controller against bare Pinocchio",
    "growth": "time against joints, contacts, frames, intervals and robots",
    "fleet": "many motions by all cores against one",
    "simulation": "the simulator against real time and bare mj_step",
}


def benchmark(name: str) -> Callable[[], Sequence[Result | Absent]]:
    """The benchmark of a name."""
    if name not in BENCHMARKS:
        raise NotFound("benchmark", name, list(BENCHMARKS))
    return import_module(f"poise.bench.{name}").run
