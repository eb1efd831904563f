"""Force files beside a TRC file: OpenSim's .mot and .sto, Cortex' .forces.

They give force, centre of pressure and free moment of each plate or foot, and no corners; the box
around the centres of pressure stands for the plate.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from poise.io.recordings.axes import rotation_to_z_up
from poise.io.recordings.text_table import table_of
from poise.io.source import Source, bad, read_source
from poise.motion import ForcePlate

SUFFIXES = (".forces", ".mot", ".sto")
FILLERS = {
    "grf",
    "grfs",
    "force",
    "forces",
    "marker",
    "markers",
    "trc",
    "mot",
    "trajectories",
    "exp",
}
CORTEX = re.compile(r"^\s*\[Force Data\]")
LEAST = 20.0  # [N], vertical, for a centre of pressure to mean something
ACCEPTED = "force columns such as ground_force_vx, ..._px, or FX1, ..., X1, ..., MZ1"


def _words(stem: str) -> frozenset[str]:
    """What a file name is about, without the words that say which kind of file it is."""
    return frozenset(re.split(r"[\s_\-.]+", stem.lower())) - FILLERS


def force_file_beside(path: Path) -> Path | None:
    """The force file that goes with a marker file, by its name, or None."""
    about = _words(path.stem)
    try:
        files = sorted(p for p in path.parent.iterdir() if p.suffix.lower() in SUFFIXES)
    except OSError:
        return None
    exact = [p for p in files if p.stem == path.stem]
    for file in exact + [p for p in files if _words(p.stem) == about and p not in exact]:
        try:
            with file.open("rb") as stream:
                head = stream.read(8192).decode("latin-1")
        except OSError:
            continue
        if CORTEX.match(head) or re.search(r"force\w*_?v[xyz]", head, re.IGNORECASE):
            return file
    return None


def read_forces(
    path: Path, start: float, markers: np.ndarray, R_world_file: np.ndarray, up: int
) -> tuple[ForcePlate, ...]:
    """Plates of a force file, in the world.

    Args:
        path: of the force file.
        start: time of the first marker frame in the files' clock [s].
        markers: of the recording [m], to tell metres from millimetres.
        R_world_file: turns the marker file's axes into the world's.
        up: axis of the marker file that points up.
    """
    source = read_source(path)
    lines = source.text().splitlines()
    if CORTEX.match(source.text()[:200]):
        time, blocks = _cortex(lines, source, up)
    else:
        time, blocks = _opensim(lines, source)
    if len(time) < 2 or not (np.diff(time) > 0.0).all():
        raise bad(path, "the time column", "not increasing", "seconds that increase")
    rate = (len(time) - 1) / (time[-1] - time[0])
    reach = float(np.nanmax(np.abs(markers)))
    plates = []
    for force, place, free in blocks:
        plates.append(_plate(force, place, free, rate, R_world_file, up, reach))
    shift = round((start - time[0]) * rate)
    return tuple(_from(plate, shift) for plate in plates)


def _from(plate: ForcePlate, samples: int) -> ForcePlate:
    """The plate from a sample on; before its first sample nobody stands on it."""
    if samples == 0:
        return plate
    if samples > 0:
        force, moment = plate.force[samples:], plate.moment[samples:]
    else:
        empty = np.zeros((-samples, 3))
        force, moment = np.vstack([empty, plate.force]), np.vstack([empty, plate.moment])
    return ForcePlate(plate.corners, plate.rate, force, moment, plate.notes)


Blocks = list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def _cortex(lines: list[str], source: Source, up: int) -> tuple[np.ndarray, Blocks]:
    header = {}
    at = 0
    for at, line in enumerate(lines[:20]):  # noqa: B007 - the header line is wanted after the loop
        if line.startswith("#"):
            break
        if "=" in line:
            key, value = line.split("=", 1)
            header[key.strip()] = value.strip()
    names = lines[at].lstrip("#").split()
    table = table_of(lines[at + 1 :], len(names), source.path, at + 2, tabs=False)
    try:
        rate = float(header["SampleRate"])
    except (KeyError, ValueError):
        raise bad(source.path, "SampleRate", "missing", "samples a second") from None
    if not rate > 0.0:
        raise bad(source.path, "SampleRate", f"{rate:g}", "a positive number")
    index = {name.upper(): k for k, name in enumerate(names)}
    blocks = []
    for k in range(1, 100):
        wanted = [f"{letter}{k}" for letter in ("FX", "FY", "FZ", "X", "Y", "Z")]
        if not all(name in index for name in wanted):
            break
        columns = [index[name] for name in wanted]
        free = np.zeros((len(table), 3))
        if f"MZ{k}" in index:  # Cortex calls the free moment MZ whichever axis is up
            free[:, up] = table[:, index[f"MZ{k}"]]
        blocks.append((table[:, columns[:3]], table[:, columns[3:]], free))
    if not blocks:
        raise bad(source.path, "the columns", " ".join(names[:8]), ACCEPTED)
    return np.arange(len(table)) / rate, blocks


def _opensim(lines: list[str], source: Source) -> tuple[np.ndarray, Blocks]:
    at = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), -1)
    names = lines[at + 1].split() if at + 1 < len(lines) else []
    index = {name.lower(): k for k, name in enumerate(names)}
    table = table_of(lines[at + 2 :], max(len(names), 1), source.path, at + 3, tabs=False)
    blocks = []
    for name in names:
        match = re.match(r"^(.*force.*_)vx$", name, re.IGNORECASE)
        if match is None:
            continue
        stem = match[1].lower()
        force = _columns(index, [f"{stem}v{a}" for a in "xyz"])
        place = _columns(index, [f"{stem}p{a}" for a in "xyz"])
        free = _columns(index, [stem.replace("force", "torque") + a for a in "xyz"])
        free = free or _columns(index, [stem.replace("force", "moment") + a for a in "xyz"])
        if force and place:
            torque = table[:, free] if free else np.zeros((len(table), 3))
            blocks.append((table[:, force], table[:, place], torque))
    if not blocks or "time" not in index:
        raise bad(source.path, "the columns", " ".join(names[:8]) or "none", ACCEPTED)
    return table[:, index["time"]], blocks


def _columns(index: dict[str, int], names: list[str]) -> list[int]:
    """Places of columns, or nothing when one is missing."""
    return [index[name] for name in names] if all(name in index for name in names) else []


def _plate(
    force: np.ndarray,
    place: np.ndarray,
    free: np.ndarray,
    rate: float,
    R_world_file: np.ndarray,
    up: int,
    reach: float,
) -> ForcePlate:
    """Force and moment in the world; what the file calls vertical is found from the numbers."""
    force, place, free = np.nan_to_num(force), np.nan_to_num(place), np.nan_to_num(free)
    vertical = int(np.argmax(np.abs(force).max(axis=0)))
    R = R_world_file if vertical == up else rotation_to_z_up(vertical, 1)
    force, free = force @ R.T, np.linalg.det(R) * free @ R.T  # a moment mirrors the other way
    if -force[:, 2].min() > force[:, 2].max():
        force, free = -force, -free
    loaded = force[:, 2] > LEAST
    if loaded.any() and np.abs(place[loaded]).max() > 20.0 * max(reach, 0.1):
        place = 1e-3 * place  # millimetres
    if np.abs(free).max() > 2.5 * np.abs(force).max():
        free = 1e-3 * free  # N mm
    place = place @ R.T
    corners = _box(place[loaded])
    moment = np.cross(place - corners.mean(axis=0), force) + free
    moment[~loaded] = 0.0
    notes = {"type": "centre of pressure", "corners": "box around the centres of pressure"}
    return ForcePlate(corners, rate, force, moment, notes)


def _box(points: np.ndarray) -> np.ndarray:
    """Corners of the level box around points, counter-clockwise, (4, 3)."""
    if not len(points):
        return np.zeros((4, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    z = float(np.median(points[:, 2]))
    return np.array(
        [[high[0], high[1], z], [low[0], high[1], z], [low[0], low[1], z], [high[0], low[1], z]]
    )
