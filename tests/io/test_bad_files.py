"""Corrupted and wrong files: one error, one sentence, and nothing ever runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_helpers.bad_files import ROBOT, bad_files, good_file
from poise.errors import PoiseError
from poise.io import DIALECTS, read_motion, sniff
from poise.motion import Motion
from poise.robot import load_robot

READABLE = [d.name for d in DIALECTS.values() if d.read is not None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    here = os.getcwd()
    path = tmp_path_factory.mktemp("bad")
    os.chdir(path)  # a bomb that goes off would leave its trace here
    yield path
    os.chdir(here)


def refused(read: Callable[[Path], Any], path: Path, shown: str | None = None) -> str:
    """The one sentence a reader answers a bad file with."""
    with pytest.raises(PoiseError) as caught:
        read(path)
    text = str(caught.value)
    assert "\n" not in text and len(text) < 1500
    assert (shown or path.name) in text, "names the file"
    assert "accepted" in text, "says what is accepted"
    assert " is " in text, "says what was found"
    assert text.endswith((".", "?"))
    return text


@pytest.mark.parametrize("name", READABLE)
def test_every_bad_file_is_refused_in_one_sentence(name: str, folder: Path) -> None:
    robot, dialect = load_robot(ROBOT), DIALECTS[name]
    files = bad_files(name, folder)
    assert len(files) >= 30
    for what, content in files.items():
        path = folder / f"{name} {what}{dialect.suffix}".replace("/", "_")
        path.write_bytes(content)
        try:
            refused(lambda p: dialect.read(p, robot), path)  # type: ignore[misc]
        except pytest.fail.Exception:
            pytest.fail(f"{name}: {what} was read without a word")
        if not what.startswith("a file of"):
            try:
                refused(lambda p: read_motion(p, robot), path)
            except pytest.fail.Exception:
                pytest.fail(f"{name}: {what} was understood as something")
    assert not (folder / "boom").exists()


@pytest.mark.parametrize("name", READABLE)
def test_places_that_cannot_be_read_are_refused(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, dialect = load_robot(ROBOT), DIALECTS[name]
    (folder / "a folder").mkdir(exist_ok=True)
    if not (folder / "pipe").exists():
        os.mkfifo(folder / "pipe")
    for read in (lambda p: dialect.read(p, robot), lambda p: sniff(p, robot)):  # type: ignore[misc]
        assert "folder" in refused(read, folder / "a folder")
        assert "missing" in refused(read, folder / "nothing.npz")
        assert "regular" in refused(read, folder / "pipe")
        assert "regular" in refused(read, Path("/dev/zero"), "/dev/zero")
        refused(read, folder / "a\0b", "a b")
        refused(read, folder / ("x" * 300))
        refused(read, folder / "two\nlines.npz", "two lines")
        locked = folder / "locked.npz"
        locked.write_bytes(good_file("poise", folder))
        with monkeypatch.context() as patch:

            def denied(_: Path) -> bytes:
                raise PermissionError(13, "Permission denied")

            patch.setattr(Path, "read_bytes", denied)
            assert "Permission denied" in refused(read, locked)


def test_a_file_too_large_is_refused_before_it_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "sparse.csv"
    with path.open("wb") as file:
        file.truncate(2_000_000_000)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("it was read"))
    for name in READABLE:
        dialect = DIALECTS[name]
        found = refused(lambda p, d=dialect: d.read(p, load_robot(ROBOT)), path)  # type: ignore
        assert "2000000000 bytes" in found


@pytest.mark.parametrize("name", READABLE)
def test_a_damaged_file_never_ends_in_anything_but_a_motion_or_a_sentence(
    name: str, folder: Path
) -> None:
    robot, dialect = load_robot(ROBOT), DIALECTS[name]
    whole = good_file(name, folder)
    path = folder / f"fuzzed{dialect.suffix}"
    assert dialect.read is not None

    @settings(max_examples=120, deadline=None, database=None)
    @given(data=st.data())
    def fuzz(data: st.DataObject) -> None:
        damaged = bytearray(whole)
        for _ in range(data.draw(st.integers(1, 5))):
            # the head and the tail of a file hold its structure: damage them most
            span = data.draw(st.sampled_from([len(whole), 300, -600]))
            low, high = (0, min(span, len(whole))) if span > 0 else (len(whole) + span, len(whole))
            at = data.draw(st.integers(max(low, 0), high - 1))
            damaged[at] = data.draw(st.integers(0, 255))
        if data.draw(st.booleans()):
            damaged = damaged[: data.draw(st.integers(1, len(damaged)))]
        path.write_bytes(bytes(damaged))
        for read in (dialect.read, read_motion):
            try:
                found = read(path, robot)  # type: ignore[operator]
                assert isinstance(found if read is dialect.read else found[0], Motion)
            except PoiseError as error:
                assert "\n" not in str(error) and path.name in str(error)

    fuzz()
