"""Which way is up, and how long is a metre, in a file that may not say so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from poise.io.source import bad
from poise.motion.marker_names import HIGH, LOW, landmark_of

METRES = {  # one unit in metres
    "mm": 1e-3,
    "millimeters": 1e-3,
    "millimetres": 1e-3,
    "millimeter": 1e-3,
    "cm": 1e-2,
    "centimeters": 1e-2,
    "centimetres": 1e-2,
    "dm": 1e-1,
    "m": 1.0,
    "meters": 1.0,
    "metres": 1.0,
    "meter": 1.0,
    "in": 0.0254,
    "inch": 0.0254,
    "inches": 0.0254,
    "ft": 0.3048,
    "feet": 0.3048,
}
PLAIN_UNITS = ("mm", "cm", "m", "in")
TALL = (0.30, 1.45)  # [m], of pelvis and trunk markers above the feet: a small child, a tall man
WIDE = (0.10, 4.0)  # [m], spread of all markers of one frame, where no label is known


def rotation_to_z_up(up: int, sign: int) -> np.ndarray:
    """R_world_file that makes a signed axis of the file the z of the world.

    The other axes keep their names as far as a rotation allows: y up turns about x, x up about y.
    """
    if up == 2:
        return np.eye(3) if sign > 0 else np.diag([1.0, -1.0, -1.0])
    if up == 1:
        R = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        return R if sign > 0 else np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    R = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    return R if sign > 0 else np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


def mean_rise(labels: Sequence[str], markers: np.ndarray) -> np.ndarray | None:
    """Mean vector from the feet to pelvis and trunk, in the file's axes and units, or None."""
    low, high = [], []
    for k, label in enumerate(labels):
        landmark = landmark_of(label)
        if landmark is None:
            continue
        place = landmark.removeprefix("left_").removeprefix("right_")
        if place in LOW:
            low.append(k)
        elif place in HIGH:
            high.append(k)
    if not low or not high or not len(markers):
        return None
    # a frame counts once both ends were seen; the medians do not mind who else is missing
    rise = _mean(markers[:, high]) - _mean(markers[:, low])
    rise = rise[np.isfinite(rise).all(axis=1)]
    return np.median(rise, axis=0) if len(rise) else None


def _mean(points: np.ndarray) -> np.ndarray:
    """Mean over the points that were seen, (n, 3), NaN where none was."""
    seen = np.isfinite(points)
    count = seen.sum(axis=1)
    return np.where(
        count > 0, np.where(seen, points, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan
    )


def up_axis(
    rise: np.ndarray | None, normals: Sequence[np.ndarray] = (), said: str = ""
) -> tuple[int, int, str]:
    """Axis that points up, its sign, and why.

    Args:
        rise: from the feet to the trunk, in the file's axes, where labels are known.
        normals: of force plates.
        said: what the file says, e.g. "+Z".
    """
    if rise is not None:
        axis = int(np.argmax(np.abs(rise)))
        if abs(rise[axis]) > 0.75 * np.linalg.norm(rise):
            return axis, 1 if rise[axis] > 0 else -1, "the trunk is above the feet"
    if len(normals):
        normal = np.abs(np.sum([np.abs(n) for n in normals], axis=0))
        axis = int(np.argmax(normal))
        if normal[axis] > 0.9 * np.linalg.norm(normal):
            sign = -1 if rise is not None and rise[axis] < 0 else 1
            return axis, sign, "the force plates lie flat"
    letter = said.strip().upper().lstrip("+-")
    if letter in ("X", "Y", "Z"):
        return "XYZ".index(letter), 1, "the file says so"
    return 2, 1, "nothing says otherwise"


def metres_per_unit(
    path: Path, field: str, said: str | None, height: float | None, spread: float
) -> tuple[float, str]:
    """What one unit of the file is in metres, and how that was found.

    Args:
        path: of the file, for words.
        field: where the file says its unit, e.g. "POINT:UNITS".
        said: the unit it says, or None.
        height: of the trunk above the feet, in the file's units, where labels are known.
        spread: of the markers of one frame, in the file's units.
    """
    size, span, what = (spread, WIDE, "the markers of one frame spread over")
    if height is not None:
        size, span, what = height, TALL, "the trunk is above the feet by"
    if not (np.isfinite(size) and size > 0.0):
        raise bad(path, "the markers", "without a single whole frame", "markers that were seen")
    fits = [u for u in PLAIN_UNITS if span[0] <= size * METRES[u] <= span[1]]
    clean = (said or "").strip().lower()
    if clean not in METRES:
        if not fits:
            found = f"not given, and {what} {size:.4g} of them"
            raise bad(path, field, found, f"units that make that {span[0]:g} to {span[1]:g} m")
        unit = min(fits, key=lambda u: abs(np.log(size * METRES[u] / np.sqrt(span[0] * span[1]))))
        return METRES[unit], f"{unit}, from the size of the person (the file does not say)"
    scale = METRES[clean]
    if not span[0] <= size * scale <= span[1]:
        hint = f"the numbers look like {' or '.join(fits)}" if fits else "no usual unit fits"
        found = f"'{clean}', but then {what} {size * scale:.3g} m ({hint})"
        raise bad(path, field, found, f"units that make that {span[0]:g} to {span[1]:g} m")
    return scale, f"{clean}, as the file says"


def spread_of(markers: np.ndarray) -> float:
    """Typical diagonal of the box around the markers of one frame, in the file's units."""
    seen = np.isfinite(markers).all(axis=2)
    frames = np.flatnonzero(seen.sum(axis=1) >= min(3, markers.shape[1]))
    if not len(frames):
        return float("nan")
    frames = frames[np.linspace(0, len(frames) - 1, min(len(frames), 200)).astype(int)]
    box = [np.ptp(markers[k][seen[k]], axis=0) for k in frames]
    return float(np.median(np.linalg.norm(box, axis=1)))
