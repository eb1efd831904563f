"""Landmarks of a person over time, whatever the recording holds: markers or a skeleton."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from poise.engines.imitate.gaps import filled, visible_share
from poise.engines.imitate.sides import unswapped
from poise.engines.imitate.skeleton_body import landmarks_of_skeleton
from poise.errors import BadInput, listed
from poise.motion import Recording
from poise.motion.marker_names import SIDES, recognised
from poise.motion.sidedness import wrong_pairs

FEET = ("heel", "toe")
LEGS = (
    "heel",
    "toe",
    "mt1",
    "mt5",
    "toe_tip",
    "ankle_lateral",
    "ankle_medial",
    "knee_lateral",
    "knee_medial",
    "asis",
    "psis",
    "trochanter",
    "thigh",
    "shank",
)
STAND_INS = {  # a landmark that was not marked, and what may stand in for it
    "heel": ("ankle_lateral",),
    "toe": ("mt1+mt5", "mt5", "mt1", "toe_tip"),
}


@dataclass(frozen=True, eq=False)
class Body:
    """Landmarks of a person, gaps closed where that is honest."""

    source: str
    rate: float  # [Hz]
    start: float  # [s], of the first frame, from the first frame of the file
    points: Mapping[str, np.ndarray]  # [m], landmark -> (n, 3), NaN where unknown
    labels: Mapping[str, str] = field(default_factory=dict)  # landmark -> marker
    markers: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # [m], filled
    marker_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    floor: float | None = None  # [m], height of the floor, where plates or a skeleton tell

    def __len__(self) -> int:
        return len(next(iter(self.points.values()), self.markers))

    def middle(self, *names: str) -> np.ndarray | None:
        """Mean of the landmarks that exist [m], (n, 3), or None."""
        found = [self.points[name] for name in names if name in self.points]
        return np.mean(found, axis=0) if found else None


def body_of(recording: Recording) -> Body:
    """Landmarks of a recording, with gaps closed, jumping labels put right and sides checked."""
    if recording.skeleton is not None:
        points, notes = landmarks_of_skeleton(recording.skeleton)
        return Body(
            recording.source,
            recording.rate,
            recording.start,
            points,
            notes=tuple(notes),
            floor=_lowest_heel(points),
        )
    if not len(recording.markers) or not recording.marker_names:
        accepted = "markers or a skeleton"
        raise BadInput(recording.source, "the recording", "without markers", accepted)
    share = visible_share(recording.markers)
    weight = dict(zip(recording.marker_names, share.tolist(), strict=True))
    labels = recognised(recording.marker_names, weight)
    index = {name: k for k, name in enumerate(recording.marker_names)}
    raw = {landmark: recording.markers[:, index[label]] for landmark, label in labels.items()}
    mended, swaps = unswapped(raw, recording.rate)
    markers = np.array(recording.markers, dtype=float)
    for landmark, label in labels.items():
        markers[:, index[label]] = mended[landmark]
    markers, count = filled(markers, recording.rate)
    points = {landmark: markers[:, index[label]] for landmark, label in labels.items()}
    notes = _right_sides(points, labels, recording.source)
    if swaps:
        notes.append(f"left and right labels exchanged for a while {swaps} times, put right")
    if count.splines or count.rigid:
        notes.append(
            f"{count.splines} short gaps closed by a spline, {count.rigid} longer ones by the"
            " markers of the same body"
        )
    if count.open:
        notes.append(f"{count.open} gaps left open")
    return Body(
        recording.source,
        recording.rate,
        recording.start,
        points,
        labels,
        markers,
        recording.marker_names,
        tuple(notes),
        _plate_height(recording),
    )


def _plate_height(recording: Recording) -> float | None:
    """Height of the force plates' surface [m], where plates with corners exist and agree."""
    heights = [plate.corners[:, 2] for plate in recording.plates if np.ptp(plate.corners) > 0.0]
    if not heights or np.ptp(heights) > 0.03:
        return None
    return float(np.mean(heights))


def _lowest_heel(points: Mapping[str, np.ndarray]) -> float:
    """Floor below a skeleton [m]: its heels are points of the sole, and rest in every stance."""
    heights = [points[f"{side}_heel"][:, 2] for side in SIDES]
    return float(np.mean([np.percentile(height, 10) for height in heights]))


def _right_sides(points: dict[str, np.ndarray], labels: dict[str, str], source: str) -> list[str]:
    """Exchange pairs of the upper body that are labelled the wrong way round, and say so.

    A pair of legs or pelvis that is wrong throughout the file decides which foot is which: that
    is not guessed but refused in one sentence.
    """
    wrong = wrong_pairs(points)
    if not wrong:
        return []
    legs = [name for name in wrong if name in LEGS]
    pairs = [f"{labels[f'left_{name}']} and {labels[f'right_{name}']}" for name in legs or wrong]
    if legs:
        raise BadInput(
            source,
            "the labelling of left and right",
            f"swapped: {listed(pairs, 4)} lie on the other side of the person",
            "labels of the side they are on",
        )
    for name in wrong:
        left, right = f"left_{name}", f"right_{name}"
        points[left], points[right] = points[right], points[left]
        labels[left], labels[right] = labels[right], labels[left]
    return [f"{listed(pairs)} exchanged: they lie on the other side of the person"]


def foot_points(body: Body, side: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Heel and forefoot of one foot [m], (n, 3) each, and what stands in for what.

    Args:
        body: the landmarks.
        side: "left" or "right".
    """
    found: dict[str, np.ndarray] = {}
    notes = []
    for name in FEET:
        path = body.points.get(f"{side}_{name}")
        if path is not None and np.isfinite(path).all(axis=1).any():
            found[name] = path
            continue
        for other in STAND_INS[name]:
            paths = [body.points.get(f"{side}_{part}") for part in other.split("+")]
            kept = [p for p in paths if p is not None]
            if len(kept) == len(paths):
                found[name] = np.mean(kept, axis=0)
                notes.append(f"{side} {name}: {other.replace('+', ' and ')} stand in")
                break
    missing = [name for name in FEET if name not in found]
    if missing:
        have = listed([label for mark, label in body.labels.items() if mark.startswith(side)])
        raise BadInput(
            body.source,
            "the marker set",
            f"without a {side} {' and '.join(missing)} (known there: {have or 'none'})",
            "a heel and a toe marker on each foot, such as LHEE and LTOE",
        )
    return found["heel"], found["toe"], notes


def pelvis_path(body: Body) -> np.ndarray | None:
    """A point of the pelvis over time [m], (n, 3): the middle of what is marked there."""
    return body.middle("left_asis", "right_asis", "left_psis", "right_psis", "sacrum", "pelvis")
