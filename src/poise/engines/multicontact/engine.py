"""Plan a motion: guess, solve, look between the nodes, solve again with what was overlooked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from poise.engines.multicontact.active import Active
from poise.engines.multicontact.certificate import Certificate, certify
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.collisions import Obstacles
from poise.engines.multicontact.conflict import conflict
from poise.engines.multicontact.guess import first_guess
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.problem import Problem
from poise.engines.multicontact.refining import refined
from poise.engines.multicontact.result import motion_from
from poise.engines.multicontact.scene import SceneFile, read_scene
from poise.engines.multicontact.stage import Stage
from poise.engines.multicontact.staging import set_stage, swings_of
from poise.engines.multicontact.variables import Unpacked
from poise.errors import BadInput, Infeasible
from poise.motion import Motion
from poise.robot import Robot
from poise.solvers.interior_point import Answer, InteriorPointOptions, Iterate, minimise

GOOD = 2e-3  # [1], of a limit: larger excess asks for another round
CONTACT_LIMIT = 9e-5  # [m], larger errors of a contact ask for finer splines
SETTLED = 3e-3  # [1], relative fall of the cost over PATIENCE iterations that ends a solve
PATIENCE = 8
CLOSE = 2e-3  # [scaled], violation with which a solve may end; polishing does the rest
HOPELESS = 3e-2  # [scaled], violation that stays: no solution
SCOUTS, SCOUTING = 2, 8  # short solves before the first whole one, and their iterations
LOOK, DEEP = 6, 0.01  # every so many iterations unwatched pairs are looked for, this deep [m]
MOST_HITS = 8  # solves that end because one was found
MOST_SPANS = 24  # in one phase


@dataclass(frozen=True, eq=False)
class Progress:
    """Where the planner is, for a terminal or a page."""

    round: int
    iteration: int
    cost: float
    violation: float  # [scaled], of the worst constraint
    seconds: float  # [s], since it began
    motion: Callable[[], Motion]  # the motion so far


Watch = Callable[[Progress], bool]


@dataclass(frozen=True, eq=False)
class Solution:
    """What the planner found."""

    problem: Problem
    x: np.ndarray
    certificate: Certificate
    figures: dict[str, Any]

    @property
    def unpacked(self) -> Unpacked:
        """Control points, durations, weights, free coordinates."""
        return self.problem.variables.unpack(self.x)


def plan(
    robot: Robot,
    scene: str | Path | SceneFile,
    options: PlanOptions | None = None,
    *,
    floats: np.ndarray | None = None,
    rate: float = 200.0,
    watch: Watch | None = None,
) -> Motion:
    """The motion of a scene.

    Args:
        robot: who moves.
        scene: a shipped scene's name, a scene file, or a scene.
        options: weights and effort.
        floats: where the free coordinates of contacts start [m, rad], (f,).
        rate: of the motion's instants [Hz].
        watch: sees the progress; answers True to stop with the best motion so far.

    Raises:
        Infeasible: when no motion does all that is asked; phase and constraints are named.
    """
    scene = scene if isinstance(scene, SceneFile) else read_scene(scene)
    solution = solve(robot, scene, options, floats=floats, watch=watch, rate=rate)
    return motion_from(solution.problem, solution.x, rate, recipe_of(robot, scene, solution))


def solve(
    robot: Robot,
    scene: SceneFile,
    options: PlanOptions | None = None,
    *,
    floats: np.ndarray | None = None,
    watch: Watch | None = None,
    rate: float = 200.0,
) -> Solution:
    """As `plan`, keeping the program; the motion has some instants a second (rate [Hz])."""
    options = with_scene(options or PlanOptions(), scene)
    return Rounds.of(robot, scene, options, watch, rate).run(floats)


def with_scene(options: PlanOptions, scene: SceneFile) -> PlanOptions:
    """Options, with the weights that a scene asks for where the caller left the defaults."""
    defaults = PlanOptions()
    changes: dict[str, Any] = {
        name: value
        for name, value in scene.cost.items()
        if getattr(options, name) == getattr(defaults, name)
    }
    return replace(options, **changes)


class Rounds:
    """One plan in the making."""

    def __init__(
        self,
        chart: Chart,
        scene: SceneFile,
        stage: Stage,
        options: PlanOptions,
        watch: Watch | None,
        rate: float,
    ) -> None:
        self.chart, self.scene, self.stage, self.options = chart, scene, stage, options
        self.watch, self.rate = watch, rate
        self.swings = swings_of(chart, stage)
        self.obstacles = Obstacles(chart, scene, stage, options) if options.collisions else None
        self.begin, self.round, self.stopped = perf_counter(), 0, False
        self.iterations = 0
        self.hit = False
        self.history: list[dict[str, Any]] = []

    @classmethod
    def of(
        cls,
        robot: Robot,
        scene: SceneFile,
        options: PlanOptions,
        watch: Watch | None = None,
        rate: float = 200.0,
    ) -> Rounds:
        """For a robot in a scene."""
        chart = Chart(robot)
        return cls(chart, scene, set_stage(chart, scene), options, watch, rate)

    def first_problem(self, finer: int = 1) -> tuple[Problem, np.ndarray]:
        """The program and the guess it starts from; with so many times the spans."""
        spans = tuple(finer * phase.spans for phase in self.stage.phases)
        blank = self.problem(spans, None)
        guess = first_guess(self.chart, self.stage, blank.layout, None, self.obstacles)
        x = blank.variables.pack(guess)
        x = np.clip(x, blank.x_lower, blank.x_upper)
        problem = self.problem(spans, self._first_active(blank, x))
        return problem, x

    def problem(
        self, spans: tuple[int, ...], active: Active | None, calmness: float = 1.0
    ) -> Problem:
        """The program with some spans and some constraints in it."""
        return Problem(
            self.chart,
            self.stage,
            self.options,
            active,
            self.swings,
            self.obstacles,
            spans,
            calmness,
        )

    def run(self, floats: np.ndarray | None) -> Solution:
        """Solve, look, solve again, until nothing was overlooked."""
        spans = tuple(phase.spans for phase in self.stage.phases)
        layout = Layout(spans)
        count = sum(len(hold.free) for hold in self.stage.holds)
        if floats is not None and len(floats) != count:
            raise BadInput("plan", "floats", f"{len(floats)} numbers", f"{count}")
        guess = first_guess(self.chart, self.stage, layout, floats, self.obstacles)
        blank = self.problem(spans, None)
        x = blank.variables.pack(guess)
        x = np.clip(x, blank.x_lower, blank.x_upper)
        active = self._first_active(blank, x)
        problem = self.problem(spans, active)
        answer, certificate = None, None
        for number in range(SCOUTS + self.options.rounds + MOST_HITS):
            self.round = number
            scouting = number < SCOUTS
            problem = self.problem(spans, active)
            answer = self._solve(problem, x, SCOUTING if scouting else self.options.iterations)
            x = answer.x
            if self.stopped:
                break
            if scouting or self.hit:  # what comes near on the way is kept off before it is deep
                active = active.joined(certify(problem, x, CONTACT_LIMIT).active)
                continue
            if answer.violation > HOPELESS:
                self._explain(problem, answer)
            answer = self._polish(spans, active, answer)
            x = answer.x
            certificate = certify(problem, x, CONTACT_LIMIT)
            self._note(problem, answer, certificate)
            finer = tuple(map(finer_spans, spans, certificate.errors))
            missed = certificate.violations(GOOD)
            if not missed and finer == spans:
                break
            if self.stopped or self._late() or len(self.history) == self.options.rounds:
                break
            if finer != spans:
                x = refined(problem, x, finer)
                spans = finer
                blank = self.problem(spans, None)
                x = np.clip(x, blank.x_lower, blank.x_upper)
                active = certify(blank, x).active.joined(self._first_active(blank, x))
            else:
                active = active.joined(certificate.active)
        certificate = certify(problem, x, CONTACT_LIMIT)
        assert answer is not None
        return Solution(problem, x, certificate, self._figures(problem, x, answer))

    def _first_active(self, problem: Problem, x: np.ndarray) -> Active:
        """Forces and heights everywhere, and whatever is near a limit."""
        active = certify(problem, x, watchful=True).active
        for p, kinds in enumerate(problem.kinds):
            active.spans[p][:, np.array(kinds.family) != "joint torque"] = True
        return active

    def _solve(self, problem: Problem, x: np.ndarray, iterations: int) -> Answer:
        self.hit = False
        seen: list[Iterate] = []
        best: list[Iterate] = []

        def eye(iterate: Iterate) -> bool:
            seen.append(iterate)
            if not best or _rank(iterate) < _rank(best[0]):
                best[:] = [iterate]
            if self._look(problem, iterate) or _settled(seen):
                return True
            self.hit = len(seen) % LOOK == 0 and self._hits(problem, iterate.x)
            return self.hit

        options = InteriorPointOptions(
            iterations=iterations,
            barrier=1e-2 if self.round <= SCOUTS else 1e-3,
            seconds=self._left(),
            more={
                **({} if self.round == 0 else {"bound_push": 1e-4, "bound_frac": 1e-4}),
                # optimality in its unscaled cost is far away when the barrier may already shrink
                **({} if self.round < SCOUTS else {"barrier_tol_factor": 1e4}),
            },
        )
        with problem.shared(self.options.workers, x):
            answer = minimise(problem, x, options, eye)
        self.iterations += answer.iterations
        self.stopped = self.stopped or answer.interrupted
        if self.hit:
            return answer
        if not answer.solved and best and _rank(best[0]) < _rank(answer):
            it = best[0]
            answer = replace(answer, x=it.x, cost=it.cost, violation=it.violation)
        return answer

    def _hits(self, problem: Problem, x: np.ndarray) -> bool:
        """Whether something runs into something that the program does not look at."""
        if problem.obstacles is None or self.round >= SCOUTS + MOST_HITS:
            return False
        u = problem.variables.unpack(x)
        order = problem.options.order
        for p, spans in enumerate(problem.layout.spans):
            basis = problem.layout.basis(p, problem.grounds[p].shares[:: order // 2], u.durations)
            q = basis.value @ u.places[problem.layout.points(p)]
            for span in range(spans):
                found = np.min(
                    [problem.obstacles.all_distances(row) for row in q[2 * span : 2 * span + 3]],
                    axis=0,
                )
                deep = found < np.array([low for low, _ in problem.obstacles.limits]) - DEEP
                for pair in np.flatnonzero(deep & ~np.array(problem.obstacles.stepped)):
                    watched = problem.active.pairs[p].get(int(pair))
                    if watched is None or not watched[span]:
                        return True
        return False

    def _polish(self, spans: tuple[int, ...], active: Active, answer: Answer) -> Answer:
        """The same with fixed durations and short steps: contacts become exact."""
        problem = self.problem(spans, active, calmness=50.0)
        v = problem.variables
        fixed = np.r_[v.time_at : v.time_at + problem.layout.phases]
        problem.x_lower[fixed] = problem.x_upper[fixed] = answer.x[fixed]

        def eye(iterate: Iterate) -> bool:
            return self._look(problem, iterate) or iterate.violation < 3e-5

        options = InteriorPointOptions(
            iterations=40,
            barrier=1e-5,
            tolerance=1e-3,
            seconds=self._left(),
            feasibility=1e-5,
            more={"bound_push": 1e-6, "bound_frac": 1e-6},
        )
        with problem.shared(self.options.workers, answer.x):
            polished = minimise(problem, answer.x, options, eye)
        self.stopped = self.stopped or polished.interrupted
        self.iterations += polished.iterations
        if polished.violation > answer.violation:
            return answer
        return replace(polished, status=answer.status)

    def _look(self, problem: Problem, iterate: Iterate) -> bool:
        if self.watch is None:
            return False
        progress = Progress(
            self.round,
            iterate.number,
            iterate.cost,
            iterate.violation,
            perf_counter() - self.begin,
            lambda: motion_from(problem, iterate.x, self.rate, {"engine": "multicontact"}),
        )
        if self.watch(progress):
            self.stopped = True
        return self.stopped

    def _left(self) -> float:
        return max(self.options.seconds - (perf_counter() - self.begin), 1.0)

    def _late(self) -> bool:
        return perf_counter() - self.begin > self.options.seconds

    def _note(self, problem: Problem, answer: Answer, certificate: Certificate) -> None:
        self.history.append(
            {
                "round": self.round,
                "cost": answer.cost,
                "violation": answer.violation,
                "excess": certificate.excess,
                "contact_error": certificate.contact_error,
                "missed": [f"{b.family} of {b.where}" for b in certificate.violations(GOOD)],
                "errors": list(certificate.errors),
                "constraints": len(problem.lower),
                "seconds": perf_counter() - self.begin,
            }
        )

    def _figures(self, problem: Problem, x: np.ndarray, answer: Answer) -> dict[str, Any]:
        found = problem.evaluate(x)
        u = problem.variables.unpack(x)
        return {
            "variables": int((problem.x_upper > problem.x_lower).sum()),
            "constraints": len(problem.lower),
            "nonzeros": len(problem.jacobian_places[0]),
            "iterations": self.iterations,
            "rounds": self.round + 1,
            "seconds": perf_counter() - self.begin,
            "status": "stopped" if self.stopped else answer.status,
            "stopped": self.stopped,
            "cost": found.cost,
            "cost_shares": found.shares,
            "violation": answer.violation,
            "durations": u.durations.tolist(),
            "spans": list(problem.layout.spans),
            "history": self.history,
            "floating": {
                hold.name: {
                    **dict(zip(hold.free, u.floats[slot].tolist(), strict=True)),
                    "position": hold.pose(u.floats[slot]).translation.tolist(),
                }
                for hold, slot in zip(self.stage.holds, problem.variables.slots, strict=True)
                if hold.free
            },
        }

    def _explain(self, problem: Problem, answer: Answer) -> None:
        """Name the phase and the constraints that cannot all hold."""
        phase, told = conflict(problem, answer.x)
        remedy = "So far off is the nearest motion that was found."
        raise Infeasible(f"Phase '{phase}'" if phase else "The scene", told, remedy)


def finer_spans(spans: int, error: float) -> int:
    """How many spans a phase needs whose contacts are off by so much [m, rad].

    Errors are of fourth order. Twice or three times as many are the same motion to begin with,
    which any other number is not.
    """
    if error <= CONTACT_LIMIT:
        return spans
    times = 2 if error < 0.7 * 2**4 * CONTACT_LIMIT else 3
    return max(min(times * spans, MOST_SPANS), spans)


def _rank(iterate: Iterate | Answer) -> tuple[bool, float]:
    far = iterate.violation > CLOSE
    return far, iterate.violation if far else iterate.cost


def _settled(seen: list[Iterate]) -> bool:
    """Whether the cost hardly falls any more, at points that nearly satisfy everything."""
    if len(seen) <= PATIENCE + 2:
        return False
    now, before = seen[-1], seen[-1 - PATIENCE]
    close = max(it.violation for it in seen[-3:]) < CLOSE
    return close and abs(before.cost - now.cost) < SETTLED * abs(now.cost)


def recipe_of(robot: Robot, scene: SceneFile, solution: Solution) -> dict[str, Any]:
    """How to make it again, what was found, and the certificate."""
    return {
        "engine": "multicontact",
        "robot": robot.name,
        "scene": asdict(scene),
        "options": asdict(solution.problem.options),
        "figures": solution.figures,
        "certificate": {
            "holds": solution.certificate.holds,
            "bounds": [bound.to_json() for bound in solution.certificate.bounds],
            "contact_error_m": solution.certificate.contact_error,
            "contact_turn_rad": solution.certificate.contact_turn,
            "remainder": "estimated from samples between the nodes, doubled; not enclosed",
        },
        "environment": [asdict(solid) for solid in scene.solids],
    }
