"""Which way a person faces, and whether what is called left is on the left."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.motion.marker_names import mirrored, side_of

CERTAIN = 0.8  # share of the frames that must agree before a label is called wrong
LEAST = 0.015  # [m], on the wrong side


def sideways(points: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Horizontal direction to the person's left, (n, 3), from pelvis or feet without their sides.

    Front and back tell it: from sacrum or posterior spines to anterior spines, or from heels to
    toes. A pair of labels that is exchanged does not turn it.
    """
    front = _middle(points, "asis")
    back = points.get("sacrum", _middle(points, "psis"))
    if front is None or back is None:
        back, front = _middle(points, "heel"), _middle(points, "toe")
        if back is None or front is None:
            return None
    ahead = (front - back)[:, :2]
    length = np.linalg.norm(ahead, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        ahead = ahead / length
    return np.column_stack([-ahead[:, 1], ahead[:, 0], np.zeros(len(ahead))])


def _middle(points: Mapping[str, np.ndarray], name: str) -> np.ndarray | None:
    left, right = points.get(f"left_{name}"), points.get(f"right_{name}")
    return None if left is None or right is None else 0.5 * (left + right)


def wrong_pairs(points: Mapping[str, np.ndarray]) -> list[str]:
    """Landmarks whose left one is on the right in nearly all frames, e.g. ["asis", "heel"]."""
    left = sideways(points)
    if left is None:
        return []
    wrong = []
    for name, path in points.items():
        other = mirrored(name)
        if side_of(name) != "left" or other not in points:
            continue
        across = np.einsum("ni,ni->n", path - points[other], left)
        across = across[np.isfinite(across)]
        if len(across) and np.mean(across < -LEAST) > CERTAIN:
            wrong.append(name.removeprefix("left_"))
    return wrong


def all_wrong(points: Mapping[str, np.ndarray]) -> bool:
    """Whether most pairs say that left is right: the axes or all labels are mirrored."""
    pairs = [n for n in points if side_of(n) == "left" and mirrored(n) in points]
    wrong = wrong_pairs(points)
    return "asis" in wrong and len(wrong) >= max(3, 0.6 * len(pairs))
