"""Writing a recording as a real C3D file, markers and force plates (type 2)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import ezc3d
import numpy as np

from poise.files import write_whole
from poise.io.recordings.plates import plate_axes
from poise.io.source import bad
from poise.motion import Recording

MM = 1000.0  # in a metre


def write_c3d(
    recording: Recording, path: str | Path, subject: Mapping[str, float] | None = None
) -> None:
    """Write markers and force plates; gaps stay gaps, z stays up, lengths are millimetres.

    Args:
        recording: with markers; plates must share one rate that is a multiple of the markers'.
        path: the file, written whole or not at all.
        subject: "mass" [kg] and "height" [m], kept with the file.
    """
    path = Path(path)
    if not len(recording.markers):
        raise bad(path, "the recording", "without markers", "a recording with markers")
    file = ezc3d.c3d()
    points = np.ones((4, len(recording.marker_names), len(recording)))
    points[:3] = MM * recording.markers.transpose(2, 1, 0)
    gone = ~np.isfinite(points[:3]).all(axis=0)
    points[:3, gone] = np.nan
    residuals = np.where(gone, -1.0, 0.0)[None]
    file["data"]["points"] = points
    file["data"]["meta_points"]["residuals"] = residuals
    file["parameters"]["POINT"]["RATE"]["value"] = [recording.rate]
    file["parameters"]["POINT"]["LABELS"]["value"] = list(recording.marker_names)
    file["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    file.add_parameter("POINT", "X_SCREEN", ["+X"])
    file.add_parameter("POINT", "Y_SCREEN", ["+Z"])
    _add_plates(file, recording, path)
    for name, value in (subject or {}).items():
        key, unit = {"mass": ("BODYMASS", 1.0), "height": ("HEIGHT", MM)}[name]
        file.add_parameter("PROCESSING", key, [float(value) * unit])
    handle, scratch = tempfile.mkstemp(suffix=".c3d")
    os.close(handle)
    try:
        file.write(scratch)
        data = Path(scratch).read_bytes()
    finally:
        Path(scratch).unlink(missing_ok=True)
    with write_whole(path) as out:
        out.write(data)


def _add_plates(file: ezc3d.c3d, recording: Recording, path: Path) -> None:
    plates = recording.plates
    if not plates:
        return
    rate = plates[0].rate
    ratio = round(rate / recording.rate)
    if ratio < 1 or any(abs(p.rate - ratio * recording.rate) > 1e-6 * rate for p in plates):
        found = f"{rate:g} Hz beside markers at {recording.rate:g} Hz"
        raise bad(path, "the rate of the plates", found, "one rate, a multiple of the markers'")
    samples = ratio * len(recording)
    columns, labels, units = [], [], []
    for k, plate in enumerate(plates, start=1):
        R = plate_axes(plate.corners)  # R_world_plate, z down for corners in the usual order
        force, moment = -plate.force @ R, -MM * plate.moment @ R  # what the person does
        block = np.zeros((samples, 6))
        count = min(samples, len(force))
        block[:count] = np.hstack([force, moment])[:count]
        columns.append(block)
        labels += [f"Force.F{a}{k}" for a in "xyz"] + [f"Moment.M{a}{k}" for a in "xyz"]
        units += ["N"] * 3 + ["Nmm"] * 3
    file["data"]["analogs"] = np.hstack(columns).T[None]
    analog = file["parameters"]["ANALOG"]
    analog["RATE"]["value"] = [rate]
    analog["LABELS"]["value"] = labels
    analog["UNITS"]["value"] = units
    count = len(plates)
    corners = np.stack([MM * plate.corners.T for plate in plates], axis=2)
    file.add_parameter("FORCE_PLATFORM", "USED", [count])
    file.add_parameter("FORCE_PLATFORM", "TYPE", [2] * count)
    file.add_parameter("FORCE_PLATFORM", "ZERO", [1, 0])
    file.add_parameter("FORCE_PLATFORM", "CORNERS", corners)
    file.add_parameter("FORCE_PLATFORM", "ORIGIN", np.zeros((3, count)))
    file.add_parameter(
        "FORCE_PLATFORM", "CHANNEL", np.arange(1.0, 6.0 * count + 1).reshape(6, count, order="F")
    )
