"""One tick of a live walk against the Pinocchio terms and the QP solve that it contains.

The tick is the whole of it: style, gait machine, arm guard, model, tasks, QP, integration. The
unavoidable part is what any such controller pays: the terms of the model (mass matrix, nonlinear
terms, Jacobians, centroidal matrix, centre of mass) and one QP of the same size.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from poise.bench.measure import Result, compare, side_by_side
from poise.control import InverseDynamics
from poise.engines.expressive import ExpressiveController
from poise.robot import Robot, load_robot
from poise.solvers.backend import solve_from_nothing

TERMS_LIMIT, QP_LIMIT = 8.0, 1.5  # times the bare terms plus times the bare QP
SETTLED = 1_000  # ticks until a walk has taken its style on
HOUR = 20_000  # ticks by which a long walk is longer


def run() -> list[Result]:
    """Measure a walking robot, and whether a long walk costs what a short one does."""
    robot = load_robot("nao")
    walker = ExpressiveController(robot)
    walker.start()
    times = side_by_side(
        {"tick": walker.tick, "terms": _terms(robot, walker), "qp": _bare_qp(robot, walker)}
    )
    limit = TERMS_LIMIT * np.median(times["terms"]) + QP_LIMIT * np.median(times["qp"])
    allowed = np.full(len(times["tick"]), limit)
    early, late = _before_and_after(robot, walker)
    return [
        compare("tick of a walk, nao", times["tick"], "8 x terms + 1.5 x QP", allowed, 1.0),
        compare("terms of the model, nao", times["terms"], "itself", times["terms"]),
        compare("its QP, nao", times["qp"], "itself", times["qp"]),
        compare("tick after a long walk, nao", late, "tick before it", early, 1.2),
        _spread(times["tick"]),
    ]


def _spread(tick: np.ndarray) -> Result:
    """How much longer a slow tick is than a usual one."""
    p50, p99 = (float(x) for x in np.percentile(tick, [50, 99]) * 1e6)
    return Result("slow tick (p99), nao", p50, p99, "us", "p50", p99 / p50, 3.0)


def _before_and_after(robot: Robot, walker: ExpressiveController) -> tuple[np.ndarray, np.ndarray]:
    """Ticks of a walk that has just settled, and of one that has gone on for long, in turns."""
    young = ExpressiveController(robot)
    young.start()
    for _ in range(SETTLED):
        young.tick()
    for _ in range(HOUR):
        walker.tick()
    times = side_by_side({"early": young.tick, "late": walker.tick}, each=25)
    return times["early"], times["late"]


def _terms(robot: Robot, walker: ExpressiveController) -> Callable[[], None]:
    """The calls of Pinocchio that a tick cannot do without."""
    model, data = robot.model, robot.model.createData()

    def call() -> None:
        pin.computeAllTerms(model, data, walker.q, walker.v)
        pin.computeCentroidalMomentumTimeVariation(model, data, walker.q, walker.v, walker.v)
        pin.updateFramePlacements(model, data)

    return call


def _bare_qp(robot: Robot, walker: ExpressiveController) -> Callable[[], object]:
    """The library alone, on the QP of a tick with all its limits, assembled already."""
    dynamics, wishes, footings = InverseDynamics(robot), walker._wishes, walker._footings()
    at = robot.at(walker.q, walker.v)
    dynamics.solve(at, wishes.tasks, footings, wishes.effort)
    layout = dynamics._layout(footings)
    dynamics._write_limits(at, layout)
    whole = layout.strict
    P = np.triu(whole.P) + np.triu(whole.P, 1).T
    lower, upper = np.r_[whole.x_lower, whole.lower], np.r_[whole.x_upper, whole.upper]
    return lambda: solve_from_nothing(P, whole.r, whole.A, lower, upper)
