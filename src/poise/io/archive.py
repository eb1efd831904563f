"""NumPy archives (.npz) of strangers: sizes checked before anything unfolds, nothing unpickled."""

from __future__ import annotations

import io
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from poise.io.source import MOST_BYTES, Source, bad

_ZIP_TROUBLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # an encrypted member, or a method of compression that Python lacks
    OverflowError,
    MemoryError,
)
_HEADER_TROUBLE = (
    ValueError,
    TypeError,
    SyntaxError,
    KeyError,
    EOFError,
    tokenize.TokenError,
    RecursionError,
    OverflowError,
    MemoryError,
)
_PLAIN = "fiubUS"  # numbers, truth values and text; no objects, no records


class Archive:
    """The arrays of an .npz file by name, each read when it is asked for."""

    def __init__(self, source: Source) -> None:
        self.path = source.path
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.data))
            members = self._zip.infolist()
        except _ZIP_TROUBLE as error:
            raise bad(
                self.path, "the archive", f"broken ({error})", "a complete .npz file"
            ) from None
        unfolded = sum(member.file_size for member in members)
        if unfolded > MOST_BYTES:
            raise bad(
                self.path,
                "the archive",
                f"{unfolded} bytes when unfolded",
                f"at most {MOST_BYTES} bytes",
            )
        self._members = {m.filename.removesuffix(".npy"): m for m in members}

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Names of all arrays."""
        return tuple(self._members)

    def __contains__(self, key: str) -> bool:
        return key in self._members

    def array(self, key: str) -> np.ndarray:
        """One array, as it was stored."""
        if key not in self._members:
            held = ", ".join(sorted(self.keys)[:12]) or "nothing"
            raise bad(self.path, key, "missing", f"an archive with {key} (it holds {held})")
        try:
            data = self._zip.read(self._members[key])
        except _ZIP_TROUBLE as error:
            found = f"unreadable ({error})"
            raise bad(self.path, key, found, "a complete .npz file") from None
        return self._parsed(key, data)

    def _parsed(self, key: str, data: bytes) -> np.ndarray:
        stream = io.BytesIO(data)
        try:
            version = np.lib.format.read_magic(stream)
            if version == (1, 0):
                shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
            elif version == (2, 0):
                shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
            else:
                raise ValueError(f"array format {version[0]}.{version[1]}")
        except _HEADER_TROUBLE as error:
            found = f"not an array ({error})"
            raise bad(self.path, key, found, "a plain NumPy array") from None
        if dtype.hasobject:
            found = "a pickled object, which could run a program"
            raise bad(self.path, key, found, "plain numbers or text")
        if dtype.kind not in _PLAIN:
            raise bad(self.path, key, f"of type {dtype}", "plain numbers or text")
        size, rest = math.prod(shape) * dtype.itemsize, len(data) - stream.tell()
        if size != rest or any(length < 0 for length in shape):
            found = f"of shape {shape} ({size} bytes) but holds {rest} bytes"
            raise bad(self.path, key, found, "as many bytes as its shape says")
        if not size:
            return np.zeros(tuple(min(length, 1 << 40) for length in shape), dtype)
        flat = np.frombuffer(data, dtype, offset=stream.tell())
        return flat.reshape(shape, order="F" if fortran else "C")

    # -- what readers usually want ---------------------------------------------------

    def numbers(self, key: str, shape: tuple[int | str, ...]) -> np.ndarray:
        """An array of float64 whose shape fits; letters in `shape` stand for any length.

        Args:
            key: name of the array.
            shape: e.g. (100, "k").
        """
        array = self.array(key)
        wanted = "(" + ", ".join(str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"
        if array.dtype.kind not in "fiub":
            raise bad(self.path, key, f"of type {array.dtype}", f"numbers of shape {wanted}")
        fits = array.ndim == len(shape) and all(
            isinstance(s, str) or s == length for s, length in zip(shape, array.shape, strict=True)
        )
        if not fits:
            raise bad(self.path, key, f"of shape {array.shape}", f"numbers of shape {wanted}")
        return np.array(array, dtype=np.float64, order="C")

    def number(self, key: str) -> float:
        """A single finite number, however it was wrapped."""
        array = self.array(key)
        if array.dtype.kind not in "fiub" or array.size != 1:
            found = f"of type {array.dtype} and shape {array.shape}"
            raise bad(self.path, key, found, "one number")
        value = float(array.reshape(-1)[0])
        if not math.isfinite(value):
            raise bad(self.path, key, f"{value}", "one finite number")
        return value

    def text(self, key: str) -> str:
        """A single text."""
        array = self.array(key)
        if array.dtype.kind not in "US" or array.size != 1:
            found = f"of type {array.dtype} and shape {array.shape}"
            raise bad(self.path, key, found, "one text")
        return self._decoded(key, array.reshape(-1))[0]

    def names(self, key: str) -> tuple[str, ...]:
        """A row of texts."""
        array = self.array(key)
        if array.size == 0 and array.ndim == 1:
            return ()
        if array.dtype.kind not in "US" or array.ndim != 1:
            found = f"of type {array.dtype} and shape {array.shape}"
            raise bad(self.path, key, found, "a row of texts")
        return tuple(self._decoded(key, array))

    def _decoded(self, key: str, array: np.ndarray) -> list[str]:
        try:
            if array.dtype.kind == "S":
                return [bytes(item).decode("utf-8") for item in array.tolist()]
            words = [str(item) for item in array.tolist()]
            "".join(words).encode("utf-8")  # a lone surrogate is no text
        except (UnicodeError, ValueError) as error:
            raise bad(self.path, key, f"not text ({error})", "UTF-8 or plain ASCII") from None
        return words


def archive_bytes(arrays: Mapping[str, Any]) -> bytes:
    """An .npz file of arrays: the same arrays give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as folder:
        for key, value in arrays.items():
            member = zipfile.ZipInfo(f"{key}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with folder.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(value), allow_pickle=False)
    return buffer.getvalue()
