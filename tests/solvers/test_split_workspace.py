"""The workspace for half-diagonal costs gives the answers of the plain one."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solvers.split_workspace import SplitWorkspace
from poise.solvers.workspace import QPWorkspace


def write(ws: QPWorkspace, rng: np.random.Generator, free: int, tail: np.ndarray) -> None:
    n = ws.n
    J = rng.normal(size=(free + 3, free))
    ws.P[:] = 0.0
    ws.P[:free, :free] = J.T @ J + 1e-6 * np.eye(free)
    ws.P[range(free, n), range(free, n)] = tail
    ws.r[:] = np.r_[rng.normal(size=free), np.zeros(n - free)]
    ws.A[:] = rng.normal(size=ws.A.shape)
    middle = rng.normal(size=ws.m)
    ws.lower[:], ws.upper[:] = middle, np.where(np.arange(ws.m) < 4, middle, np.inf)
    ws.x_lower[-(n - free) :], ws.x_upper[-(n - free) :] = 0.0, 50.0


@pytest.mark.parametrize("seed", range(20))
def test_both_workspaces_agree(seed: int) -> None:
    free, n, m = 12, 20, 8
    tail = np.full(n - free, 1e-4)
    split, plain = SplitWorkspace(n, m, free, tail), QPWorkspace(n, m)
    for tick in range(5):
        if tick > 2:  # the tail may change, wherever it is written from
            tail = np.geomspace(1e-5, 1e-3, n - free) * tick
            split.set_tail(tail)
        write(split, np.random.default_rng(100 * seed + tick), free, tail)
        write(plain, np.random.default_rng(100 * seed + tick), free, tail)
        a, b = split.solve(), plain.solve()
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            assert np.allclose(a, b, atol=1e-6 * (1.0 + np.abs(b).max()))


def test_a_dense_cost_counts_wholly_while_it_is_said_to_be_dense() -> None:
    free, n, m = 6, 10, 4
    tail = np.full(n - free, 1e-2)
    split, plain = SplitWorkspace(n, m, free, tail), QPWorkspace(n, m)
    for dense in (False, True, False):
        for ws in (split, plain):
            write(ws, np.random.default_rng(4), free, tail)
            if dense:
                ws.P[:free, free:] = 1e-3
                ws.P[free:, :free] = 1e-3
        split.dense = dense
        a, b = split.solve(), plain.solve()
        assert a is not None and b is not None
        assert np.allclose(a, b, atol=1e-7 * (1.0 + np.abs(b).max()))


@pytest.mark.parametrize("unbounded", [0, 5])
@pytest.mark.parametrize("seed", range(10))
def test_variables_of_the_dense_block_may_have_bounds(seed: int, unbounded: int) -> None:
    block, n, m = 12, 20, 6
    tail = np.full(n - block, 1e-3)
    split, plain = SplitWorkspace(n, m, block, tail, free=unbounded), QPWorkspace(n, m)
    pushed = False
    for tick in range(5):
        for ws in (split, plain):
            write(ws, np.random.default_rng(100 * seed + tick), block, tail)
            first = unbounded - ws.free  # where their bounds begin
            ws.x_lower[first : first + block - unbounded] = -0.3
            ws.x_upper[first : first + block - unbounded] = 0.4
        a, b = split.solve(), plain.solve()
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            assert np.allclose(a, b, atol=1e-6 * (1.0 + np.abs(b).max()))
            pushed |= bool(split.multipliers[: block - unbounded].any())
    assert pushed
