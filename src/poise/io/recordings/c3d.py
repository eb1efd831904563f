"""C3D: markers and force plates of a motion laboratory."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.io.recordings.axes import (
    mean_rise,
    metres_per_unit,
    rotation_to_z_up,
    spread_of,
    up_axis,
)
from poise.io.recordings.c3d_parameters import MIPS, Head, decoded_floats, read_head
from poise.io.recordings.labels import markers_among
from poise.io.recordings.plates import RawPlate, plate_axes, plates_in
from poise.io.source import Source, bad, counted
from poise.motion import Recording

DERIVED_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
MOMENT_UNITS = {"nmm": 1e-3, "n.mm": 1e-3, "n*mm": 1e-3, "nm": 1.0, "n.m": 1.0, "n*m": 1.0}
SUBJECT_GROUPS = ("PROCESSING", "SUBJECTS", "SUBJECT", "MP")
MOST_LENGTH = 1e6  # in the file's units: a marker beyond 1 km in mm was never seen


def read_c3d(source: Source) -> Recording:
    """Markers and force plates of a C3D file, z up, in metres; EVENT groups are not read."""
    head = read_head(source)
    points, analogs = c3d_data(source, head)
    columns = markers_among(_labels(head)[: head.points], _derived(head))
    if not columns:
        found = f"for {counted(head.points, 'point')}, none of them a named marker"
        raise bad(source.path, "POINT:LABELS", found, "markers with labels")
    raw = points[:, list(columns)]
    raw[np.all(raw == 0.0, axis=2)] = np.nan  # some files write zeros for what was not seen
    raw[~np.all(np.abs(raw) < MOST_LENGTH, axis=2)] = np.nan
    seen = np.isfinite(raw).all(axis=2).any(axis=0)
    if not seen.any():
        raise bad(source.path, "every marker", "never seen", "at least one marker in one frame")
    names = [name for name, was in zip(columns.values(), seen, strict=True) if was]
    raw = raw[:, seen]

    rise = mean_rise(names, raw)
    raw_plates, left_out = _raw_plates(head, analogs)
    normals = [plate_axes(plate.corners)[:, 2] for plate in raw_plates]
    normals = [n for n in normals if np.isfinite(n).all()]
    axis, sign, why = up_axis(rise, normals, _word(head, "POINT", "Y_SCREEN"))
    height = None if rise is None else abs(rise[axis])
    said = _word(head, "POINT", "UNITS")
    metre, unit = metres_per_unit(source.path, "POINT:UNITS", said, height, spread_of(raw))
    R_world_file = rotation_to_z_up(axis, sign)
    plates = plates_in(raw_plates, metre, R_world_file)
    notes: dict[str, Any] = {
        "format": "C3D",
        "units": unit,
        "up": f"{'+' if sign > 0 else '-'}{'xyz'[axis]} of the file, because {why}",
        "points_left_out": head.points - len(names),
        **_subject(head),
    }
    if left_out:
        notes["plates_left_out"] = left_out
    rate = head.number("POINT", "RATE") or head.rate
    markers = metre * raw @ R_world_file.T
    return Recording(source.path.name, rate, tuple(names), markers, plates, notes=notes)


def c3d_data(source: Source, head: Head) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, points, 3) in the file's units, NaN where not seen; analogs (samples, channels).

    Points are integers times a scale, or floats; so are the analogs, integers without a sign in
    some files.
    """
    size = head.frames * head.bytes_per_frame
    raw = source.data[head.data_start : head.data_start + size]
    words = 4 * head.points
    if head.scale < 0.0:
        table = decoded_floats(raw, head.processor).reshape(head.frames, -1)
        scale, analog = 1.0, table[:, words:]
    else:
        order = ">" if head.processor == MIPS else "<"
        whole = np.frombuffer(raw, dtype=f"{order}i2").reshape(head.frames, -1)
        table, scale = whole[:, :words].astype(float), head.scale
        unsigned = np.uint16 if _unsigned(head) else np.int16
        analog = whole[:, words:].astype(unsigned).astype(float)
    points = table[:, :words].reshape(head.frames, head.points, 4)
    with np.errstate(invalid="ignore"):
        gone = ~(points[:, :, 3] >= 0.0)  # the fourth word is negative where nothing was seen
    places = scale * points[:, :, :3]
    places[gone] = np.nan
    return places, _scaled(analog.reshape(-1, max(head.channels, 1)), head)


def _scaled(analog: np.ndarray, head: Head) -> np.ndarray:
    """Analog channels in their units."""
    channels = analog.shape[1]

    def row(name: str, usual: float) -> np.ndarray:
        values = head.numbers("ANALOG", name)
        out = np.full(channels, usual)
        if values is not None:
            flat = np.ravel(values)[:channels]
            out[: len(flat)] = flat
        return out

    general = head.numbers("ANALOG", "GEN_SCALE")
    factor = 1.0 if general is None else float(np.ravel(general)[0])
    offset = row("OFFSET", 0.0)
    if _unsigned(head):
        offset = offset % 65536.0
    return (analog - offset) * row("SCALE", 1.0) * factor


