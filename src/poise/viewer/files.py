"""Result files: of a kind we can write, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from poise.errors import BadInput


def to_write(path: Path | str, suffixes: tuple[str, ...]) -> Path:
    """A path that can be written: of a known kind, in a folder that exists."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        known = ", ".join(suffixes[:-1]) + f" or {suffixes[-1]}"
        raise BadInput(path, "the suffix", f"'{path.suffix}'", known)
    if not path.parent.is_dir():
        raise BadInput(path, "the folder", "missing", "an existing folder")
    return path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary file beside a path, which takes its place only when all went well."""
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # as if it had been opened, not made in secret
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
