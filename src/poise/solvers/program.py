"""Quadratic programs as values: a question, and an answer that can prove itself.

    minimise 1/2 x'Px + r'x   subject to   lower <= A x <= upper (named blocks),
                                           x_lower <= x <= x_upper

Rows with equal bounds are equalities; infinite bounds are absent ones. A loop that asks nearly the
same question every tick uses `QPWorkspace` instead and writes into its memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.errors import BadInput, NotFound
from poise.solvers.workspace import QPWorkspace

BOUNDS = "bounds"  # the name under which the bounds of the variables appear among the blocks


@dataclass(frozen=True)
class Rows:
    """A named block of constraints, lower <= A x <= upper, row by row.

    Args:
        name: what a person calls it, e.g. "torque".
        A: (m, n).
        lower: (m,), -inf where there is no lower bound.
        upper: (m,), inf where there is no upper bound; equal to lower for an equality.
        labels: (m,) names of the single rows, e.g. joints; their numbers when left out.
    """

    name: str
    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse shapes and numbers that cannot be meant."""
        m = len(self.A)
        if np.ndim(self.A) != 2:
            _refuse(self.name, "A", f"of shape {np.shape(self.A)}", "a matrix (rows, variables)")
        for field in ("lower", "upper"):
            shape = np.shape(getattr(self, field))
            if shape != (m,):
                _refuse(self.name, field, f"of shape {shape}", f"({m},), one number a row of A")
        if self.labels and len(self.labels) != m:
            _refuse(self.name, "labels", f"{len(self.labels)} names", f"{m}, one a row")
        _refuse_bad_numbers(self.name, "A", self.A)
        _refuse_bad_bounds(self.name, "lower", self.lower, np.inf)
        _refuse_bad_bounds(self.name, "upper", self.upper, -np.inf)

    @property
    def names(self) -> tuple[str, ...]:
        """What each row is called: "torque[left_knee]", or "sum" for a block of one row."""
        if len(self.A) == 1 and not self.labels:
            return (self.name,)
        labels = self.labels or [str(i) for i in range(len(self.A))]
        return tuple(f"{self.name}[{label}]" for label in labels)


