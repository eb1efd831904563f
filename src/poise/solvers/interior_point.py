"""Nonlinear programs with sparse derivatives, by the interior-point method of IPOPT.

The only address of CasADi, which brings IPOPT along: functions of arrays go in, not symbols.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import casadi as ca
import numpy as np
from scipy.sparse import coo_array, csc_array

SOLVED = ("Solve_Succeeded", "Solved_To_Acceptable_Level")
HOPELESS = ("Infeasible_Problem_Detected", "Restoration_Failed")


class NonlinearProgram(Protocol):
    """Minimise f(x) subject to lower <= g(x) <= upper and x_lower <= x <= x_upper."""

    x_lower: np.ndarray  # (n,)
    x_upper: np.ndarray  # (n,)

    @property
    def lower(self) -> np.ndarray:
        """Least values of the constraints, (m,)."""

    @property
    def upper(self) -> np.ndarray:
        """Most, (m,)."""

    @property
    def jacobian_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the nonzeros of dg/dx."""

    @property
    def hessian_places(self) -> tuple[np.ndarray, np.ndarray]:
        """The same of the upper triangle of the Hessian."""

    def values(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Cost and constraints (m,)."""

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Of the cost, (n,)."""

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Nonzeros of dg/dx, in the order of their places; a place named twice is summed."""

    def hessian(self, x: np.ndarray, scale: float, multipliers: np.ndarray) -> np.ndarray:
        """Nonzeros of the Lagrangian's Hessian, or of what stands for it."""


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where the solver is."""

    number: int
    x: np.ndarray
    cost: float
    violation: float  # largest, of all constraints and bounds


@dataclass(frozen=True, eq=False)
class Answer:
    """What the solver ended with."""

    x: np.ndarray
    cost: float
    violation: float
    multipliers: np.ndarray  # (m,), of g
    status: str
    iterations: int
    interrupted: bool = False  # by Ctrl-C

    @property
    def solved(self) -> bool:
        """Whether it met its own tolerances."""
        return self.status in SOLVED


@dataclass(frozen=True)
class InteriorPointOptions:
    """When the solver is content."""

    tolerance: float = 1e-4  # of the scaled optimality conditions
    acceptable: float = 1e-2  # good enough when it stays there
    feasibility: float = 1e-6  # largest violation of a constraint
    iterations: int = 300
    seconds: float = 600.0  # at most
    barrier: float = 0.1  # at the start; small for a start that is nearly a solution
    more: dict[str, Any] = field(default_factory=dict)  # IPOPT's own words


def minimise(
    program: NonlinearProgram,
    x: np.ndarray,
    options: InteriorPointOptions | None = None,
    watch: Callable[[Iterate], bool] | None = None,
    multipliers: np.ndarray | None = None,
) -> Answer:
    """Solve from a start x (n,).

    Args:
        program: what to solve.
        x: where to start.
        options: when to be content.
        watch: sees every iterate; answers True to stop there. Ctrl-C stops in the same way.
        multipliers: of the constraints (m,), from a nearby solution.
    """
    options = options or InteriorPointOptions()
    n, m = len(program.x_lower), len(program.lower)
    dense, none = ca.Sparsity.dense, ca.Sparsity.dense(0, 1)
    jac, hess = (
        _Gathered.of(program.jacobian_places, (m, n)),
        _Gathered.of(program.hessian_places, (n, n)),
    )
    cache = _Last(program)

    def both(x: np.ndarray, _: np.ndarray) -> list[Any]:
        return list(cache.values(x))

    def slope(x: np.ndarray, _: np.ndarray) -> list[Any]:
        return [cache.values(x)[0], program.gradient(x)]

    def rows(x: np.ndarray, _: np.ndarray) -> list[Any]:
        return [cache.values(x)[1], jac(program.jacobian(x))]

    def bend(x: np.ndarray, _: np.ndarray, scale: np.ndarray, lam: np.ndarray) -> list[Any]:
        return [hess(program.hessian(x, float(scale[0]), lam))]

    problem = _Function("nlp", [dense(n), none], [dense(1), dense(m)], both)
    grad_f = _Function("slope", [dense(n), none], [dense(1), dense(n)], slope)
    jac_g = _Function("rows", [dense(n), none], [dense(m), jac.sparsity], rows)
    hess_lag = _Function("bend", [dense(n), none, dense(1), dense(m)], [hess.sparsity], bend)
    with _stoppable() as stopped:
        eye = _Eye(program, n, m, lambda it: stopped.is_set() or bool(watch and watch(it)))
        X, P = ca.MX.sym("x", n), ca.MX.sym("p", 0, 1)
        f, g = problem(X, P)
        solver = ca.nlpsol(
            "solver",
            "ipopt",
            {"x": X, "p": P, "f": f, "g": g},
            {
                "grad_f": grad_f,
                "jac_g": jac_g,
                "hess_lag": hess_lag,
                "no_nlp_grad": True,
                "iteration_callback": eye,
                "print_time": False,
                "ipopt": {
                    "print_level": 0,
                    "sb": "yes",
                    "nlp_scaling_method": "none",
                    "tol": options.tolerance,
                    "acceptable_tol": options.acceptable,
                    "acceptable_iter": 8,
                    "acceptable_constr_viol_tol": options.feasibility,
                    "acceptable_obj_change_tol": 1e-4,
                    "constr_viol_tol": options.feasibility,
                    "dual_inf_tol": 1e3,
                    "compl_inf_tol": 1e-2,
                    "max_iter": options.iterations,
                    "max_wall_time": options.seconds,
                    "mu_init": options.barrier,
                    **options.more,
                },
            },
        )
        start = {} if multipliers is None else {"lam_g0": multipliers}
        found = solver(
            x0=x,
            lbx=program.x_lower,
            ubx=program.x_upper,
            lbg=program.lower,
            ubg=program.upper,
            **start,
        )
        stats = solver.stats()
    if eye.problem is not None:
        raise eye.problem
    x_end = _array(found["x"])
    cost, g_end = program.values(x_end)
    return Answer(
        x_end,
        cost,
        violation(program, x_end, g_end),
        _array(found["lam_g"]),
        str(stats["return_status"]),
        int(stats["iter_count"]),
        stopped.is_set(),
    )


def violation(program: NonlinearProgram, x: np.ndarray, g: np.ndarray) -> float:
    """The largest violation of a bound or a constraint."""
    gaps = [program.x_lower - x, x - program.x_upper, program.lower - g, g - program.upper]
    return max(0.0, *(float(gap.max(initial=0.0)) for gap in gaps))


class _Last:
    """Cost and constraints of the last point; IPOPT asks for them one after the other."""

    def __init__(self, program: NonlinearProgram) -> None:
        self._program, self._x = program, np.zeros(0)

    def values(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        if not np.array_equal(x, self._x):
            self._x, self._found = x.copy(), self._program.values(x)
        return self._found


@dataclass(frozen=True, eq=False)
class _Gathered:
    """From nonzeros in any order, some named twice, to the columns CasADi keeps."""

    sparsity: ca.Sparsity
    spot: np.ndarray  # (nonzeros given,), where each goes
    count: int

    @classmethod
    def of(cls, places: tuple[np.ndarray, np.ndarray], shape: tuple[int, int]) -> _Gathered:
        rows, columns = places
        ones = coo_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        pattern = csc_array(ones)
        pattern.sum_duplicates()
        keys = np.repeat(np.arange(shape[1]), np.diff(pattern.indptr)) * shape[0] + pattern.indices
        spot = np.searchsorted(keys, columns.astype(np.int64) * shape[0] + rows)
        sparsity = ca.Sparsity(*shape, pattern.indptr.tolist(), pattern.indices.tolist())
        return cls(sparsity, spot, len(keys))

    def __call__(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self.spot, weights=values, minlength=self.count)


class _Function(ca.Callback):
    """A plain function as CasADi takes it."""

    def __init__(self, name: str, ins: list[Any], outs: list[Any], call: Callable) -> None:
        ca.Callback.__init__(self)
        self._ins, self._outs, self._call = ins, outs, call
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self._ins)

    def get_n_out(self) -> int:
        return len(self._outs)

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return self._ins[i]

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        return self._outs[i]

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arguments: Sequence[memoryview], results: Sequence[memoryview]) -> int:
        """Nonzeros go straight into CasADi's memory: a matrix of its own takes longer to fill."""
        values = self._call(*(np.array(_nonzeros(view)) for view in arguments))
        for view, value in zip(results, values, strict=True):
            wanted = _nonzeros(view)
            if len(wanted):  # what is not asked for has no memory
                wanted[:] = value
        return 0


class _Eye(ca.Callback):
    """Looks at every iterate, and may stop."""

    def __init__(
        self, program: NonlinearProgram, n: int, m: int, watch: Callable[[Iterate], bool]
    ) -> None:
        ca.Callback.__init__(self)
        self._program, self._watch, self._count = program, watch, 0
        self._sizes = {"f": 1, "x": n, "lam_x": n, "g": m, "lam_g": m}
        self.problem: BaseException | None = None
        self.construct("eye", {})

    def get_n_in(self) -> int:
        return ca.nlpsol_n_out()

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, i: int) -> str:
        return ca.nlpsol_out(i)

    def get_name_out(self, i: int) -> str:
        return "stop"

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._sizes.get(ca.nlpsol_out(i), 0), 1)

    def eval(self, arguments: Sequence[ca.DM]) -> list[int]:
        named = {ca.nlpsol_out(i): a for i, a in enumerate(arguments)}
        x, g = _array(named["x"]), _array(named["g"])
        gap = violation(self._program, x, g)
        iterate = Iterate(self._count, x, float(named["f"]), gap)
        self._count += 1
        try:
            return [int(self._watch(iterate))]
        except BaseException as problem:
            self.problem = problem
            return [1]


def _nonzeros(view: memoryview | None) -> np.ndarray:
    return np.zeros(0) if view is None else np.frombuffer(view)


def _array(value: ca.DM) -> np.ndarray:
    return np.array(value.full()).ravel()


@contextmanager
def _stoppable() -> Iterator[threading.Event]:
    """Ctrl-C sets a flag instead of tearing through C++; only the main thread can do so."""
    flag = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return
    before = signal.signal(signal.SIGINT, lambda *_: flag.set())
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, before)
