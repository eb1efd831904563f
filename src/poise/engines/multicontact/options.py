"""What the planner wants and how finely it looks."""

from __future__ import annotations

from dataclasses import dataclass, fields

from poise.errors import BadInput


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """Weights of the cost, limits and effort of the solver."""

    time_weight: float = 5.0  # [1/s]
    torque_weight: float = 1e-2  # [1/(N m)^2/s]
    jerk_weight: float = 1e-6  # [s^5/rad^2]
    order: int = 4  # of the polynomial that stands for a constraint on one span
    margin: float = 2e-3  # [1], of every limit, kept for what polynomials do not show
    iterations: int = 250  # of one solve
    rounds: int = 5  # solves, each with the constraints that the last one overlooked
    seconds: float = 1800.0  # [s], for all of them, by the clock
    clearance: float = 0.005  # [m], between links and what they must not touch
    collisions: bool = True
    workers: int = 1  # processes that share an evaluation

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not value >= 0:
                raise BadInput("plan", entry.name, f"{value}", "a number of at least zero")
        if self.workers < 1:
            raise BadInput("plan", "workers", f"{self.workers}", "a number of at least one")
        if self.order < 2 or self.order % 2:
            raise BadInput("plan", "order", f"{self.order}", "an even number of at least 2")
