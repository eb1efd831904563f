"""The workshop: what happens there stays there."""

import os
import threading
import time

import pytest

from poise.errors import PoiseError
from poise.examples import write_synthetic_trial
from poise.robot import load_robot
from poise.studio import engine_jobs, jobs
from poise.studio.workshop import Workshop

NAO = str(load_robot("nao").folder)


@pytest.fixture(scope="module")
def workshop():
    opened = Workshop()
    yield opened
    opened.close()


def test_mistakes_crashes_and_endless_work_are_said_and_survived(workshop, tmp_path):
    bad = tmp_path / "motion.npz"
    bad.write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(PoiseError, match=r"motion\.npz"):
        workshop.run(jobs.read, NAO, str(bad))
    with pytest.raises(PoiseError, match="ended"):
        workshop.run(os._exit, 3)
    with pytest.raises(PoiseError, match="longer than"):
        workshop.run(time.sleep, 60.0, patience=1.0)
    assert workshop.run(len, (1, 2, 3)) == 3


@pytest.mark.parametrize(
    "text",
    [
        "<robot",
        "<robot name='x'/>",
        "<robot name='x'><link name='a'/></robot>",
        "<robot name='../../x'><link name='a'><inertial><mass value='nan'/>"
        "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>",
    ],
)
def test_robots_that_are_none_are_refused_in_words(workshop, tmp_path, text):
    path = tmp_path / "upload.urdf"
    path.write_text(text)
    home = tmp_path / "home"
    home.mkdir()
    with pytest.raises(PoiseError, match=r"mine\.urdf: \w{3,}") as refused:
        workshop.run(jobs.learn_robot, str(path), "mine.urdf", str(home), "my-robot")
    assert str(tmp_path) not in str(refused.value)
    assert list(home.iterdir()) == []


def patched(content: bytes, place: int, other: bytes) -> bytes:
    return content[:place] + other + content[place + len(other) :]


def test_recordings_that_are_none_are_refused_in_words(workshop, tmp_path):
    write_synthetic_trial(tmp_path)
    good = (tmp_path / "walk.c3d").read_bytes()
    path = tmp_path / "upload.c3d"
    for bad in (
        b"",
        bytes(range(256)) * 4,
        good[: len(good) // 2],
        patched(good, 0, b"\xff\x50"),  # where its parameters are
        patched(good, 2, b"\xff\xff"),  # how many points there are
        patched(good, 16, b"\xff\xff"),  # where its data are
    ):
        path.write_bytes(bad)
        with pytest.raises(PoiseError, match=r"upload\.c3d: \w{3,}"):
            workshop.run(engine_jobs.person, str(path), None)
    assert workshop.run(len, (1, 2, 3)) == 3


def test_a_closed_workshop_leaves_no_process():
    opened = Workshop()
    opened.run(len, ())
    [process] = list(opened._idle._processes.values())
    opened.close()
    patience = time.monotonic() + 20.0
    while process.is_alive() and time.monotonic() < patience:
        time.sleep(0.05)  # the pool's own thread may be collecting it at this moment
    assert not process.is_alive()
    with pytest.raises(PoiseError, match="closing"):
        opened.run(len, ())


def until(holds, what: str) -> None:
    patience = time.monotonic() + 30.0
    while not holds():
        assert time.monotonic() < patience, what
        time.sleep(0.02)


def test_long_work_of_one_browser_keeps_no_other_waiting():
    opened, gone = Workshop(workers=2), threading.Event()
    said = []

    def plan() -> None:
        try:
            opened.run(time.sleep, 500.0, left=gone)
        except PoiseError as error:
            said.append(str(error))

    long = threading.Thread(target=plan)
    long.start()
    try:
        until(lambda: opened._busy, "the long work to begin")
        [worker] = opened._busy
        until(lambda: worker._processes, "its process")
        [process] = list(worker._processes.values())
        with pytest.raises(PoiseError, match="longer than"):  # which ends its own process alone
            opened.run(time.sleep, 60.0, patience=0.5)
        assert opened.run(len, (1, 2, 3)) == 3
        assert process.is_alive() and long.is_alive()
        gone.set()  # the browser of the long work leaves
        long.join(timeout=30.0)
        assert said == ["Nobody waits for this any more."]
        until(lambda: not process.is_alive(), "its process to end")
        assert opened.run(len, (1, 2)) == 2
        assert len(opened._busy) == 0
    finally:
        gone.set()
        opened.close()


def test_who_waits_for_a_free_worker_is_patient_and_may_leave():
    opened, gone = Workshop(workers=1), threading.Event()
    long = threading.Thread(target=opened.run, args=(time.sleep, 1.5))
    long.start()
    try:
        until(lambda: opened._busy, "the long work to begin")
        threading.Timer(0.3, gone.set).start()
        with pytest.raises(PoiseError, match="Nobody waits"):
            opened.run(len, (), left=gone)
        assert opened.run(len, (1, 2), patience=1.0) == 2  # counted from when it begins
    finally:
        long.join()
        opened.close()


def test_an_error_that_nobody_knows_is_a_sentence_too(capfd):
    opened = Workshop()
    with pytest.raises(PoiseError, match=r"does not know .* \(ZeroDivisionError\)"):
        opened.run(divmod, 1, 0)
    assert opened.run(len, (1,)) == 1
    opened.close()
    assert "integer division" in capfd.readouterr().err  # the log has all of it
