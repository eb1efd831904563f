"""One foot as a rigid sole: where heel edge and toe tip are, from a heel and a forefoot marker.

A marker is some centimetres above the ground and behind the tip of the toes, and every lab glues it
elsewhere. How both markers stand while the foot is flat tells where the sole is below them; the
sole then turns with the line between the markers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.engines.imitate.filters import lowpass, seen, speed

CUTOFF = 15.0  # [Hz], of the markers before speeds are taken
HEEL_AHEAD = 0.1  # of the distance between the markers, from the heel marker to the heel edge
FOOT_OF_LEG = 0.28  # foot length in legs: the tip of the toes lies this far from the heel marker
MARKERS_OF_LEG = 0.21  # usual distance between the markers in legs
LOWEST = (0.01, 0.09)  # [m], that the lower marker of a flat foot may be above the floor
USUALLY = 0.035  # [m], that it is
SLOW = 0.15  # [m/s], of both markers of a foot that is flat


@dataclass(frozen=True, eq=False)
class Sole:
    """A foot over time."""

    rate: float  # [Hz]
    heel: np.ndarray  # [m], (n, 3), heel edge on the sole
    ball: np.ndarray  # [m], (n, 3), on the sole below the forefoot marker
    tip: np.ndarray  # [m], (n, 3), tip of the toes on the sole
    toes: np.ndarray  # [m], (n, 3), tip of the toes at the height of the forefoot marker
    pitch: np.ndarray  # [rad], (n,), toes up positive, zero when flat
    yaw: np.ndarray  # [rad], (n,), heading of the foot in the world
    length: float  # [m], between the markers, flat
    heel_height: float  # [m], of the heel marker above the floor, flat
    toe_height: float  # [m], of the forefoot marker above the floor, flat
    floor: float  # [m], height of the floor in the world


def flat_frames(heel: np.ndarray, toe: np.ndarray, rate: float) -> np.ndarray:
    """Frames in which the foot rests, both markers slow, (n,)."""
    pace = np.maximum(speed(heel, rate), speed(toe, rate))
    known = np.isfinite(pace)
    if not known.any():
        return known
    limit = max(SLOW, float(np.percentile(pace[known], 10)))
    return known & (np.nan_to_num(pace, nan=np.inf) <= limit)


def sole_of(
    heel: np.ndarray, toe: np.ndarray, rate: float, floor: float, leg: float | None = None
) -> Sole:
    """The sole below two markers of a foot.

    Args:
        heel: heel marker [m], (n, 3).
        toe: forefoot marker [m], (n, 3).
        rate: frames a second [Hz].
        floor: height of the floor [m].
        leg: from the anterior iliac spine to the floor [m], where known.
    """
    both = seen(heel) & seen(toe)
    heel = lowpass(np.where(both[:, None], heel, np.nan), rate, CUTOFF)
    toe = lowpass(np.where(both[:, None], toe, np.nan), rate, CUTOFF)
    flat = flat_frames(heel, toe, rate)
    line = toe - heel
    across = np.linalg.norm(line[:, :2], axis=1)
    rise = np.arctan2(line[:, 2], across)
    rest = float(np.median(rise[flat])) if flat.any() else 0.0
    length = float(np.median(np.linalg.norm(line[flat], axis=1))) if flat.any() else 0.2
    heel_height = float(np.median(heel[flat, 2]) - floor) if flat.any() else 0.0
    toe_height = float(np.median(toe[flat, 2]) - floor) if flat.any() else 0.0
    tip = max((FOOT_OF_LEG * leg if leg else FOOT_OF_LEG / MARKERS_OF_LEG * length) - length, 0.0)
    pitch = rise - rest
    with np.errstate(invalid="ignore", divide="ignore"):
        ahead = line[:, :2] / across[:, None]

    def carried(origin: np.ndarray, forward: float, down: float) -> np.ndarray:
        """A point given in the flat foot, turned with the pitch."""
        c, s = np.cos(pitch), np.sin(pitch)
        along, up = c * forward + s * down, s * forward - c * down
        return origin + np.column_stack([ahead * along[:, None], up])

    return Sole(
        rate,
        carried(heel, HEEL_AHEAD * length, heel_height),
        carried(toe, 0.0, toe_height),
        carried(toe, tip, toe_height),
        carried(toe, tip, 0.0),
        pitch,
        np.unwrap(np.where(both, np.arctan2(ahead[:, 1], ahead[:, 0]), 0.0)),
        length,
        heel_height,
        toe_height,
        floor,
    )


def floor_height(feet: list[tuple[np.ndarray, np.ndarray]], rate: float) -> float:
    """Height of the floor [m]: zero, as in most laboratories, if that is below resting feet.

    The lower marker of a resting foot sits one to nine centimetres above the floor; where zero is
    not in that range, the floor is taken to be three and a half centimetres below it.
    """
    heights = []
    for heel, toe in feet:
        flat = flat_frames(heel, toe, rate)
        if flat.any():
            heights.append(min(np.median(heel[flat, 2]), np.median(toe[flat, 2])))
    lowest = float(np.median(heights)) if heights else 0.0
    return 0.0 if not heights or LOWEST[0] <= lowest <= LOWEST[1] else lowest - USUALLY
