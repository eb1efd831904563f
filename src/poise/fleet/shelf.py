"""The folder of a batch: every result whole or not there, so that a batch can go on.

DIR/results/KEY.npz     the motion
DIR/results/KEY.json    what was asked, what the judge said, what it cost; written last
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from poise.errors import BadInput
from poise.files import UNFINISHED, one_line, write_whole
from poise.fleet.result import CRASHED, KINDS, Result

RESULTS = "results"
LOCK = ".batch"


class Shelf:
    """Results by key in a folder."""

    def __init__(self, folder: str | Path) -> None:
        """Use a folder, which is made where it is missing."""
        self.folder = Path(folder)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Make the folder, keep other batches out of it, and clear what a kill left behind."""
        try:
            (self.folder / RESULTS).mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            found = one_line(f"not usable ({error.strerror or error})")
            raise BadInput(self.folder, "the folder", found, "a folder one may write to") from None
        try:
            if not _locked(lock):
                accepted = "a folder of its own for every batch that runs"
                raise BadInput(self.folder, "the folder", "in use by another batch", accepted)
            for rest in (self.folder / RESULTS).rglob(f".*{UNFINISHED}"):
                with suppress(OSError):
                    rest.unlink()
            yield
        finally:
            os.close(lock)  # and with it the lock

    def motion_path(self, key: str) -> Path:
        """Where the motion of a job is kept."""
        return self.folder / RESULTS / f"{key}.npz"

    def record_path(self, key: str) -> Path:
        """Where everything else about a job is kept."""
        return self.folder / RESULTS / f"{key}.json"

    def put(self, result: Result, fingerprint: str) -> None:
        """Keep a result: the motion first, then the record that vouches for it."""
        motion, record = self.motion_path(result.key), self.record_path(result.key)
        record.parent.mkdir(parents=True, exist_ok=True)
        if result.motion is None:
            motion.unlink(missing_ok=True)  # of an older try
        else:
            with write_whole(motion) as file:
                file.write(result.motion)
        told = asdict(result) | {"fingerprint": fingerprint}
        told["motion"] = None if result.motion is None else len(result.motion)
        with write_whole(record) as file:
            file.write(json.dumps(told, indent=1, allow_nan=False).encode())

    def find(self, key: str, fingerprint: str) -> Result | None:
        """A finished result of exactly this work; None where it has to be done (again).

        What crashed is not finished. What was refused is: it would be refused again.
        """
        told = _read(self.record_path(key))
        if told.pop("fingerprint", None) != fingerprint or told.get("kind") not in KINDS:
            return None
        size = told.pop("motion", None)
        with suppress(TypeError, OSError):
            result = Result(**told)
            whole = size is None or self.motion_path(key).stat().st_size == size
            return result if whole and result.kind != CRASHED else None
        return None


def _read(path: Path) -> dict[str, Any]:
    """A record, or nothing where there is none to be understood."""
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _locked(handle: int) -> bool:
    """Take the lock of a file where the system has such; a killed process gives it back."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a network disk that knows no locks
        return True
    return True
