"""Files that are not ours to trust: read once, within limits, and refused in one sentence."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from poise.errors import BadInput
from poise.files import one_line as one_line

MOST_BYTES = 1_000_000_000  # of a file, and of what a compressed file unfolds to
MOST_TEXT_BYTES = 200_000_000


def bad(path: str | Path, field: str, found: object, accepted: str) -> BadInput:
    """The error of a file, always one line even when the file's own words are not."""
    return BadInput(
        one_line(path, most=400),
        one_line(field, most=160),
        one_line(found, most=160),
        one_line(accepted, most=600),
    )


def counted(count: int, thing: str) -> str:
    """A number with its noun: "1 row", "3 rows"."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


@dataclass(frozen=True, eq=False)
class Source:
    """A file as bytes, with its name and its hash."""

    path: Path
    data: bytes
    kept: dict[str, Any] = field(default_factory=dict)  # what was made of it, not to do it twice

    @cached_property
    def sha256(self) -> str:
        """Of the whole file, as sixty-four hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()

    def text(self) -> str:
        """The file as text."""
        if len(self.data) > MOST_TEXT_BYTES:
            raise bad(
                self.path,
                "the size",
                f"{len(self.data)} bytes",
                f"text of at most {MOST_TEXT_BYTES} bytes",
            )
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            found = f"not UTF-8 (byte {error.start})"
            raise bad(self.path, "the text", found, "UTF-8 or plain ASCII") from None
        if "\0" in text:
            raise bad(self.path, "the text", "binary (it holds zero bytes)", "UTF-8 text")
        return text


def read_source(path: str | Path) -> Source:
    """The whole file, or one sentence why not."""
    path = Path(path)
    accepted = "a readable motion file"
    try:
        if path.is_dir():
            raise bad(path, "the path", "a folder", accepted)
        if not path.exists():
            raise bad(path, "the file", "missing", accepted)
        if not path.is_file():  # a pipe or a device might never end
            raise bad(path, "the path", "not a regular file", accepted)
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise bad(path, "the size", f"{size} bytes", f"at most {MOST_BYTES} bytes")
        data = path.read_bytes()
    except OSError as error:
        found = f"not readable ({error.strerror or error})"
        raise bad(path, "the file", found, accepted) from None
    except ValueError as error:  # a zero byte in the name
        raise bad(path, "the path", f"impossible ({error})", accepted) from None
    if not data:
        raise bad(path, "the file", "empty", accepted)
    return Source(path, data)
