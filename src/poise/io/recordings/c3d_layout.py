"""The plan of a C3D file, walked with care before any library may trust its numbers.

A C3D file says in its first pages how long everything is. A damaged or hostile file says it wrong,
and a reader that believes it waits, crashes or asks for all memory. Here every length is compared
with the bytes that exist.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from poise.io.source import Source, bad, counted

PAGE = 512  # bytes
MOST_BYTES = 400_000_000
MOST_POINTS = 5_000
MOST_PARAMETERS = 20_000
ACCEPTED = "a whole C3D file"
INTEL, DEC, MIPS = 84, 85, 86


@dataclass(frozen=True)
class Layout:
    """What the first pages promise, checked against the size of the file."""

    points: int
    frames: int
    rate: float  # [Hz]
    bytes_per_frame: int


class _Bytes:
    """Numbers at places of a file, which must exist."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.data, self.path, self.order = data, path, "<"

    def unpack(self, code: str, at: int) -> int:
        size = struct.calcsize(code)
        if at < 0 or at + size > len(self.data):
            found = f"cut off ({counted(len(self.data), 'byte')}, its pages point beyond the end)"
            raise bad(self.path, "the file", found, ACCEPTED)
        return struct.unpack_from(self.order + code, self.data, at)[0]

    def real(self, at: int, dec: bool) -> float:
        word = self.unpack("I", at)
        if dec:  # the halves of a DEC float are the other way round, and it counts in quarters
            word = ((word & 0xFFFF) << 16) | (word >> 16)
            return struct.unpack("<f", struct.pack("<I", word))[0] / 4.0
        return struct.unpack("<f", struct.pack("<I", word))[0]


def is_c3d(data: bytes) -> bool:
    """Whether bytes start as C3D files do."""
    return len(data) > 2 and data[1] == 0x50 and 1 < data[0] < 128


def check_layout(source: Source) -> Layout:
    """The plan of the file, or one sentence why it cannot be read."""
    data, path = source.data, source.path
    if not is_c3d(data):
        raise bad(path, "the first page", "not that of a C3D file", ACCEPTED)
    if len(data) > MOST_BYTES:
        raise bad(path, "the size", f"{len(data)} bytes", f"C3D of at most {MOST_BYTES} bytes")
    view = _Bytes(data, path)
    if len(data) < 2 * PAGE:
        found = f"cut off after {counted(len(data), 'byte')}"
        raise bad(path, "the file", found, ACCEPTED)
    start = (data[0] - 1) * PAGE
    processor = view.unpack("B", start + 3)
    if processor not in (INTEL, DEC, MIPS):
        found = f"{processor}, which no machine has"
        raise bad(path, "the processor type", found, "84 (Intel), 85 (DEC) or 86 (MIPS)")
    view.order = ">" if processor == MIPS else "<"
    parameters = _walk_parameters(view, start)

    points, analogs = view.unpack("H", 2), view.unpack("H", 4)
    first, last = view.unpack("H", 6), view.unpack("H", 8)
    frames = _frames(first, last, parameters)
    scale = view.real(12, processor == DEC)
    rate = view.real(20, processor == DEC)
    data_start = (view.unpack("H", 16) - 1) * PAGE
    if points > MOST_POINTS:
        raise bad(path, "the number of points", points, f"at most {MOST_POINTS}")
    if not (1e-3 < rate < 1e5):
        raise bad(path, "the rate", f"{rate:g} Hz", "a positive number of frames a second")
    if frames < 1:
        raise bad(path, "the number of frames", frames, "at least one")
    if data_start < PAGE:
        raise bad(path, "the place of the data", f"byte {data_start}", "behind the parameters")
    per_frame = (4 * points + analogs) * (4 if scale < 0.0 else 2)
    if per_frame == 0:
        raise bad(path, "the file", "without points and without analog channels", ACCEPTED)
    there = (len(data) - data_start) // per_frame if data_start < len(data) else 0
    if there < frames:
        found = f"cut off: {max(there, 0)} of {frames} frames are there"
        raise bad(path, "the file", found, ACCEPTED)
    return Layout(points, frames, rate, per_frame)


def _walk_parameters(view: _Bytes, start: int) -> dict[tuple[str, str], list[float]]:
    """Small numeric parameters, by group and name; raises where the chain leaves the file."""
    pages = view.unpack("B", start + 2)
    end = min(start + max(pages, 1) * PAGE, len(view.data))
    groups: dict[int, str] = {}
    loose: list[tuple[int, str, list[float]]] = []
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
            loose.append((number, name, _values(view, name_end + 2, name)))
        if step == 0:
            break
        at = name_end + step
        if at > len(view.data):
            raise bad(view.path, f"the parameter {name}", "longer than the file", ACCEPTED)
    else:
        raise bad(view.path, "the parameters", "without an end", ACCEPTED)
    return {(groups.get(number, "?"), name): values for number, name, values in loose}


def _values(view: _Bytes, at: int, name: str) -> list[float]:
    """Numbers of a parameter when there are few, after checking that its data exist."""
    kind, dimensions = view.unpack("b", at), view.unpack("B", at + 1)
    if kind not in (-1, 1, 2, 4):
        raise bad(view.path, f"the type of the parameter {name}", kind, "-1, 1, 2 or 4")
    if dimensions > 7:
        raise bad(view.path, f"the dimensions of {name}", dimensions, "at most 7")
    count = 1
    for k in range(dimensions):
        count *= view.unpack("B", at + 2 + k)
    first = at + 2 + dimensions
    if first + count * abs(kind) > len(view.data):
        raise bad(view.path, f"the parameter {name}", "longer than the file", ACCEPTED)
    if count > 4 or kind == -1:
        return []
    if kind == 4:
        return [view.real(first + 4 * k, False) for k in range(count)]
    code = "b" if kind == 1 else "H"
    return [float(view.unpack(code, first + abs(kind) * k)) for k in range(count)]


def _frames(first: int, last: int, parameters: dict[tuple[str, str], list[float]]) -> int:
    """How many frames the file promises; sixteen bits are too few for a long one."""
    if last < 65535:
        return last - first + 1
    field_start = parameters.get(("TRIAL", "ACTUAL_START_FIELD"), [])
    field_end = parameters.get(("TRIAL", "ACTUAL_END_FIELD"), [])
    if len(field_start) == 2 and len(field_end) == 2:
        first = int(field_start[0] + 65536 * field_start[1])
        last = int(field_end[0] + 65536 * field_end[1])
        return last - first + 1
    for key in (("POINT", "LONG_FRAMES"), ("POINT", "FRAMES")):
        if parameters.get(key):
            return int(parameters[key][0])
    return last - first + 1