def _unsigned(head: Head) -> bool:
    return _word(head, "ANALOG", "FORMAT").upper() == "UNSIGNED"


def _word(head: Head, group: str, name: str) -> str:
    words = head.texts(group, name)
    return words[0] if words else ""


def _labels(head: Head) -> list[str]:
    """All labels: a parameter holds 255 of them, more go on in LABELS2, LABELS3, ..."""
    labels: list[str] = []
    for k in range(1, 100):
        more = head.texts("POINT", "LABELS" if k == 1 else f"LABELS{k}")
        if not more:
            break
        labels += more
    return labels


def _derived(head: Head) -> set[str]:
    """Labels that the file itself lists as results of a model."""
    return {label for group in DERIVED_GROUPS for label in head.texts("POINT", group)}


def _raw_plates(head: Head, analogs: np.ndarray) -> tuple[list[RawPlate], str]:
    """Plates as they stand in the file, and a word about those that cannot be read."""
    used, rate = head.number("FORCE_PLATFORM", "USED"), head.number("ANALOG", "RATE")
    if used is None or rate is None or not head.channels:
        return [], ""
    corners, channels, kinds = (
        head.numbers("FORCE_PLATFORM", name) for name in ("CORNERS", "CHANNEL", "TYPE")
    )
    if corners is None or channels is None or kinds is None or corners.size % 12:
        return [], f"{int(used)} without corners or channels"
    kinds = np.ravel(kinds)
    corners = np.ravel(corners, order="F").reshape(3, 4, -1, order="F")
    channels = channels.reshape(channels.shape[0], -1, order="F")
    plates, left_out = [], []
    for k in range(min(int(used), len(kinds), corners.shape[2], channels.shape[1])):
        kind = int(kinds[k])
        numbers = channels[: 8 if kind == 3 else 6, k].astype(int) - 1
        if kind not in (1, 2, 3, 4):
            left_out.append(f"plate {k + 1} is of type {kind}")
        elif len(numbers) < (8 if kind == 3 else 6):
            left_out.append(f"plate {k + 1} has {len(numbers)} channels")
        elif numbers.min() < 0 or numbers.max() >= analogs.shape[1]:
            left_out.append(f"plate {k + 1} points to channels that do not exist")
        elif not np.isfinite(corners[:, :, k]).all():
            left_out.append(f"plate {k + 1} has no corners")
        else:
            plates.append(_raw_plate(head, k, kind, corners[:, :, k].T, analogs, numbers, rate))
    return plates, "; ".join(left_out)


def _raw_plate(
    head: Head,
    k: int,
    kind: int,
    corners: np.ndarray,
    analogs: np.ndarray,
    numbers: np.ndarray,
    rate: float,
) -> RawPlate:
    origins = head.numbers("FORCE_PLATFORM", "ORIGIN")
    origin = np.zeros(3)
    if origins is not None and origins.size >= 3 * (k + 1):
        origin = np.nan_to_num(np.ravel(origins, order="F")[3 * k : 3 * k + 3])
    calibration = None
    matrices = head.numbers("FORCE_PLATFORM", "CAL_MATRIX")
    if kind == 4 and matrices is not None and matrices.size >= 36 * (k + 1):
        flat = np.nan_to_num(np.ravel(matrices, order="F")[36 * k : 36 * k + 36])
        calibration = flat.reshape(6, 6, order="F")
    units = head.texts("ANALOG", "UNITS")
    moment = int(numbers[5 if kind == 1 else 3])
    said = units[moment].lower() if kind != 3 and moment < len(units) else ""
    return RawPlate(
        kind, corners, origin, analogs[:, numbers], rate, MOMENT_UNITS.get(said), calibration
    )


def _subject(head: Head) -> dict[str, float]:
    """Mass [kg] and height [m] of the person, where a file tells them plausibly."""
    told: dict[str, float] = {}
    for group, name in head.parameters:
        if group not in SUBJECT_GROUPS:
            continue
        number = head.number(group, name)
        if number is not None:
            told.setdefault(name, number)
    for group in SUBJECT_GROUPS:
        values = head.numbers(group, "VALUES")
        if values is not None:
            for label, number in zip(head.texts(group, "LABELS"), np.ravel(values), strict=False):
                told.setdefault(label.upper(), float(number))
    facts: dict[str, float] = {}
    for name in ("BODYMASS", "MASS", "WEIGHT", "BODYWEIGHT"):
        if 5.0 < told.get(name, 0.0) < 300.0:
            facts.setdefault("mass", told[name])
    for unit in (1.0, 1e-2, 1e-3):
        if 0.5 < told.get("HEIGHT", 0.0) * unit < 2.6:
            facts.setdefault("height", told["HEIGHT"] * unit)
    return facts
