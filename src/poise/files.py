"""Writing a file whole or not at all: the one address for it."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from poise.errors import BadInput

UNFINISHED = ".part"  # how the name of a file ends while it is being written


@contextmanager
def write_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary file that takes its name only when it is complete and on the disk.

    Until then whatever had that name stays as it was. When anything fails on the way,
    the unfinished file goes; when the process is killed, it stays beside the old one under a
    hidden name that ends in ".part".
    """
    path = Path(path)
    target = _target(path)
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=UNFINISHED
        )
    except OSError as error:
        raise _unwritable(path, error) from None
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), _mode(target))
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise _unwritable(path, error) from None
    except BaseException:  # an interrupt too must leave nothing behind
        with suppress(OSError):
            unfinished.unlink()
        raise
    _sync_folder(target.parent)


@contextmanager
def whole_path(path: str | Path) -> Iterator[Path]:
    """A path of the same kind for a library that wants a name, not a file.

    What is written there takes the name that was asked for when all went well.
    """
    path = Path(path)
    target = _target(path)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        unfinished = Path(folder) / target.name
        yield unfinished
        with write_whole(path) as file:
            file.write(unfinished.read_bytes())


def must_be_writable(path: str | Path) -> None:
    """Refuse a place that cannot be written, before long work is done for it."""
    path = Path(path)
    target = _target(path)
    if not os.access(target.parent, os.W_OK):
        raise _unwritable(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def one_line(text: object, most: int = 400) -> str:
    """Any text as part of a sentence: one line, printable, not too long."""
    words = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return words if len(words) <= most else words[: most - 3] + "..."


def _target(path: Path) -> Path:
    """Where the bytes go: through links, never onto a folder or a device."""
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise BadInput(one_line(path), "the path", "a folder", "the name of a file")
        if target.exists() and not target.is_file():
            raise BadInput(one_line(path), "the path", "not a regular file", "the name of a file")
        if not target.parent.is_dir():
            raise BadInput(one_line(path), "the folder", "missing", "an existing folder")
    except OSError as error:
        raise _unwritable(path, error) from None
    except ValueError as error:  # a zero byte in the name
        raise BadInput(
            one_line(path), "the path", one_line(f"impossible ({error})"), "the name of a file"
        ) from None
    return target


def _mode(target: Path) -> int:
    """The rights of the file that is replaced, or those a new file gets."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unwritable(path: Path, error: OSError) -> Exception:
    found = f"not writable ({error.strerror or error})"
    return BadInput(
        one_line(path),
        "the file",
        one_line(found),
        "a place with the right to write and enough room",
    )
