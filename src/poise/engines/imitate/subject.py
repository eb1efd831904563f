"""The person behind the markers: where each marker and joint centre sits in its segment.

Taken from a static recording, or from the frames of the walk in which a leg stands; joint centres
by functional trials where given, by regressions else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from poise.engines.imitate import frames
from poise.engines.imitate.body import Body
from poise.engines.imitate.filters import seen
from poise.engines.imitate.foot import flat_frames
from poise.engines.imitate.joint_centres import bell, harrington
from poise.engines.imitate.tracking import on_a_line
from poise.errors import BadInput, listed
from poise.motion.marker_names import SIDES

KNEE_WIDTH = 0.115  # of the height of the anterior spines: epicondyle to epicondyle
ANKLE_WIDTH = 0.078  # of it: malleolus to malleolus
MARKER_RADIUS = 0.007  # [m]
SHOULDER_DROP = 0.17  # of the distance between the acromia, from acromion down to the joint (Rab)
MOVES = 0.025  # [m], that a marker of a segment may move within it (median deviation)
PELVIS = ("left_asis", "right_asis", "left_psis", "right_psis", "sacrum")
LEG = {
    "thigh": ("knee_lateral", "knee_medial", "thigh", "trochanter"),
    "shank": ("ankle_lateral", "ankle_medial", "shank"),
    "foot": ("heel", "toe", "mt1", "mt5"),
}
TRUNK = ("c7", "t10", "sternum_top", "sternum_low")
HEAD = (
    "left_head_front",
    "right_head_front",
    "left_head_back",
    "right_head_back",
    "head_top",
    "head_fore",
    "head_rear",
)


@dataclass(frozen=True, eq=False)
class Subject:
    """Segments as rigid shapes."""

    shapes: Mapping[str, Mapping[str, np.ndarray]]  # segment -> point -> place in it [m], (3,)
    centres: Mapping[str, np.ndarray]  # "left_hip": place in the pelvis [m]; knees in thighs; ...
    leg_height: float  # [m], of the anterior spines
    hip_method: Mapping[str, str]  # side -> how its hip centre was found
    notes: tuple[str, ...] = ()


def required_landmarks(body: Body) -> None:
    """One sentence when a leg or the pelvis is not marked well enough."""
    lost = [name for name in ("left_asis", "right_asis") if name not in body.points]
    if "sacrum" not in body.points and not {"left_psis", "right_psis"} <= set(body.points):
        lost.append("sacrum or both psis")
    for side in SIDES:
        lost += [
            f"{side}_{name}"
            for name in ("knee_lateral", "ankle_lateral")
            if f"{side}_{name}" not in body.points
        ]
    if lost:
        raise BadInput(
            body.source,
            "the marker set",
            f"without {listed([name.replace('_', ' ') for name in lost])}",
            "anterior and posterior spines (or sacrum), lateral knees and ankles, heels and toes",
        )


def back_of_pelvis(points: Mapping[str, np.ndarray]) -> np.ndarray:
    """Middle of the posterior spines, or the sacrum [m], (n, 3)."""
    if "left_psis" in points and "right_psis" in points:
        return 0.5 * (points["left_psis"] + points["right_psis"])
    return points["sacrum"]


def calibrate(
    body: Body,
    floor: float,
    functional: Mapping[str, np.ndarray] | None = None,
    still: bool = False,
    available: Collection[str] | None = None,
) -> Subject:
    """Segments of a person from a recording.

    Args:
        body: landmarks of a static recording or of the walk itself.
        floor: height of the floor [m].
        functional: hip centres in the pelvis frame [m], e.g. {"left": (3,)}.
        still: whether the person stands in all frames.
        available: landmarks that the walk has; where a segment has too few of them, cluster
            markers without an anatomical name are used too.
    """
    available = set(body.points) if available is None else set(available)
    required_landmarks(body)
    points = dict(body.points)
    notes: list[str] = []
    pelvis_frames = frames.pelvis_axes(
        points["left_asis"], points["right_asis"], back_of_pelvis(points)
    )
    origin = 0.5 * (points["left_asis"] + points["right_asis"])
    if not np.isfinite(pelvis_frames).all(axis=(1, 2)).any():
        raise BadInput(body.source, "the pelvis", "never seen whole", "its markers in one frame")
    leg = float(np.nanpercentile(origin[:, 2], 90)) - floor
    width = _median_distance(points["left_asis"], points["right_asis"])
    depth = _median_distance(origin, back_of_pelvis(points))
    shapes: dict[str, dict[str, np.ndarray]] = {}
    centres: dict[str, np.ndarray] = {}
    methods: dict[str, str] = {}
    spines = {name: points[name] for name in PELVIS if name in points}
    shapes["pelvis"] = _places(spines, pelvis_frames, origin)
    for side in SIDES:
        out = 1.0 if side == "right" else -1.0
        if functional is not None and side in functional:
            hip, methods[side] = functional[side], "functional (SCoRE)"
        else:
            hip, methods[side] = _predicted_hip(points, width, depth, leg, out)
        centres[f"{side}_hip"] = hip
        right = pelvis_frames[:, :, 2]
        limb = _leg(points, side, origin + pelvis_frames @ hip, right, leg)
        stands = _stands(body, limb, still)
        centres[f"{side}_knee"] = _place(limb.knee, limb.axes["thigh"], limb.hip, stands)
        centres[f"{side}_ankle"] = _place(limb.ankle, limb.axes["shank"], limb.knee, stands)
        shapes |= _leg_shapes(body, limb, stands, available)
        for name in ("knee", "ankle"):
            if not _is_seen(points.get(f"{side}_{name}_medial")):
                notes.append(f"{side} {name}: no medial marker, half a usual width taken inwards")
    return Subject(shapes, centres, leg, methods, tuple(notes))


def _predicted_hip(
    points: Mapping[str, np.ndarray], width: float, depth: float, leg: float, out: float
) -> tuple[np.ndarray, str]:
    """Hip centre by regression: with the depth of the pelvis where posterior spines are marked."""
    if "left_psis" in points and "right_psis" in points:
        # the regression wants spine to medial malleolus, about 93 % of the height of the spines
        return harrington(width, depth, 0.93 * leg) * [1.0, 1.0, out], "Harrington 2007"
    return bell(width) * [1.0, 1.0, out], "Bell 1990"


@dataclass(frozen=True, eq=False)
class _Leg:
    """One leg over time, straight from its markers."""

    side: str
    hip: np.ndarray  # [m], (n, 3)
    knee: np.ndarray
    ankle: np.ndarray
    heel: np.ndarray
    toe: np.ndarray
    axes: dict[str, np.ndarray]  # thigh, shank, foot: R_world_segment, (n, 3, 3)


def _leg(
    points: Mapping[str, np.ndarray], side: str, hip: np.ndarray, right: np.ndarray, leg: float
) -> _Leg:
    """Joint centres and axes of one leg.

    Args:
        points: landmarks [m], (n, 3) each.
        side: "left" or "right".
        hip: hip centre [m], (n, 3).
        right: the pelvis' axis to the right, (n, 3).
        leg: height of the anterior spines [m].
    """
    out = 1.0 if side == "right" else -1.0
    outer_knee, outer_ankle = (points[f"{side}_{n}_lateral"] for n in ("knee", "ankle"))
    inner_knee, inner_ankle = (points.get(f"{side}_{n}_medial") for n in ("knee", "ankle"))
    knee = _between(outer_knee, inner_knee, hip, out * right, KNEE_WIDTH * leg)
    ankle = _between(outer_ankle, inner_ankle, knee, out * right, ANKLE_WIDTH * leg)
    hinge = out * (outer_knee - knee)
    if inner_ankle is not None and _is_seen(inner_ankle):
        ends = (inner_ankle, outer_ankle) if out > 0 else (outer_ankle, inner_ankle)
        shank = frames.shank_axes(knee, *ends)
    else:
        shank = frames.long_bone_axes(ankle, knee, hinge)
    heel, toe = _foot_pair(points, side)
    axes = {
        "thigh": frames.long_bone_axes(knee, hip, hinge),
        "shank": shank,
        "foot": frames.foot_axes(heel, toe),
    }
    return _Leg(side, hip, knee, ankle, heel, toe, axes)


def _stands(body: Body, limb: _Leg, still: bool) -> np.ndarray:
    """Frames in which the leg is known and its foot rests; all known ones if the person stands."""
    known = seen(limb.hip) & seen(limb.knee) & seen(limb.ankle)
    for axes in limb.axes.values():
        known &= np.isfinite(axes).all(axis=(1, 2))
    if not known.any():
        found = "never seen whole in one frame"
        accepted = "hip, knee, ankle, heel and toe markers seen together at least once"
        raise BadInput(body.source, f"the {limb.side} leg", found, accepted)
    flat = flat_frames(limb.heel, limb.toe, body.rate)
    return known & flat if not still and (known & flat).sum() >= 3 else known


def _leg_shapes(
    body: Body, limb: _Leg, stands: np.ndarray, available: set[str]
) -> dict[str, dict[str, np.ndarray]]:
    """Places of markers and of the joint above in thigh, shank and foot."""
    shapes = {}
    tops = {"thigh": ("hip", limb.hip), "shank": ("knee", limb.knee), "foot": ("ankle", limb.ankle)}
    for segment, (joint, at) in tops.items():
        names = [f"{limb.side}_{name}" for name in LEG[segment]]
        inside = {name: body.points[name] for name in names if name in body.points}
        if len(available & set(inside)) < 2:
            inside |= _extras(body, segment, limb, stands)
        inside[f"{limb.side}_{joint}_centre"] = at
        axes = limb.axes[segment][stands]
        rows = {name: path[stands] for name, path in inside.items()}
        shape = _places(rows, axes, at[stands])
        if segment == "foot" and on_a_line(np.array(list(shape.values()))):
            # the malleoli turn with the shank, but better they than nothing
            ends = [f"{limb.side}_ankle_{n}" for n in ("lateral", "medial")]
            more = {name: body.points[name][stands] for name in ends if name in body.points}
            shape |= _places(more, axes, at[stands])
        shapes[f"{limb.side}_{segment}"] = shape
    return shapes


def _foot_pair(points: Mapping[str, np.ndarray], side: str) -> tuple[np.ndarray, np.ndarray]:
    """Heel and forefoot, or whatever stands in for them."""
    heel = points.get(f"{side}_heel", points[f"{side}_ankle_lateral"])
    toe = points.get(f"{side}_toe")
    if toe is None:
        found = [
            points[f"{side}_{n}"] for n in ("mt1", "mt5", "toe_tip") if f"{side}_{n}" in points
        ]
        toe = np.mean(found[:2], axis=0)
    return heel, toe


def _between(
    lateral: np.ndarray,
    medial: np.ndarray | None,
    above: np.ndarray,
    outwards: np.ndarray,
    width: float,
) -> np.ndarray:
    """Middle of a joint: between both its markers, or half a width inwards from the lateral one."""
    if medial is not None and _is_seen(medial):
        return 0.5 * (lateral + medial)
    along = frames.unit(above - lateral)
    inwards = frames.unit(frames.without(-outwards, along))
    return lateral + (0.5 * width + MARKER_RADIUS) * inwards


def _is_seen(path: np.ndarray | None) -> bool:
    return path is not None and bool(seen(path).any())


def _extras(body: Body, segment: str, limb: _Leg, known: np.ndarray) -> dict[str, np.ndarray]:
    """Cluster markers without an anatomical name that go along with thigh or shank."""
    if segment == "foot" or not len(body.markers):
        return {}
    top, low = (limb.hip, limb.knee) if segment == "thigh" else (limb.knee, limb.ankle)
    axis = (low - top)[known]
    length2 = np.sum(axis**2, axis=1)
    named = set(body.labels.values())
    found: dict[str, np.ndarray] = {}
    for k, name in enumerate(body.marker_names):
        path = body.markers[:, k]
        if name in named or not seen(path[known]).any():
            continue
        arm = path[known] - top[known]
        share = np.sum(arm * axis, axis=1) / length2
        part = np.nanmedian(share)
        away = np.nanmedian(np.linalg.norm(arm - share[:, None] * axis, axis=1))
        if 0.1 < part < 0.95 and 0.02 < away < 0.35 * np.sqrt(np.nanmedian(length2)):
            found[f"marker:{name}"] = path
    return found


def _median_distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.nanmedian(np.linalg.norm(a - b, axis=1)))


def _place(
    point: np.ndarray, axes: np.ndarray, origin: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """Median place of a point in a segment [m], (3,)."""
    local = np.einsum("nji,nj->ni", axes[known], (point - origin)[known])
    return np.median(local, axis=0)


def _places(
    points: Mapping[str, np.ndarray], axes: np.ndarray, origin: np.ndarray
) -> dict[str, np.ndarray]:
    """Places of points in a segment [m]; those that wander about in it are left out."""
    places: dict[str, np.ndarray] = {}
    for name, path in points.items():
        local = np.einsum("nji,nj->ni", axes, path - origin)
        local = local[np.isfinite(local).all(axis=1)]
        if not len(local):
            continue
        middle = np.median(local, axis=0)
        if np.median(np.linalg.norm(local - middle, axis=1)) < MOVES:
            places[name] = middle
    return places
