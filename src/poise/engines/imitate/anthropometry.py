"""Masses and centres of mass of body segments, after de Leva.

P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics
29(9), 1996, table 4: mass in % of the body, centre of mass and radii of gyration in % of the
segment length, from the proximal or cranial end. For young adults; children differ.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SegmentInertia:
    """One segment: shares of the body's mass and of the segment's length, female and male."""

    ends: str  # from -- to
    mass: tuple[float, float]  # [%] of the body, female and male
    centre: tuple[float, float]  # [%] of the length, from the first end
    sagittal: tuple[float, float]  # [%], radius of gyration about the axis ahead
    transverse: tuple[float, float]  # [%], about the axis to the side
    longitudinal: tuple[float, float]  # [%], about the long axis


DE_LEVA: dict[str, SegmentInertia] = {
    "head": SegmentInertia(
        "vertex -- mid-gonion",
        (6.68, 6.94),
        (58.94, 59.76),
        (33.0, 36.2),
        (35.9, 37.6),
        (31.8, 31.2),
    ),
    "trunk": SegmentInertia(
        "suprasternale -- mid-hip",
        (42.57, 43.46),
        (41.51, 44.86),
        (35.7, 37.2),
        (33.9, 34.7),
        (17.1, 19.1),
    ),
    "upper_arm": SegmentInertia(
        "shoulder -- elbow", (2.55, 2.71), (57.54, 57.72), (27.8, 28.5), (26.0, 26.9), (14.8, 15.8)
    ),
    "forearm": SegmentInertia(
        "elbow -- wrist", (1.38, 1.62), (45.59, 45.74), (26.1, 27.6), (25.7, 26.5), (9.4, 12.1)
    ),
    "hand": SegmentInertia(
        "wrist -- third knuckle",
        (0.56, 0.61),
        (74.74, 79.00),
        (53.1, 62.8),
        (45.4, 51.3),
        (33.5, 40.1),
    ),
    "thigh": SegmentInertia(
        "hip -- knee", (14.78, 14.16), (36.12, 40.95), (36.9, 32.9), (36.4, 32.9), (16.2, 14.9)
    ),
    "shank": SegmentInertia(
        "knee -- ankle", (4.81, 4.33), (43.52, 43.95), (26.7, 25.1), (26.3, 24.6), (9.2, 10.2)
    ),
    "foot": SegmentInertia(
        "heel -- toe tip", (1.29, 1.37), (40.14, 44.15), (29.9, 25.7), (27.9, 24.5), (13.9, 12.4)
    ),
}
TRUNK_FROM_C7 = (49.64, 51.38)  # [%], centre of the trunk from C7 to mid-hip
TRUNK_FROM_SHOULDERS = (37.82, 43.10)  # [%], from mid-shoulder to mid-hip
HEAD_FROM_VERTEX_TO_C7 = (48.41, 50.02)  # [%]
PAIRED = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")
HEAD_OF_HEIGHT = 0.1395  # vertex to C7 in body heights (242.9 / 1741 mm, 243.7 / 1735 mm)
HAND_OF_FOREARM = 0.307  # wrist to third knuckle in forearm lengths (mean of both sexes)
ABOVE_HIPS = 0.1803  # centre of head, arms and trunk above mid-hip in body heights (Winter)
FEMALE, MALE = 0, 1


def mean(pair: tuple[float, float]) -> float:
    """Of female and male, where nobody says which."""
    return 0.5 * (pair[0] + pair[1])


def share(pair: tuple[float, float], sex: int | None) -> float:
    """A table entry as a fraction, of one sex or of both in the middle."""
    return 0.01 * (mean(pair) if sex is None else pair[sex])


def whole_body(sex: int) -> float:
    """Sum of all masses [%], about a hundred."""
    total = DE_LEVA["head"].mass[sex] + DE_LEVA["trunk"].mass[sex]
    return total + 2.0 * sum(DE_LEVA[name].mass[sex] for name in PAIRED)
