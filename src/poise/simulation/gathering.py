"""Wrenches from outside on the parts of a robot, out of MuJoCo's memory, as a compiled loop."""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled


@compiled
def gather_wrenches(
    felt: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    whose: tuple[np.ndarray, np.ndarray],
    now: np.ndarray,
    own: np.ndarray,
) -> None:
    """Add up the wrenches on all that each part carries, and move them to the part's frame.

    Args:
        felt: wrench from outside on every body, moment first, about the centre of mass
            (bodies, 6); that centre (3,); places (sites, 3) and orientations (sites, 9) of sites.
        whose: site of each part (parts,), and which bodies it carries (parts, bodies).
        now: written, force then moment at each part's frame, world axes (parts, 6).
        own: written for the first parts, moment then force, in the part's axes.
    """
    wrenches, com, places, turns = felt
    sites, carried = whose
    for k in range(now.shape[0]):
        total = np.zeros(6)
        for body in range(wrenches.shape[0]):
            if carried[k, body]:
                for i in range(6):
                    total[i] += wrenches[body, i]
        place, R = places[sites[k]], turns[sites[k]]
        x, y, z = place[0] - com[0], place[1] - com[1], place[2] - com[2]
        fx, fy, fz = total[3], total[4], total[5]
        moment = (
            total[0] - (y * fz - z * fy),
            total[1] - (z * fx - x * fz),
            total[2] - (x * fy - y * fx),
        )
        for i in range(3):
            now[k, i], now[k, 3 + i] = total[3 + i], moment[i]
            if k < own.shape[0]:
                own[k, i] = R[i] * moment[0] + R[3 + i] * moment[1] + R[6 + i] * moment[2]
                own[k, 3 + i] = R[i] * fx + R[3 + i] * fy + R[6 + i] * fz
