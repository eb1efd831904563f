"""The first pages of a C3D file: header and parameters, read with every length checked.

A damaged or hostile file says its lengths wrong, and a reader that believes it waits, crashes or
asks for all memory (the usual library does all three). Here nothing is read that is not there.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.io.source import Source, bad, counted

PAGE = 512  # bytes
MOST_BYTES = 400_000_000
MOST_POINTS = 5_000
MOST_PARAMETERS = 20_000
ACCEPTED = "a whole C3D file"
INTEL, DEC, MIPS = 84, 85, 86
Value = list[str] | np.ndarray


@dataclass(frozen=True, eq=False)
class Head:
    """Header and parameters of a C3D file, checked against its size."""

    processor: int
    points: int
    frames: int
    rate: float  # [Hz]
    scale: float  # of integer points; negative when the data are floats
    channels: int  # analog, per sample
    samples: int  # analog, per frame
    data_start: int  # [bytes]
    parameters: Mapping[tuple[str, str], Value]

    @property
    def bytes_per_frame(self) -> int:
        """Of points and analog samples together."""
        return (4 * self.points + self.channels * self.samples) * (4 if self.scale < 0.0 else 2)

    def numbers(self, group: str, name: str) -> np.ndarray | None:
        """A numeric parameter with its dimensions, or None."""
        value = self.parameters.get((group, name))
        return value if isinstance(value, np.ndarray) and value.size else None

    def number(self, group: str, name: str) -> float | None:
        """The first number of a parameter if it is positive, or None."""
        value = self.numbers(group, name)
        first = float(np.ravel(value)[0]) if value is not None else 0.0
        return first if np.isfinite(first) and first > 0.0 else None

    def texts(self, group: str, name: str) -> list[str]:
        """The words of a parameter, none if it has none."""
        value = self.parameters.get((group, name))
        return value if isinstance(value, list) else []


class _Bytes:
    """Numbers at places of a file, which must exist."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.data, self.path, self.processor = data, path, INTEL

    @property
    def order(self) -> str:
        return ">" if self.processor == MIPS else "<"

    def need(self, at: int, size: int) -> None:
        if at < 0 or at + size > len(self.data):
            found = f"cut off ({counted(len(self.data), 'byte')}, its pages point beyond the end)"
            raise bad(self.path, "the file", found, ACCEPTED)

    def unpack(self, code: str, at: int) -> int:
        self.need(at, struct.calcsize(code))
        return struct.unpack_from(self.order + code, self.data, at)[0]

    def floats(self, at: int, count: int) -> np.ndarray:
        self.need(at, 4 * count)
        return decoded_floats(self.data[at : at + 4 * count], self.processor)


def decoded_floats(data: bytes, processor: int) -> np.ndarray:
    """Single precision of Intel, DEC or MIPS machines, as doubles."""
    with np.errstate(invalid="ignore"):  # bytes that are no number become NaN
        if processor != DEC:
            return np.frombuffer(data, dtype=">f4" if processor == MIPS else "<f4").astype(float)
        halves = np.frombuffer(data, dtype="<u2").reshape(-1, 2)[:, ::-1]
        swapped = np.ascontiguousarray(halves).view("<f4").ravel()  # the other half comes first
        return swapped.astype(float) / 4.0  # and it counts in quarters


def is_c3d(data: bytes) -> bool:
    """Whether bytes start as C3D files do."""
    return len(data) > 2 and data[1] == 0x50 and 1 < data[0] < 128


def read_head(source: Source) -> Head:
    """Header and parameters, or one sentence why the file cannot be read."""
    data, path = source.data, source.path
    if not is_c3d(data):
        raise bad(path, "the first page", "not that of a C3D file", ACCEPTED)
    if len(data) > MOST_BYTES:
        raise bad(path, "the size", f"{len(data)} bytes", f"C3D of at most {MOST_BYTES} bytes")
    if len(data) < 2 * PAGE:
        raise bad(path, "the file", f"cut off after {counted(len(data), 'byte')}", ACCEPTED)
    view = _Bytes(data, path)
    start = (data[0] - 1) * PAGE
    view.processor = view.unpack("B", start + 3)
    if view.processor not in (INTEL, DEC, MIPS):
        found = f"{view.processor}, which no machine has"
        raise bad(path, "the processor type", found, "84 (Intel), 85 (DEC) or 86 (MIPS)")
    parameters = _parameters(view, start)
    head = _header(view, parameters)
    _check(head, path, len(data))
    return head


def _header(view: _Bytes, parameters: dict[tuple[str, str], Value]) -> Head:
    points, analogs = view.unpack("H", 2), view.unpack("H", 4)
    samples = view.unpack("H", 18)
    channels = analogs // samples if samples else 0
    scale, rate = (float(view.floats(at, 1)[0]) for at in (12, 20))
    frames = _frames(view.unpack("H", 6), view.unpack("H", 8), parameters)
    data_start = (view.unpack("H", 16) - 1) * PAGE
    head = Head(
        view.processor, points, frames, rate, scale, channels, samples, data_start, parameters
    )
    if channels * samples != analogs:
        found = f"{analogs} analog values in {samples} samples a frame"
        raise bad(view.path, "the header", found, ACCEPTED)
    return head


