"""One evaluation of a planning problem against the bare Pinocchio calls in it, and whole solves.

Ratios are within one run. Times are of the processor, so that other programs do not count.
"""

from __future__ import annotations

from time import perf_counter, process_time

import numpy as np
import pinocchio as pin

from poise.bench.measure import Result
from poise.engines.multicontact import read_scene, solve
from poise.engines.multicontact.engine import Rounds
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.problem import Problem
from poise.robot import load_robot

REPEATS = 8
LIMIT = 3.0  # times the bare derivative calls
SCENE = "reach-over-desk"


def run(name: str = "hrp2") -> list[Result]:
    """Measure on one robot."""
    robot = load_robot(name)
    scene = read_scene(SCENE)
    rounds = Rounds.of(robot, scene, PlanOptions())
    results = []
    medians = {}
    for factor in (1, 2):
        problem, x = rounds.first_problem(factor)
        mine, bare, nodes = _compared(problem, x)
        medians[factor] = float(np.median(mine))
        label = f"one evaluation, {nodes} instants, {name}"
        results.append(_result(label, mine, "bare RNEA derivatives", bare, LIMIT))
    growth = medians[2] / medians[1]
    results.append(
        Result("twice the spans", 1e3 * medians[2], 1e3 * medians[2], "ms", "once", growth, 2.2)
    )
    begin = perf_counter()
    solution = solve(robot, scene)
    took = perf_counter() - begin
    label = f"{SCENE}, {name}, {solution.figures['variables']} unknowns"
    results.append(Result(label, took, took, "s", "two minutes", took / 120.0, 1.0))
    return results


def _compared(problem: Problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    model, data = problem.chart.model, problem.chart.model.createData()
    u = problem.variables.unpack(x)
    states = []
    for p in range(problem.layout.phases):
        at = problem.instants(u, p, problem.grounds[p].shares)
        states += list(zip(at.q, at.v, at.a, strict=True))
    rng = np.random.default_rng(0)
    mine, bare = [], []
    for _ in range(REPEATS):
        moved = x + 1e-9 * rng.normal(size=len(x))  # a new point: nothing is remembered
        start = process_time()
        problem.evaluate(moved)
        mine.append(process_time() - start)
        start = process_time()
        for q, v, a in states:
            pin.computeRNEADerivatives(model, data, q, v, a)
        bare.append(process_time() - start)
    return np.array(mine), np.array(bare), len(states)


def _result(
    name: str, mine: np.ndarray, peer: str, theirs: np.ndarray, limit: float | None
) -> Result:
    p50, p99 = np.percentile(mine, [50, 99]) * 1e3
    ratio = float(np.median(mine) / np.median(theirs))
    return Result(name, float(p50), float(p99), "ms", peer, ratio, limit)
