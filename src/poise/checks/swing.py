"""Do swinging feet stay above the ground, and leave it rather than drag over it?"""

from __future__ import annotations

import numpy as np

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_most, nothing_to_ask
from poise.checks.worst import Worst

CLEARANCE, DRAG = "swing clearance", "swing drag"


def swing(evidence: Evidence) -> tuple[Finding, ...]:
    """How deep a sole that touches nothing goes below the ground, and how far it drags."""
    ground = ground_height(evidence)
    depth, drag = Worst(), Worst()
    for part, outline in evidence.soles.items():
        free = ~evidence.touching(part)
        rows = np.flatnonzero(free)
        if not len(rows):
            continue
        height = outline[:, :, 2].min(axis=1) - ground
        depth.see(-height[rows], part, rows)
        for start, stop in _runs(free):
            way = _dragged(outline[start:stop], height[start:stop], evidence.options.drag_height)
            drag.see(np.array([way]), part, np.array([start]))
    if depth.row is None or drag.row is None:
        why = "no foot swings"
        return (nothing_to_ask(CLEARANCE, "mm", why), nothing_to_ask(DRAG, "mm", why))
    o, mm = evidence.options, 1e3
    return (
        at_most(
            CLEARANCE,
            mm * max(depth.value, 0.0),
            mm * o.swing_depth_limit,
            "mm",
            depth.where,
            evidence.when(depth.row),
            detail="how deep the sole goes below the ground",
        ),
        at_most(
            DRAG, mm * drag.value, mm * o.drag_limit, "mm", drag.where, evidence.when(drag.row)
        ),
    )


def ground_height(evidence: Evidence) -> float:
    """Z of the ground [m]: zero, unless feet are planned to stand lower."""
    feet = [t for t in evidence.touches if t.part in evidence.robot.soles]
    return min([0.0, *(float(t.anchors[:, 2].min()) for t in feet)])


def _dragged(outline: np.ndarray, height: np.ndarray, low: float) -> float:
    """Way of the sole along the ground while it is lower than `low` [m]."""
    if len(outline) < 2:
        return 0.0
    way = np.linalg.norm(np.diff(outline[:, :, :2], axis=0), axis=2).min(axis=1)
    down = (height[1:] < low) & (height[:-1] < low)
    return float(way[down].sum())


def _runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Spans [start, stop) where a mask holds."""
    padded = np.concatenate([[False], mask, [False]]).astype(int)
    edges = np.diff(padded)
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return list(zip(starts.tolist(), stops.tolist(), strict=True))