def _check(head: Head, path: Path, size: int) -> None:
    """One sentence when the numbers of the header cannot be."""
    if head.points > MOST_POINTS:
        raise bad(path, "the number of points", head.points, f"at most {MOST_POINTS}")
    if not 1e-3 < head.rate < 1e5:
        raise bad(path, "the rate", f"{head.rate:g} Hz", "a positive number of frames a second")
    if not (np.isfinite(head.scale) and head.scale != 0.0):
        raise bad(path, "POINT:SCALE", f"{head.scale:g}", "a number that is not zero")
    if head.frames < 1:
        raise bad(path, "the number of frames", head.frames, "at least one")
    if head.data_start < PAGE:
        raise bad(path, "the place of the data", f"byte {head.data_start}", "after the parameters")
    if head.bytes_per_frame == 0:
        raise bad(path, "the file", "without points and without analog channels", ACCEPTED)
    there = max(size - head.data_start, 0) // head.bytes_per_frame
    if there < head.frames:
        found = f"cut off: {there} of {head.frames} frames are there"
        raise bad(path, "the file", found, ACCEPTED)


def _parameters(view: _Bytes, start: int) -> dict[tuple[str, str], Value]:
    """All parameters by group and name, both in capitals; raises where the chain breaks."""
    end = min(start + max(view.unpack("B", start + 2), 1) * PAGE, len(view.data))
    groups: dict[int, str] = {}
    loose: list[tuple[int, str, Value]] = []
    at = start + 4
    for _ in range(MOST_PARAMETERS):
        if at >= end:
            break
        length = abs(view.unpack("b", at))
        if length == 0:
            break
        number = view.unpack("b", at + 1)
        name_end = at + 2 + length
        step = view.unpack("H", name_end)
        name = view.data[at + 2 : name_end].decode("latin-1").strip().upper()
        if number < 0:
            groups[-number] = name
        else:
            loose.append((number, name, _value(view, name_end + 2, name)))
        if step == 0:
            break
        at = name_end + step
        if at > len(view.data):
            raise bad(view.path, f"the parameter {name}", "longer than the file", ACCEPTED)
    else:
        raise bad(view.path, "the parameters", "without an end", ACCEPTED)
    return {(groups.get(number, "?"), name): value for number, name, value in loose}


def _value(view: _Bytes, at: int, name: str) -> Value:
    """Words or numbers of a parameter, in the dimensions it has."""
    kind, dimensions = view.unpack("b", at), view.unpack("B", at + 1)
    if kind not in (-1, 1, 2, 4):
        raise bad(view.path, f"the type of the parameter {name}", kind, "-1, 1, 2 or 4")
    if dimensions > 7:
        raise bad(view.path, f"the number of dimensions of {name}", dimensions, "at most 7")
    shape = tuple(view.unpack("B", at + 2 + k) for k in range(dimensions))
    count = int(np.prod(shape, dtype=object)) if shape else 1
    first = at + 2 + dimensions
    if first + count * abs(kind) > len(view.data):
        raise bad(view.path, f"the parameter {name}", "longer than the file", ACCEPTED)
    raw = view.data[first : first + count * abs(kind)]
    if kind == -1:
        width = max(shape[0], 1) if shape else 1
        text = raw.decode("latin-1")
        words = [text[k : k + width] for k in range(0, len(text), width)]
        return [word.split("\0")[0].strip() for word in words]
    if kind == 4:
        numbers = decoded_floats(raw, view.processor)
    else:
        numbers = np.frombuffer(raw, dtype="i1" if kind == 1 else f"{view.order}i2").astype(float)
    return numbers.reshape(shape, order="F") if shape else numbers


def _frames(first: int, last: int, parameters: dict[tuple[str, str], Value]) -> int:
    """How many frames the file promises; sixteen bits are too few for a long one."""
    if last < 65535:
        return last - first + 1
    fields = [parameters.get(("TRIAL", f"ACTUAL_{end}_FIELD")) for end in ("START", "END")]
    if all(isinstance(f, np.ndarray) and f.size == 2 for f in fields):
        low, high = (np.ravel(np.asarray(f)) % 65536 for f in fields)
        return int(high[0] + 65536 * high[1] - low[0] - 65536 * low[1] + 1)
    for name in ("LONG_FRAMES", "FRAMES"):
        value = parameters.get(("POINT", name))
        if isinstance(value, np.ndarray) and value.size:
            number = float(np.ravel(value)[0])
            return int(number % 65536 if name == "FRAMES" else number)
    return last - first + 1
