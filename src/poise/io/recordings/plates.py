"""Force plates of a C3D file: raw channels to a wrench on the person, in the world.

The four classical kinds: 1 (force, centre of pressure, free moment), 2 (force and moment),
3 (eight piezo channels), 4 (as 2, behind a calibration matrix). The file gives what the person does
to the plate, in the axes of the plate, about a point below its surface; here it is moved to the
middle of the surface, turned into the world and reversed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.motion import ForcePlate

LEAST_UNLOADED = 0.1  # [s], of silence before an offset may be removed
MOST_OFFSET = 45.0  # [N], of an unloaded plate
ROUND_THE_PLATE = 0.05  # [m], that a centre of pressure may lie beside it


@dataclass(frozen=True, eq=False)
class RawPlate:
    """A plate as the file has it."""

    kind: int
    corners: np.ndarray  # (4, 3), in the file's units and axes
    origin: np.ndarray  # (3,), in the file's units, plate axes
    channels: np.ndarray  # (n, 6 or 8)
    rate: float  # [Hz]
    moment_unit: float | None  # [N m] of one unit of moment, where the file tells
    calibration: np.ndarray | None = None  # (6, 6)


def plate_axes(corners: np.ndarray) -> np.ndarray:
    """R_file_plate from the corners, which go round from the plate's (+x, +y)."""
    x = corners[0] + corners[3] - corners[1] - corners[2]
    y = corners[0] + corners[1] - corners[2] - corners[3]
    z = np.cross(x, y)
    y = np.cross(z, x)
    lengths = [float(np.linalg.norm(v)) for v in (x, y, z)]
    if min(lengths) < 1e-12:
        return np.full((3, 3), np.nan)
    return np.column_stack([x / lengths[0], y / lengths[1], z / lengths[2]])


def plate_of(raw: RawPlate, metre: float, R_world_file: np.ndarray) -> ForcePlate | None:
    """The plate in the world, or None when its corners or channels say nothing.

    Args:
        raw: as in the file.
        metre: of one unit of the file [m].
        R_world_file: turns the file's axes into the world's.
    """
    R_file_plate = plate_axes(raw.corners)
    if not np.isfinite(R_file_plate).all() or not len(raw.channels):
        return None
    origin = raw.origin * metre
    if origin[2] > 0.0:  # the surface is above the sensor and plate z points down
        origin = -origin
    channels = np.nan_to_num(raw.channels)
    offset = unloaded_offset(channels, raw.kind, raw.calibration, raw.rate)
    force, moment = _wrench(channels - offset, raw, origin, metre)
    R = R_world_file @ R_file_plate
    force, moment = force @ R.T, moment @ R.T
    # the ground can only push: a plate that says otherwise tells the person's side
    if -force[:, 2].min() > force[:, 2].max():
        force, moment = -force, -moment
    corners = metre * raw.corners @ R_world_file.T
    removed = float(np.linalg.norm(_force_of(offset[None], raw.kind, raw.calibration)))
    notes = {"type": raw.kind, "offset_removed_N": round(removed, 3)}
    return ForcePlate(corners, raw.rate, force, moment, notes)


def unloaded_offset(
    channels: np.ndarray, kind: int, calibration: np.ndarray | None, rate: float
) -> np.ndarray:
    """Reading of every channel while nobody stands on the plate, zero if someone always does."""
    offset = np.zeros(channels.shape[1])
    vertical = _force_of(channels, kind, calibration)[:, 2]
    quiet = np.abs(vertical) < MOST_OFFSET
    if quiet.sum() < LEAST_UNLOADED * rate:
        return offset
    level = np.median(vertical[quiet])
    noise = 1.4826 * np.median(np.abs(vertical[quiet] - level))
    quiet &= np.abs(vertical - level) < 2.0 + 4.0 * noise
    if quiet.sum() < LEAST_UNLOADED * rate:
        return offset
    count = 3 if kind == 1 else channels.shape[1]  # a centre of pressure has no offset
    offset[:count] = np.median(channels[quiet, :count], axis=0)
    return offset


def _force_of(channels: np.ndarray, kind: int, calibration: np.ndarray | None) -> np.ndarray:
    if kind == 3:
        c = channels
        return np.column_stack([c[:, 0] + c[:, 1], c[:, 2] + c[:, 3], c[:, 4:8].sum(axis=1)])
    if kind == 4 and calibration is not None:
        return channels[:, :6] @ calibration.T[:, :3]
    return channels[:, :3]


def _wrench(
    channels: np.ndarray, raw: RawPlate, origin: np.ndarray, metre: float
) -> tuple[np.ndarray, np.ndarray]:
    """Force [N] and moment about the middle of the surface [N m], in the plate's axes."""
    force = _force_of(channels, raw.kind, raw.calibration)
    if raw.kind == 1:
        place = np.column_stack([channels[:, 3], channels[:, 4], np.zeros(len(channels))]) * metre
        free = np.column_stack([np.zeros((len(channels), 2)), channels[:, 5]])
        unit = metre if raw.moment_unit is None else raw.moment_unit
        return force, np.cross(place, force) + unit * free
    if raw.kind == 3:
        a, b, c = abs(origin[0]), abs(origin[1]), channels
        about_sensor = np.column_stack(
            [
                b * (c[:, 4] + c[:, 5] - c[:, 6] - c[:, 7]),
                a * (-c[:, 4] + c[:, 5] + c[:, 6] - c[:, 7]),
                b * (-c[:, 0] + c[:, 1]) + a * (c[:, 2] - c[:, 3]),
            ]
        )
        depth = np.array([0.0, 0.0, origin[2]])
        return force, about_sensor - np.cross(depth, force)
    six = channels[:, :6] if raw.calibration is None else channels[:, :6] @ raw.calibration.T
    unit, sign = _unit_and_sign(raw, force, six[:, 3:6], origin, metre)
    # about the middle of the surface: the arm goes from there to the sensor
    return force, six[:, 3:6] * unit - np.cross(sign * origin, force)


def _unit_and_sign(
    raw: RawPlate, force: np.ndarray, sensed: np.ndarray, origin: np.ndarray, metre: float
) -> tuple[float, float]:
    """[N m] of one unit of moment and the sense of the origin, as the file says.

    Some files say either wrong; then the force would act beside the plate, and the first reading
    that keeps it on the plate is taken.
    """
    said = metre if raw.moment_unit is None else raw.moment_unit
    loaded = np.abs(force[:, 2]) > max(50.0, 0.3 * np.abs(force[:, 2]).max())
    if loaded.sum() < 5:
        return said, 1.0
    sides = raw.corners[0] - raw.corners[1], raw.corners[0] - raw.corners[3]
    half = 0.5 * metre * np.array([np.linalg.norm(side) for side in sides]) + ROUND_THE_PLATE

    def on_the_plate(unit: float, sign: float) -> bool:
        about = sensed[loaded] * unit - np.cross(sign * origin, force[loaded])
        place = np.column_stack([-about[:, 1], about[:, 0]]) / force[loaded, 2:]
        return bool((np.abs(np.median(place, axis=0)) < half).all())

    for unit in dict.fromkeys((said, 1e-3, 1.0, 1e-2)):
        for sign in (1.0, -1.0):
            if on_the_plate(unit, sign):
                return unit, sign
    return said, 1.0


def plates_in(raws: Sequence[RawPlate], metre: float, R: np.ndarray) -> tuple[ForcePlate, ...]:
    """All plates of a file that can be used, in the world."""
    plates = (plate_of(raw, metre, R) for raw in raws)
    return tuple(plate for plate in plates if plate is not None)
