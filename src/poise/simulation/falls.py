"""What counts as a fall."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians

import numpy as np

from poise.motion import Motion, Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.simulation.world import SimulatedWorld

MOST_TILT = 45.0  # [deg], of the base against where it was meant to be
LEAST_HEIGHT = 0.6  # of the height at which the base was meant to be
AFTERMATH = 0.5  # [s], how long a fall is watched before the recording ends


class Plan:
    """Where the base was meant to be, looked up by the time from the motion's start."""

    def __init__(self, motion: Motion, period: float) -> None:
        """Take the base of a motion at the periods [s] of a world."""
        self.period = period
        time, base = motion.time - motion.time[0], motion.q[:, :BASE_Q]
        wanted = period * np.arange(round(motion.duration / period) + 1)
        after = np.clip(np.searchsorted(time, wanted), min(1, len(time) - 1), len(time) - 1)
        before = np.maximum(after - 1, 0)
        gap = np.where(after > before, time[after] - time[before], 1.0)
        s = np.clip((wanted - time[before]) / gap, 0.0, 1.0)[:, None]
        a, b = base[before], base[after].copy()
        b[:, 3:] *= np.where((a[:, 3:] * b[:, 3:]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
        self._rows = (1.0 - s) * a + s * b
        self._rows[:, 3:] /= np.linalg.norm(self._rows[:, 3:], axis=1)[:, None]

    def base(self, time: np.ndarray | float) -> np.ndarray:
        """Position and quat_xyzw that were meant at times [s], (..., 7); the last one stays."""
        row = np.rint(np.asarray(time) / self.period).astype(int)
        return self._rows[np.minimum(row, len(self._rows) - 1)]


class FallWatch:
    """Notices when a robot falls, and why.

    It has fallen when its base is tilted too far from where it was meant to be, or too low, or
    when something touches floor or solids that was never meant to.
    """

    def __init__(self, world: SimulatedWorld, plan: Plan, parts: Iterable[str] = ()) -> None:
        """Watch a world.

        Args:
            world: the one that is stepped.
            plan: where its base is meant to be.
            parts: parts that may touch, beside the feet.
        """
        self.world, self.plan = world, plan
        self.allowed = links_of(world.robot, {*parts, *world.robot.feet})
        self.fell_at: float | None = None
        self.why = ""

    def __call__(self, seen: Observation) -> bool:
        """Look at one instant; true when a fall is over and nothing more is to be learnt."""
        if self.fell_at is None:
            self.why = self._reason(seen)
            if self.why:
                self.fell_at = seen.time
        return self.fell_at is not None and seen.time >= self.fell_at + AFTERMATH

    def _reason(self, seen: Observation) -> str:
        base = self.plan.base(seen.time)
        now, meant = _vertical(seen.q[3:7]), _vertical(base[3:7])
        if sum(a * b for a, b in zip(now, meant, strict=True)) < cos(radians(MOST_TILT)):
            return "the base tilted too far"
        if seen.q[2] < LEAST_HEIGHT * base[2]:
            return "the base sank too low"
        touching = self.world.touching() - self.allowed
        return f"{min(touching)} touched the ground" if touching else ""


def _vertical(quat_xyzw: np.ndarray) -> tuple[float, float, float]:
    """The world's vertical in the axes of an orientation; scalars, as this runs every period."""
    x, y, z, w = quat_xyzw.tolist()
    return 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


def links_of(robot: Robot, parts: Iterable[str]) -> frozenset[str]:
    """Parts, and every link that is fixed to the same bodies."""
    parts = set(parts)
    frames = robot.model.frames
    joints = {frames[robot.frame_id(part)].parentJoint for part in parts}
    return frozenset(parts | {f.name for f in frames if f.parentJoint in joints})
