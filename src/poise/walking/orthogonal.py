"""The paper's correction of the axis that a time shift disturbs: preview control, taken literally.

What the polynomial ZMP is off on the first piece is given to preview control, from rest, and its
mass and ZMP are added to the polynomial ones. A correction that starts from rest has to satisfy
int e^{-ws} p(s) ds = 0, so the bump cannot be removed, only moved: with the published gains it
becomes a spike of ten times its height in the first thirty milliseconds. It is here to be compared
with the plateau of `stepping`, which stays within a quarter of what any correction needs.
"""

from __future__ import annotations

import numpy as np

from poise.robot.robot import GRAVITY
from poise.walking.preview import CartPath, preview_gains, preview_path
from poise.walking.stepping import Walk


def preview_correction(
    walk: Walk, dt: float = 0.005, jerk_weight: float = 1e-6
) -> tuple[np.ndarray, CartPath]:
    """What preview control adds to a plan that has just been changed.

    It goes on until it has died away: cut off at the landing it would leave a jump behind.

    Args:
        walk: the plan, beginning at the change.
        dt: period [s].
        jerk_weight: on the squared change of the jerk [s^6/m^2]; the published gains have 1e-6.

    Returns:
        Times from the change on [s], (n,), and the correction, two axes as columns.
    """
    foot, swing = np.array(walk.stances[0].zmp), walk.phases[0].duration
    time = dt * np.arange(round((walk.pattern.duration) / dt))
    off = np.zeros((len(time), 2))
    for k, t in enumerate(time):
        if t < swing:
            off[k] = foot - walk.pattern.at(float(t)).zmp
    gains = preview_gains(GRAVITY / walk.omega**2, dt, jerk_weight=jerk_weight)
    return time, preview_path(off, gains, start=np.zeros(2))
