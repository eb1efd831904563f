"""Result files: of a kind we can write, in a folder that exists."""

from __future__ import annotations

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
