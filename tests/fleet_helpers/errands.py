"""Small pieces of work that a crew can be given; workers find them by their import path."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from pathlib import Path


def double(x: float) -> float:
    return 2.0 * x


def who(_: int) -> int:
    return os.getpid()


def slowly(x: int) -> int:
    time.sleep(0.2 if x == 0 else 0.0)
    return x


def fail_on_three(x: int) -> int:
    if x == 3:
        raise ValueError("three\nis not wanted")
    return x


def die_on_three(x: int) -> int:
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def die_once(marker: str) -> str:
    """Dies the first time it is tried, as if somebody killed the process in the middle."""
    path = Path(marker)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path.name


def sleep_long(marker: str) -> None:
    Path(marker).write_text(str(os.getpid()))
    time.sleep(600.0)


def chatter(x: int) -> int:
    os.write(1, b"words of some library\n")
    return x


def wait_for_each_other(lock: str) -> None:
    """Takes a moment that nobody else may have at the same time."""
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(0.2)
