"""Do the parts that touch stay where they touch: no slip, no sinking in, no gap, no tilt?"""

from __future__ import annotations

import numpy as np

from poise.checks.detection import RISE
from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_most, nothing_to_ask
from poise.checks.worst import Worst
from poise.contacts import Touch

SLIP, PLACEMENT = "contact slip", "contact placement"
PENETRATION, GAP, TILT = "contact penetration", "contact gap", "contact tilt"
NAMES = (SLIP, PLACEMENT, PENETRATION, GAP, TILT)


def contact_hold(evidence: Evidence) -> tuple[Finding, ...]:
    """How well every touch holds, against its surface and against itself."""
    worst = {name: Worst() for name in NAMES}
    for index, touch in enumerate(evidence.touches):
        rows = np.flatnonzero(evidence.active[:, index])
        if len(rows):
            _look_at(evidence, touch, rows, worst)
    o, mm = evidence.options, 1e3
    blur = RISE if evidence.detected else 0.0  # found contacts begin and end this vaguely
    limits = {
        SLIP: (mm * (o.slip_limit + blur), "mm"),
        PLACEMENT: (mm * o.placement_limit, "mm"),
        PENETRATION: (mm * o.penetration_limit, "mm"),
        GAP: (mm * (o.gap_limit + blur), "mm"),
        TILT: (o.tilt_limit + np.degrees(blur / evidence.lever), "deg"),
    }
    found = []
    for name, (limit, unit) in limits.items():
        seen = worst[name]
        if seen.row is None:
            found.append(nothing_to_ask(name, unit, _why_not(evidence, name)))
            continue
        value = max(seen.value, 0.0) * (mm if unit == "mm" else 1.0)
        found.append(at_most(name, value, limit, unit, seen.where, evidence.when(seen.row)))
    return tuple(found)


def _look_at(evidence: Evidence, touch: Touch, rows: np.ndarray, worst: dict[str, Worst]) -> None:
    track = evidence.tracks[touch.part]
    R, p = track.rotation[rows], track.position[rows]
    points = p[:, None] + np.einsum("nij,kj->nki", R, touch.points)
    normal, part = touch.normal, touch.part

    moved = _along(points - points[0], normal)
    worst[SLIP].see(moved.max(axis=1), part, rows)
    off = points - touch.anchors
    if not evidence.detected:  # found contacts have no planned place
        mean = np.linalg.norm(_flat(off, normal).mean(axis=(0, 1)))
        worst[PLACEMENT].see(np.array([mean]), part, rows[:1])
    height = off @ normal
    worst[GAP].see(height.max(axis=1), part, rows)
    deep = -height.min(axis=1)
    sole = evidence.robot.soles.get(part)
    if sole is not None:  # while it rolls on an edge the rest of the sole stays out as well
        outline = p[:, None] + np.einsum("nij,kj->nki", R, sole.outline)
        below = (outline - touch.T_world_surface.translation) @ normal
        deep = np.maximum(deep, -below.min(axis=1))
    worst[PENETRATION].see(deep, part, rows)
    if len(touch.points) >= 3 and not touch.is_edge:
        lean = np.degrees(np.arccos(np.clip(R[:, :, 2] @ normal, -1.0, 1.0)))
        worst[TILT].see(lean, part, rows)


def _flat(offset: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Offsets along the surface, world axes."""
    return offset - (offset @ normal)[..., None] * normal


def _along(offset: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Lengths of offsets along the surface [m]."""
    return np.linalg.norm(_flat(offset, normal), axis=-1)


def _why_not(evidence: Evidence, name: str) -> str:
    if name == PLACEMENT and evidence.detected:
        return "there is no plan to compare with"
    return "no touch of a flat sole" if name == TILT else "nothing touches"
