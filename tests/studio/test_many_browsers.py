"""Browsers come and go: each with a robot of its own, and nothing of them stays behind."""

import gc
import threading
import time
import weakref
from collections.abc import Callable

import pytest

from poise.robot import load_robot
from poise.studio import open_studio
from visitor import visit

PATIENCE = 120.0  # [s], on a busy machine
CYCLES = 5
pytestmark = pytest.mark.filterwarnings("ignore:Queued a")


def until(holds: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def studio():
    with open_studio(load_robot("nao"), port=0, block=False) as opened:
        yield opened


def come_and_go(studio) -> weakref.ref:
    with visit(studio.address) as socket:
        until(lambda: studio.sessions, "a session")
        [session] = studio.sessions.values()
        until(lambda: session.walk.live.ticks > 5, "the robot to walk")
        socket.recv(timeout=PATIENCE)
        gone = weakref.ref(session)
    until(lambda: not studio.sessions, "the session to end")
    until(lambda: not session.thread.is_alive(), "its thread to end")
    return gone


def test_browsers_that_come_and_go_leave_neither_threads_nor_sessions(studio):
    gone = [come_and_go(studio) for _ in range(CYCLES)]
    assert not [t for t in threading.enumerate() if t.name.startswith("poise studio")]
    gc.collect()
    assert sum(one() is not None for one in gone) <= 1  # the last may still be on its way out


def test_three_browsers_walk_at_once_and_one_that_hangs_disturbs_nobody(studio):
    sockets = [visit(studio.address) for _ in range(3)]
    try:
        until(lambda: len(studio.sessions) == 3, "three sessions")
        first, second, hanging = studio.sessions.values()
        until(
            lambda: min(one.walk.live.ticks for one in (first, second)) > 20,
            "two robots while the third browser reads nothing",
        )
        second.walk.take_preset("sad")
        assert first.walk.design.base.name == "normal"
        assert hanging.walk.live is not first.walk.live
        sockets[1].close()
        until(lambda: len(studio.sessions) == 2, "one to leave")
        # browsers that come together may be welcomed in any order: whoever is still there walks on
        for stays in list(studio.sessions.values()):
            ticks = stays.walk.live.ticks
            until(lambda now=stays.walk.live, t=ticks: now.ticks > t + 20, "it to walk on")
    finally:
        for socket in sockets:
            socket.close()
    until(lambda: not studio.sessions, "all to leave")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_that_nobody_knows_is_told_on_the_page(studio, monkeypatch):
    with visit(studio.address):
        until(lambda: studio.sessions, "a session")
        [session] = studio.sessions.values()
        until(lambda: session.walk.live.ticks > 5, "the robot to walk")
        said: list[str] = []

        def breaks(passed: float) -> None:
            raise ZeroDivisionError("planted")

        monkeypatch.setattr(session, "say", lambda title, *more: said.append(title))
        monkeypatch.setattr(session.walk, "advance", breaks)
        until(lambda: not session.thread.is_alive(), "its thread to end")
    assert said == ["This page has stopped"]
    until(lambda: not studio.sessions, "it to leave")
