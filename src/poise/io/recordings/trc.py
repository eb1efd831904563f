"""TRC: markers as text, with the force file that lies beside it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from poise.io.recordings.axes import (
    mean_rise,
    metres_per_unit,
    rotation_to_z_up,
    spread_of,
    up_axis,
)
from poise.io.recordings.force_file import force_file_beside, read_forces
from poise.io.recordings.labels import markers_among
from poise.io.recordings.text_table import table_of
from poise.io.source import Source, bad, counted
from poise.motion import ForcePlate, Recording
from poise.motion.marker_names import recognised
from poise.motion.sidedness import all_wrong

ACCEPTED = "a TRC file: five header lines, then frame, time and three columns a marker"
MOST_MARKERS = 5_000


def is_trc(head: str) -> bool:
    """Whether text starts as TRC files do."""
    return head.lstrip().startswith("PathFileType")


def read_trc(source: Source) -> Recording:
    """Markers of a TRC file and forces of the file beside it, z up, in metres."""
    path = source.path
    lines = source.text().splitlines()
    if len(lines) < 6:
        raise bad(path, "the file", f"cut off after {counted(len(lines), 'line')}", ACCEPTED)
    header = dict(zip(lines[1].split(), lines[2].split(), strict=False))
    names = _names(lines[3])
    if not names:
        raise bad(path, "line 4", "without a marker", ACCEPTED)
    if len(names) > MOST_MARKERS:
        raise bad(path, "the number of markers", len(names), f"at most {MOST_MARKERS}")
    table = table_of(lines[5:], 2 + 3 * len(names), path, 6, tabs=True)
    table = table[np.isfinite(table[:, 1])] if len(table) else table
    promised = _whole(header.get("NumFrames"))
    if len(table) < 1 or (promised is not None and len(table) < promised):
        found = f"cut off: {len(table)} of {promised if promised else 'its'} frames are there"
        raise bad(path, "the file", found, "a whole TRC file")
    cells = [len(line.rstrip("\r\n").split("\t")) for line in lines[5:] if line.strip()]
    if len(cells) > 1 and cells[-1] < cells[-2]:
        raise bad(path, "the last line", "cut off", "a whole TRC file")
    rate = _rate(header, table[:, 1], source)
    columns = markers_among(names)
    if not columns:
        raise bad(path, "line 4", "without a named marker", ACCEPTED)
    raw = table[:, 2:].reshape(len(table), -1, 3)[:, list(columns)]
    raw[np.all(raw == 0.0, axis=2)] = np.nan
    seen = np.isfinite(raw).all(axis=2).any(axis=0)
    if not seen.any():
        raise bad(path, "the markers", "never seen", "at least one marker in one frame")
    kept = [name for name, was in zip(columns.values(), seen, strict=True) if was]
    raw = raw[:, seen]
    rise = mean_rise(kept, raw)
    axis, sign, why = up_axis(rise, (), "Y")  # the tools that write TRC have y up
    metre, unit = metres_per_unit(
        path,
        "Units",
        header.get("Units"),
        None if rise is None else abs(rise[axis]),
        spread_of(raw),
    )
    R_world_file = rotation_to_z_up(axis, sign)
    notes: dict[str, Any] = {
        "format": "TRC",
        "units": unit,
        "up": f"{'+' if sign > 0 else '-'}{'xyz'[axis]} of the file, because {why}",
    }
    markers = metre * raw @ R_world_file.T
    points = {mark: markers[:, kept.index(label)] for mark, label in recognised(kept).items()}
    if all_wrong(points):  # some tools exchange two axes on the way to y up
        R_world_file = np.diag([1.0, -1.0, 1.0]) @ R_world_file
        markers = metre * raw @ R_world_file.T
        notes["mirrored"] = "the file's axes are left-handed, or all its sides are swapped"
    plates: tuple[ForcePlate, ...] = ()
    beside = force_file_beside(path)
    if beside is not None:
        plates = read_forces(beside, float(table[0, 1]), markers, R_world_file, axis)
        notes["forces"] = f"{beside.name}, {counted(len(plates), 'plate')}"
    return Recording(path.name, rate, tuple(kept), markers, plates, notes=notes)


def _names(line: str) -> list[str]:
    """Names of the markers in the fourth line: one in three cells."""
    cells = [cell.strip() for cell in line.rstrip("\r\n").split("\t")]
    if len(cells) < 3:  # some tools write spaces
        return [name for name in re.split(r"\s+", line.strip())[2:] if name]
    return [cell for cell in cells[2:] if cell]


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None


def _rate(header: dict[str, str], time: np.ndarray, source: Source) -> float:
    """Frames a second: as said, unless the time column says otherwise."""
    steps = np.diff(time)
    if len(steps) and not (steps > 0.0).all():
        raise bad(source.path, "the time column", "not increasing", "seconds that increase")
    counted_rate = (len(time) - 1) / (time[-1] - time[0]) if len(time) > 1 else np.nan
    try:
        said = float(header.get("DataRate", "nan"))
    except ValueError:
        said = np.nan
    if np.isfinite(said) and said > 0.0:
        if np.isfinite(counted_rate) and abs(counted_rate / said - 1.0) > 0.05:
            return float(counted_rate)
        return said
    if not np.isfinite(counted_rate):
        raise bad(source.path, "DataRate", "missing", "frames a second")
    return float(counted_rate)
