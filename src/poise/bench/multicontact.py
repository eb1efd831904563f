"""One evaluation of a planning problem against bare Pinocchio calls, and whole solves.

The bare calls are what Pinocchio takes for the derivatives of the inverse dynamics at all
instants of the evaluation, without and with the distances. Ratios are within one run. Times are
of the processor, so that other programs do not count, but where two processes share the work.
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
from poise.engines.multicontact.rows_of_distances import DistanceRows
from poise.robot import load_robot

REPEATS = 8
LIMIT = 3.0  # times the bare derivative calls
IN_TWO = 1.0 / 1.6  # of the time of one
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
        mine, bare, all_bare, nodes = _compared(problem, x)
        medians[factor] = float(np.median(mine))
        label = f"one evaluation, {nodes} instants, {name}"
        results.append(_result(label, mine, "bare RNEA derivatives", bare, LIMIT))
        results.append(_result(label, mine, "the same and distances", all_bare, LIMIT))
        one, two = _in_processes(problem, x)
        results.append(_result(f"{label}, two processes", two, "one process", one, IN_TWO))
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


def _compared(problem: Problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Times [s] of evaluations, of the derivatives alone, of these and distances; and instants."""
    model, data = problem.chart.model, problem.chart.model.createData()
    u = problem.variables.unpack(x)
    states, looks = [], []
    for part in problem.parts:
        at = problem.instants(u, part.ground.phase, part.ground.shares)
        states += list(zip(at.q, at.v, at.a, strict=True))
        looks += [rows for rows in part.rows if isinstance(rows, DistanceRows)]
    mine, bare, distances = [], [], []
    for moved in _moved(x):
        start = process_time()
        problem.evaluate(moved)
        mine.append(process_time() - start)
        start = process_time()
        for q, v, a in states:
            pin.computeRNEADerivatives(model, data, q, v, a)
        bare.append(process_time() - start)
        stretches = problem.evaluate(moved).stretches
        start = process_time()
        for rows in looks:
            rows.look(stretches[rows.ground.phase].at.q)
        distances.append(process_time() - start)
    return np.array(mine), np.array(bare), np.array(bare) + np.array(distances), len(states)


def _in_processes(problem: Problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] by the clock of evaluations in one process and in two, in turns."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for workers in (1, 2, 1, 2):
        with problem.shared(workers, x):
            for moved in _moved(x):
                start = perf_counter()
                problem.evaluate(moved)
                times[workers].append(perf_counter() - start)
    return np.array(times[1]), np.array(times[2])


def _moved(x: np.ndarray) -> list[np.ndarray]:
    """New points near one: nothing is remembered."""
    rng = np.random.default_rng(0)
    return [x + 1e-9 * rng.normal(size=len(x)) for _ in range(REPEATS)]


def _result(
    name: str, mine: np.ndarray, peer: str, theirs: np.ndarray, limit: float | None
) -> Result:
    p50, p99 = np.percentile(mine, [50, 99]) * 1e3
    ratio = float(np.median(mine) / np.median(theirs))
    return Result(name, float(p50), float(p99), "ms", peer, ratio, limit)
