"""What the force plates say, frame by frame: total force and centre of pressure."""

from __future__ import annotations

import numpy as np

from poise.motion import Recording

LEAST = 20.0  # [N], vertical


def ground_reaction(recording: Recording) -> tuple[np.ndarray, np.ndarray] | None:
    """Force on the person [N] and centre of pressure [m], (n, 3) each, at the recording's frames.

    The centre of pressure is NaN where the plates carry less than 20 N. None without plates.
    """
    if not recording.plates:
        return None
    time = recording.time
    force = np.zeros((len(time), 3))
    moment = np.zeros((len(time), 3))  # about the origin of the world, at the height of the plates
    heights = [plate.centre[2] for plate in recording.plates if np.ptp(plate.corners) > 0.0]
    level = float(np.mean(heights)) if heights else 0.0
    for plate in recording.plates:
        at = plate.time
        if len(at) < 1:
            continue
        f = np.column_stack([np.interp(time, at, plate.force[:, k], right=0.0) for k in range(3)])
        m = np.column_stack([np.interp(time, at, plate.moment[:, k], right=0.0) for k in range(3)])
        force += f
        moment += m + np.cross(plate.centre - [0.0, 0.0, level], f)
    vertical = np.where(force[:, 2] > LEAST, force[:, 2], np.nan)
    cop = np.column_stack(
        [
            -moment[:, 1] / vertical,
            moment[:, 0] / vertical,
            np.where(force[:, 2] > LEAST, level, np.nan),
        ]
    )
    return force, cop
