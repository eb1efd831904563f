"""Phases side by side: the same numbers, and every problem is heard of."""

import threading

import numpy as np
import pytest

from multicontact_helpers.small import everything
from poise.engines.multicontact.parallel import in_parallel


def test_answers_come_in_the_order_of_the_work():
    seen = set()
    meet = threading.Barrier(2, timeout=10.0)  # both threads must have come

    def piece(k):
        if k < 2:
            meet.wait()
        seen.add(threading.get_ident())
        return k

    assert in_parallel([lambda k=k: piece(k) for k in range(6)], threads=2) == list(range(6))
    assert len(seen) == 2
    assert threading.active_count() == len(threading.enumerate())


@pytest.mark.parametrize("bad", [0, 1])
def test_a_problem_is_raised_as_it_is(bad):
    meet = threading.Barrier(2, timeout=10.0)

    def piece(k):
        meet.wait()
        if k == bad:
            raise ValueError("as it is")
        return k

    with pytest.raises(ValueError, match="as it is"):
        in_parallel([lambda k=k: piece(k) for k in range(2)], threads=2)


def test_two_threads_compute_what_one_does():
    problem, x = everything()
    m = np.random.default_rng(0).normal(size=len(problem.lower))
    problem.evaluate(x)
    found = []
    for threads in (1, 2):
        problem.threads, problem._last = threads, None
        at = problem.evaluate(x)
        found.append((at.cost, at.g, at.gradient, at.jacobian, problem.hessian(x, 1.0, m)))
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)
