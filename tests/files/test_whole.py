"""A file is written whole or not at all, even when the process is killed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from io_helpers.samples import full, still
from poise.errors import PoiseError
from poise.files import UNFINISHED, write_whole
from poise.io import load, save


def test_the_name_appears_only_when_the_file_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with write_whole(path) as file:
        file.write(b"half")
        assert not path.exists()
        file.write(b" and whole")
    assert path.read_bytes() == b"half and whole"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_after_any_error_the_old_file_stays_and_nothing_else_does(
    error: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(error), write_whole(path) as file:
        file.write(b"new, but")
        raise error
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(PoiseError, match="No space left") as caught, write_whole(path):
        raise OSError(28, "No space left on device")
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fails_to_sync_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def failing(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(PoiseError, match="Input/output"), write_whole(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_rights_are_kept_and_new_files_get_the_usual_ones(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"x")
    old.chmod(0o640)
    umask = os.umask(0o027)
    try:
        for path in (old, new):
            with write_whole(path) as file:
                file.write(b"y")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


def test_a_link_keeps_being_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with write_whole(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["", "missing/a.txt", "a\0b", "x" * 300, "fifo"])
def test_an_impossible_place_is_one_sentence(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(PoiseError) as caught, write_whole(tmp_path / name) as file:
        file.write(b"x")
    assert "\n" not in str(caught.value) and "accepted" in str(caught.value)


STOPS_HALFWAY = """
import sys, time
from poise.io import write_whole
with write_whole(sys.argv[1]) as file:
    file.write(b"new" * 100_000)
    file.flush()
    print("half", flush=True)
    time.sleep(60)
"""
WRITES_FOR_EVER = """
import sys
sys.path.insert(0, sys.argv[2])
from io_helpers.samples import still
from poise.io import save
motion = still("nao", n=2000)
print("ready", flush=True)
while True:
    save(motion, sys.argv[1])
"""


def started(script: str, *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline()
    return process


def test_a_process_killed_halfway_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    save(full("nao"), path)
    before = path.read_bytes()
    process = started(STOPS_HALFWAY, str(path))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert path.read_bytes() == before
    left = [p.name for p in tmp_path.iterdir() if p.name != "a.npz"]
    assert left and all(name.startswith(".") and name.endswith(UNFINISHED) for name in left)
    load(path)


def test_readers_see_whole_files_while_another_process_writes_and_dies(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    save(still("nao", n=2000), path)
    process = started(WRITES_FOR_EVER, str(path), str(Path(__file__).parents[1]))
    try:
        seen = set()
        for _ in range(60):
            assert len(load(path)) == 2000
            seen.add(path.stat().st_ino)
        assert len(seen) > 1, "another file took the name each time"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(load(path)) == 2000
