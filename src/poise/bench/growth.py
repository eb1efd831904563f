"""How time grows: with joints, contacts, frames, intervals and robots.

Every ratio is against the smallest of its series. Joints are those of the robots of the zoo;
contacts are feet, then hands, of one robot; frames are those of an imitated walk at a higher rate;
intervals are the spans of a planned motion; robots are ticks of several robots in one loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np

from poise.bench.control import SwayingTick
from poise.bench.measure import Absent, Result, Step, side_by_side
from poise.contacts import Touch
from poise.control import Footing
from poise.robot import Robot, load_robot, robot_names

HAND = 0.02  # [m], half of the patch with which a hand touches
RATES = (50.0, 100.0, 200.0)  # [Hz], of the imitated walk
SPANS = (1, 2, 4)  # times the usual number of spans
REPEATS = 3


def run() -> list[Result | Absent]:
    """All series."""
    return [*joints(), *contacts(), *frames(), *intervals(), *robots()]


def joints(names: Sequence[str] = ()) -> list[Step]:
    """An inverse-dynamics tick on robots with more and more joints."""
    found = sorted((load_robot(name) for name in names or robot_names()), key=lambda r: r.na)
    ticks = {robot.name: SwayingTick(robot) for robot in found}
    times = side_by_side(dict(ticks), each=5)
    sizes = [(robot.na, times[robot.name], robot.name) for robot in found]
    return series("inverse dynamics tick", "joints", sizes)


def contacts(name: str = "talos") -> list[Step]:
    """An inverse-dynamics tick on both feet, then with one hand, then with both."""
    robot = load_robot(name)
    parts = [*robot.feet, *(p for p in ("left_hand", "right_hand") if p in robot.parts)]
    ticks: dict[str, Callable[[], Any]] = {}
    counts = range(len(robot.feet), len(parts) + 1)
    for k in counts:
        ticks[str(k)] = _touching(robot, parts[:k])
    times = side_by_side(ticks, each=5)
    sizes = [(k, times[str(k)], name) for k in counts]
    return series("inverse dynamics tick", "contacts", sizes)


def frames(name: str = "hrp2") -> list[Step]:
    """A whole imitated walk at higher and higher rates."""
    from poise.engines.imitate import ImitateOptions, human
    from poise.engines.imitate.engine import plan
    from poise.examples import synthetic_trial

    robot, trial = load_robot(name), synthetic_trial()
    person = human(trial.walk, trial.static)
    sizes = []
    for rate in RATES:
        options = ImitateOptions(rate=rate)
        count = len(plan(robot, person, options).time)
        sizes.append((count, _timed(plan, robot, person, options), name))
    return series("imitated walk", "frames", sizes)


def intervals(name: str = "hrp2", scene: str = "reach") -> list[Step]:
    """One evaluation of all constraints and derivatives of a plan with more and more spans."""
    from poise.engines.multicontact import read_scene
    from poise.engines.multicontact.engine import Rounds
    from poise.engines.multicontact.options import PlanOptions

    rounds = Rounds.of(load_robot(name), read_scene(scene), PlanOptions())
    sizes = []
    for factor in SPANS:
        problem, x = rounds.first_problem(factor)
        spans = sum(problem.layout.spans)
        moved = iter([x + 1e-9 * k for k in range(1, REPEATS + 2)])  # new points: nothing is kept
        problem.evaluate(next(moved))
        sizes.append((spans, _timed(lambda p=problem, m=moved: p.evaluate(next(m))), name))
    return series("evaluation of a plan", "intervals", sizes)


def robots(name: str = "talos", most: int = 8) -> list[Step]:
    """Inverse-dynamics ticks of several robots, one after the other."""
    robot = load_robot(name)
    ticks = [SwayingTick(robot) for _ in range(most)]
    counts = [n for n in (1, 2, 4, 8) if n <= most]

    def together(n: int) -> Callable[[], None]:
        def tick() -> None:
            for one in ticks[:n]:
                one()

        return tick

    times = side_by_side({str(n): together(n) for n in counts}, each=3)
    return series("inverse dynamics ticks", "robots", [(n, times[str(n)], name) for n in counts])


def series(what: str, axis: str, sizes: Sequence[tuple[float, np.ndarray, str]]) -> list[Step]:
    """Rows of one series, each against its smallest size."""
    first, base, _ = sizes[0]
    rows = []
    for size, times, name in sizes:
        p50, p99 = 1e3 * np.percentile(times, [50, 99])
        before = 1e3 * float(np.median(base))
        rows.append(
            Step(
                f"{what}, {size:g} {axis}, {name}",
                float(p50),
                float(p99),
                "ms",
                f"{first:g} {axis}",
                float(p50) / before,
                None,
                before,
                what,
                float(size),
                axis,
            )
        )
    return rows


def exponent(rows: Sequence[Step]) -> float:
    """The power with which time grows: 1 is in proportion."""
    sizes, times = np.log([row.size for row in rows]), np.log([row.p50 for row in rows])
    return float(np.polyfit(sizes, times, 1)[0])


def _touching(robot: Robot, parts: Sequence[str]) -> SwayingTick:
    """A tick that holds these parts where they are."""
    tick = SwayingTick(robot)
    at = robot.at(robot.half_sitting)
    patch = HAND * np.array(
        [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]]
    )
    touches = [
        Touch(p, 0.0, np.inf, at.pose(p), robot.soles[p].points if p in robot.soles else patch)
        for p in parts
    ]
    tick.footings = [Footing(touch, 0.6, robot.weight) for touch in touches]
    return tick


def _timed(call: Callable[..., Any], *arguments: Any) -> np.ndarray:
    times = []
    for _ in range(REPEATS):
        start = process_time()
        call(*arguments)
        times.append(process_time() - start)
    return np.array(times)
