"""Work shared with forked processes: the same numbers, and nothing is lost with a process."""

import os
import signal
import threading

import numpy as np
import pytest

from multicontact_helpers.small import everything
from poise.engines.multicontact import PlanOptions
from poise.engines.multicontact import problem as program
from poise.engines.multicontact.crew import Crew, common, may_fork
from poise.errors import BadInput


def test_every_share_is_done_by_another_process():
    who = common(3)

    def work(job, share):
        who[share] = os.getpid() + (job == "b")

    with Crew(work, 3) as crew:
        crew.do("a")
        first = who.copy()
        crew.do("b")
    assert first[0] == os.getpid()
    assert len(set(first)) == 3
    assert np.array_equal(who, first + 1)


def test_what_a_lost_process_leaves_is_done_here():
    done = common(2)

    def work(job, share):
        if job == "k" and share:
            os.kill(os.getpid(), signal.SIGKILL)
        done[share] = os.getpid()

    with Crew(work, 2) as crew:
        crew.do("a")
        assert done[1] != os.getpid()
        # `k` kills the other one, and would kill the test: only the other one is asked
        crew._mates[1].ask("k")
        assert not crew._mates[1].done()
        crew.do("a")
    assert done.tolist() == [os.getpid()] * 2


@pytest.mark.parametrize("bad", [0, 1])
def test_a_problem_is_raised_as_it_is(bad):
    def work(job, share):
        if share == bad:
            raise ValueError("as it is")

    with Crew(work, 2) as crew, pytest.raises(ValueError, match="as it is"):
        crew.do("a")


def test_no_process_is_left_behind():
    with Crew(lambda job, share: None, 3) as crew:
        pids = [mate.pid for mate in crew._mates.values()]
        crew.do("a")
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_beside_other_threads_nothing_is_forked():
    wait = threading.Event()
    other = threading.Thread(target=wait.wait)
    other.start()
    try:
        assert not may_fork()
    finally:
        wait.set()
        other.join()


def test_nobody_at_work_is_refused():
    with pytest.raises(BadInput, match="workers"):
        PlanOptions(workers=0)


def test_two_processes_compute_what_one_does(monkeypatch):
    problem, x = everything()
    near = x + 1e-6
    m = np.random.default_rng(0).normal(size=len(problem.lower))

    def found(at):
        f = problem.evaluate(at)
        both = f.cost, f.g, f.gradient, f.jacobian.copy(), problem.hessian(at, 0.7, m)
        return [np.array(part) for part in both]

    path = (near, x, near, x)  # the last bits of a distance depend on the one before it
    alone = [found(at) for at in path]
    monkeypatch.setattr(program, "may_fork", lambda: True)  # test runners have threads
    with problem.shared(2, x):
        assert len(problem._shares) == 2
        together = [found(at) for at in path]
        problem.evaluate(near)
        os.kill(problem._crew._mates[1].pid, signal.SIGKILL)
        left = found(near)  # the other one's phases are evaluated, but only there
    for one, two in zip(alone[1:], together[1:], strict=True):
        for a, b in zip(one, two, strict=True):
            assert np.array_equal(a, b)
    for a, b in zip(alone[0], left, strict=True):
        assert np.allclose(a, b, rtol=1e-9, atol=1e-9)
