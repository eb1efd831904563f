"""How far two motions are apart at an instant, in words."""

from __future__ import annotations

import numpy as np

from poise.motion import Motion
from poise.viewer.figures import Figures


def difference_at(figures: Figures, other: Motion, k: int) -> str:
    """The difference of a motion to another at its instant k, both counted from their starts."""
    motion = figures.motion
    time = float(motion.time[k] - motion.time[0])
    row = int(np.clip(np.searchsorted(other.time, other.time[0] + time), 0, len(other) - 1))
    joints = np.degrees(np.abs(motion.joints[k] - other.joints[row]))
    most = int(np.argmax(joints))
    base = 1e3 * float(np.linalg.norm(motion.q[k, :3] - other.q[row, :3]))
    return (
        f"to the ghost: {joints[most]:.1f}° at {motion.joint_names[most]}, "
        f"{float(np.sqrt((joints**2).mean())):.1f}° over all joints, base {base:.0f} mm"
    )
