"""C3D: markers and force plates of a motion laboratory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ezc3d
import numpy as np

from poise.io.recordings.axes import (
    mean_rise,
    metres_per_unit,
    rotation_to_z_up,
    spread_of,
    up_axis,
)
from poise.io.recordings.c3d_layout import ACCEPTED, check_layout
from poise.io.recordings.labels import markers_among
from poise.io.recordings.plates import RawPlate, plate_axes, plates_in
from poise.io.source import Source, bad, counted, one_line
from poise.motion import Recording

DERIVED_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
MOMENT_UNITS = {"nmm": 1e-3, "n.mm": 1e-3, "n*mm": 1e-3, "nm": 1.0, "n.m": 1.0, "n*m": 1.0}
SUBJECT_GROUPS = ("PROCESSING", "SUBJECTS", "SUBJECT", "MP")
MOST_LENGTH = 1e6  # in the file's units: a marker beyond 1 km in mm was never seen
Groups = Mapping[str, Any]


def read_c3d(source: Source) -> Recording:
    """Markers and force plates of a C3D file, z up, in metres; EVENT groups are not read."""
    layout = check_layout(source)
    try:
        file = ezc3d.c3d(str(source.path))
    except (RuntimeError, OSError, ValueError, IndexError, MemoryError) as error:
        raise bad(source.path, "the file", f"damaged ({one_line(error)})", ACCEPTED) from None
    groups = file["parameters"]
    points = np.asarray(file["data"]["points"])
    if points.ndim != 3 or points.shape[2] < 1:
        raise bad(source.path, "the points", "without a frame", ACCEPTED)
    labels = _labels(groups)
    columns = markers_among(labels[: points.shape[1]], _derived(groups))
    if not columns:
        found = f"{counted(points.shape[1], 'point')}, none of them a named marker"
        raise bad(source.path, "POINT:LABELS", found, "markers with labels")
    raw = np.ascontiguousarray(points[:3, list(columns)].transpose(2, 1, 0), dtype=float)
    raw[np.all(raw == 0.0, axis=2) | np.any(np.abs(raw) > MOST_LENGTH, axis=2)] = np.nan
    names = list(columns.values())
    seen = np.isfinite(raw).all(axis=2).any(axis=0)
    if not seen.any():
        raise bad(source.path, "the markers", "never seen", "at least one marker in one frame")
    names = [name for name, was in zip(names, seen, strict=True) if was]
    raw = raw[:, seen]

    rise = mean_rise(names, raw)
    said = _text(groups, "POINT", "UNITS")
    raw_plates, left_out = _raw_plates(groups, np.asarray(file["data"]["analogs"]), layout.rate)
    normals = [plate_axes(plate.corners)[:, 2] for plate in raw_plates]
    normals = [n for n in normals if np.isfinite(n).all()]
    axis, sign, why = up_axis(rise, normals, _text(groups, "POINT", "Y_SCREEN"))
    metre, unit = metres_per_unit(
        source.path, "POINT:UNITS", said, None if rise is None else abs(rise[axis]), spread_of(raw)
    )
    R_world_file = rotation_to_z_up(axis, sign)
    plates = plates_in(raw_plates, metre, R_world_file)
    rate = _number(groups, "POINT", "RATE") or layout.rate
    notes: dict[str, Any] = {
        "format": "C3D",
        "units": unit,
        "up": f"{'+' if sign > 0 else '-'}{'xyz'[axis]} of the file, because {why}",
        "points_left_out": points.shape[1] - len(names),
        **_subject(groups),
    }
    if left_out:
        notes["plates_left_out"] = left_out
    markers = metre * raw @ R_world_file.T
    return Recording(source.path.name, float(rate), tuple(names), markers, plates, notes=notes)


def _value(groups: Groups, group: str, name: str) -> Any:
    """Value of a parameter, or None."""
    if group not in groups or name not in groups[group]:
        return None
    return groups[group][name].get("value")


def _number(groups: Groups, group: str, name: str) -> float | None:
    value = _value(groups, group, name)
    if value is None or isinstance(value, list) or np.size(value) < 1:
        return None
    number = float(np.ravel(value)[0])
    return number if np.isfinite(number) and number > 0.0 else None


def _text(groups: Groups, group: str, name: str) -> str:
    value = _value(groups, group, name)
    return str(value[0]) if isinstance(value, list) and value else ""


def _labels(groups: Groups) -> list[str]:
    """All labels: a parameter holds 255 of them, more go on in LABELS2, LABELS3, ..."""
    labels: list[str] = []
    for k in range(1, 100):
        more = _value(groups, "POINT", "LABELS" if k == 1 else f"LABELS{k}")
        if not isinstance(more, list):
            break
        labels.extend(str(label) for label in more)
    return labels


def _derived(groups: Groups) -> set[str]:
    derived: set[str] = set()
    for group in DERIVED_GROUPS:
        value = _value(groups, "POINT", group)
        if isinstance(value, list):
            derived.update(str(label) for label in value)
    return derived


def _raw_plates(groups: Groups, analogs: np.ndarray, rate: float) -> tuple[list[RawPlate], str]:
    """Plates as they stand in the file, and a word about those that cannot be read."""
    corners = _table(groups, "CORNERS")
    channels = _table(groups, "CHANNEL")
    origins = _table(groups, "ORIGIN")
    kinds = _table(groups, "TYPE")
    used = _number(groups, "FORCE_PLATFORM", "USED")
    analog_rate = _number(groups, "ANALOG", "RATE")
    if used is None or analog_rate is None or analogs.ndim != 3:
        return [], ""
    if corners is None or channels is None or kinds is None or corners.size < 12:
        return [], f"{int(used)} without corners or channels"
    units = _value(groups, "ANALOG", "UNITS")
    plates, left_out = [], []
    kinds = np.ravel(kinds)
    corners = corners.reshape(3, 4, -1, order="F")
    channels = channels.reshape(channels.shape[0], -1, order="F")
    origins = np.zeros((3, 0)) if origins is None else origins.reshape(3, -1, order="F")
    calibrations = _table(groups, "CAL_MATRIX")
    for k in range(min(int(used), len(kinds), corners.shape[2], channels.shape[1])):
        kind = int(kinds[k])
        count = 8 if kind == 3 else 6
        numbers = channels[:count, k].astype(int) - 1
        if kind not in (1, 2, 3, 4):
            left_out.append(f"plate {k + 1} is of type {kind}")
            continue
        if len(numbers) < count or numbers.min() < 0 or numbers.max() >= analogs.shape[1]:
            left_out.append(f"plate {k + 1} points to channels that do not exist")
            continue
        calibration = None
        if kind == 4 and calibrations is not None and calibrations.size >= 36 * (k + 1):
            calibration = calibrations.reshape(6, 6, -1, order="F")[:, :, k].astype(float)
        plates.append(
            RawPlate(
                kind,
                corners[:, :, k].T.astype(float),
                origins[:, k].astype(float) if k < origins.shape[1] else np.zeros(3),
                analogs[0, numbers].T.astype(float),
                analog_rate,
                _moment_unit(units, numbers[3 if kind != 1 else 5]) if kind != 3 else None,
                calibration,
            )
        )
    return plates, "; ".join(left_out)


def _table(groups: Groups, name: str) -> np.ndarray | None:
    value = _value(groups, "FORCE_PLATFORM", name)
    return value if isinstance(value, np.ndarray) and value.size else None


def _moment_unit(units: Any, channel: int) -> float | None:
    if not isinstance(units, list) or channel >= len(units):
        return None
    return MOMENT_UNITS.get(str(units[channel]).strip().lower())


def _subject(groups: Groups) -> dict[str, float]:
    """Mass [kg] and height [m] of the person, where a file tells them plausibly."""
    told: dict[str, float] = {}
    for group in groups:
        if group.upper() not in SUBJECT_GROUPS:
            continue
        for name in groups[group]:
            number = _number(groups, group, name) if name != "__METADATA__" else None
            if number is not None:
                told.setdefault(name.upper(), number)
        labels, values = _value(groups, group, "LABELS"), _value(groups, group, "VALUES")
        if isinstance(labels, list) and isinstance(values, np.ndarray):
            for label, number in zip(labels, np.ravel(values), strict=False):
                told.setdefault(str(label).strip().upper(), float(number))
    facts: dict[str, float] = {}
    for name in ("BODYMASS", "MASS", "WEIGHT", "BODYWEIGHT"):
        if 5.0 < told.get(name, 0.0) < 300.0:
            facts.setdefault("mass", told[name])
    for unit in (1.0, 1e-2, 1e-3):
        if 0.5 < told.get("HEIGHT", 0.0) * unit < 2.6:
            facts.setdefault("height", told["HEIGHT"] * unit)
    return facts
