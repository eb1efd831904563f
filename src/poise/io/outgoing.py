"""A Motion on its way to a file: the robot's joints, an even rate, what is left behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.io.npz import for_robot
from poise.io.source import bad
from poise.motion import Motion
from poise.motion.editing import resampled
from poise.robot import Robot

UNEVEN = 1e-6  # [s], how far time stamps may lie from an even rate


def ready(motion: Motion, robot: Robot, path: str | Path, rate: float | None) -> Motion:
    """The motion in the robot's joint order, finite, and at another rate [Hz] if asked."""
    motion = for_robot(motion, robot, path)
    if not len(motion):
        raise bad(path, "the motion", "without instants", "at least one")
    for field, array in (("time", motion.time), ("q", motion.q), ("v", motion.v)):
        if not np.isfinite(array).all():
            raise bad(path, field, "not finite (NaN or infinite)", "finite numbers")
    return motion if rate is None else resampled(motion, robot, rate)


def even_rate(motion: Motion, path: str | Path) -> float:
    """The rate of a motion whose instants are evenly spaced [Hz]."""
    if len(motion) < 2:
        return 1.0
    rate = motion.rate
    even = motion.time[0] + np.arange(len(motion)) / rate
    if np.abs(motion.time - even).max() > UNEVEN:
        raise bad(path, "time", "unevenly spaced", "even instants, or a rate to resample to")
    return round(rate, 6) if abs(rate - round(rate, 6)) < 1e-9 * rate else rate


def left_behind(motion: Motion, *kept: str) -> str:
    """Which fields a dialect has no place for, as a note; empty when nothing is lost."""
    held = {
        "velocities": True,
        "torques": motion.tau is not None,
        "contacts": bool(motion.contacts.touches),
        "forces": bool(motion.forces),
        "signals": bool(motion.signals),
        "recipe": bool(motion.recipe),
    }
    lost = [name for name, has in held.items() if has and name not in kept]
    return f"not in the file: {', '.join(lost)}" if lost else ""