@dataclass(frozen=True)
class QuadraticProgram:
    """Minimise 1/2 x'Px + r'x within named blocks of rows and bounds on the variables.

    Args:
        P: (n, n), symmetric positive semidefinite.
        r: (n,).
        blocks: constraints, each under its own name.
        x_lower: (n,), or None for no lower bounds.
        x_upper: (n,), or None for no upper bounds.
        variables: (n,) names of the variables, used for their bounds; their numbers when left out.
    """

    P: np.ndarray
    r: np.ndarray
    blocks: tuple[Rows, ...] = ()
    x_lower: np.ndarray | None = None
    x_upper: np.ndarray | None = None
    variables: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse shapes and numbers that cannot be meant."""
        n = len(self.r)
        for field, shape in (("P", (n, n)), ("r", (n,))):
            if np.shape(getattr(self, field)) != shape:
                found = f"of shape {np.shape(getattr(self, field))}"
                _refuse("cost", field, found, f"{shape}, {n} being the length of r")
            _refuse_bad_numbers("cost", field, getattr(self, field))
        if np.abs(self.P - self.P.T).max(initial=0.0) > 1e-9 * (
            1.0 + np.abs(self.P).max(initial=0)
        ):
            _refuse("cost", "P", "not symmetric", "a symmetric matrix, P = P'")
        names = [block.name for block in self.blocks]
        for block in self.blocks:
            if block.A.shape[1] != n:
                _refuse(block.name, "A", f"{block.A.shape[1]} columns wide", f"{n}, as r is long")
            if block.name == BOUNDS or names.count(block.name) > 1:
                _refuse(block.name, "name", "taken", "a name of its own for each block")
        Rows(BOUNDS, np.eye(n), *self._bounds, self.variables)

    @property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        n = len(self.r)
        lower = np.full(n, -np.inf) if self.x_lower is None else self.x_lower
        upper = np.full(n, np.inf) if self.x_upper is None else self.x_upper
        return lower, upper

    @cached_property
    def stacked(self) -> Rows:
        """Every constraint in one block: the bounds of the variables, then the rows."""
        bounds = Rows(BOUNDS, np.eye(len(self.r)), *self._bounds, self.variables)
        parts = (bounds, *self.blocks)
        return Rows(
            "all",
            np.vstack([part.A for part in parts]),
            np.hstack([part.lower for part in parts]),
            np.hstack([part.upper for part in parts]),
            labels=sum((part.names for part in parts), ()),
        )

    @property
    def block_names(self) -> tuple[str, ...]:
        """Names of all blocks of constraints, "bounds" first, in the order of `stacked`."""
        return (BOUNDS, *(block.name for block in self.blocks))

    def place(self, name: str) -> slice:
        """Where a block ("bounds" for those of the variables) stands among all constraints."""
        start = len(self.r)
        if name == BOUNDS:
            return slice(0, start)
        for block in self.blocks:
            if block.name == name:
                return slice(start, start + len(block.A))
            start += len(block.A)
        raise NotFound("block", name, self.block_names)

    def cost(self, x: np.ndarray) -> float:
        """The cost 1/2 x'Px + r'x of a point."""
        return float(0.5 * x @ self.P @ x + self.r @ x)


@dataclass(frozen=True)
class Solution:
    """A point, and the forces with which the constraints hold it there.

    Args:
        problem: the question.
        x: (n,).
        multipliers: (n + m,), of the bounds of the variables, then of the rows; positive where an
            upper bound pushes, negative where a lower one does, zero elsewhere.
        iterations: pivots it took.
        found: False when the iteration limit came first; x is then meaningless.
    """

    problem: QuadraticProgram
    x: np.ndarray
    multipliers: np.ndarray
    iterations: int
    found: bool

    @property
    def active(self) -> np.ndarray:
        """The constraints that push, (n + m,): 1 at the upper bound, -1 at the lower, 0 free."""
        return np.sign(self.multipliers).astype(int)

    def force(self, name: str) -> np.ndarray:
        """Multipliers of one block."""
        return self.multipliers[self.problem.place(name)]

    @property
    def primal_residual(self) -> float:
        """Largest violation of a constraint [unit of its row]."""
        all_rows = self.problem.stacked
        reach = all_rows.A @ self.x
        worst = np.maximum(reach - all_rows.upper, all_rows.lower - reach)
        return float(max(0.0, worst.max(initial=0.0)))

    @property
    def dual_residual(self) -> float:
        """Largest component of P x + r + A' multipliers: the cost still pulls, or a wrong force."""
        pull = self.problem.P @ self.x + self.problem.r
        return float(np.abs(pull + self.multipliers @ self.problem.stacked.A).max(initial=0.0))

    @property
    def duality_gap(self) -> float:
        """Cost of x minus the best bound that the forces prove [unit of cost]."""
        pushed = np.flatnonzero(self.multipliers)
        force, rows = self.multipliers[pushed], self.problem.stacked
        bound = np.where(force > 0.0, rows.upper[pushed], rows.lower[pushed])
        x = self.x
        return float(abs(x @ self.problem.P @ x + self.problem.r @ x + force @ bound))

    def is_optimal(self, tolerance: float = 1e-6) -> bool:
        """Whether all three residuals, which are zero exactly at the optimum, are small."""
        residuals = (self.primal_residual, self.dual_residual, self.duality_gap)
        return self.found and max(residuals) <= tolerance


def workspace_for(problem: QuadraticProgram) -> QPWorkspace:
    """A workspace filled with one program."""
    n, rows = len(problem.r), problem.stacked
    work = QPWorkspace(n, len(rows.A) - n)
    work.P[:], work.r[:], work.A[:] = problem.P, problem.r, rows.A[n:]
    work.x_lower[:], work.lower[:] = rows.lower[:n], rows.lower[n:]
    work.x_upper[:], work.upper[:] = rows.upper[:n], rows.upper[n:]
    return work


def _refuse(block: str, field: str, found: str, accepted: str) -> None:
    raise BadInput(f"quadratic program, block '{block}'", field, found, accepted)


def _refuse_bad_numbers(block: str, field: str, array: np.ndarray) -> None:
    place = np.argwhere(~np.isfinite(array))
    if len(place):
        at = tuple(int(i) for i in place[0])
        _refuse(block, field, f"{array[at]} at {list(at)}", "finite numbers")


def _refuse_bad_bounds(block: str, field: str, bound: np.ndarray, never: float) -> None:
    place = np.flatnonzero(np.isnan(bound) | (bound == never))
    if len(place):
        _refuse(
            block, field, f"{bound[place[0]]} at [{place[0]}]", f"numbers, or {-never} for none"
        )
