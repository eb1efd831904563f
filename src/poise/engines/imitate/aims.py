"""What a person's body shows a robot: directions of limbs, orientations of trunk and feet.

World axes, z up. How a pelvis or a thorax is tilted on average depends on where markers are glued
and is not the robot's business: those means are taken out, and what remains is the movement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.engines.imitate.angles import composed, decomposed
from poise.engines.imitate.filters import lowpass
from poise.engines.imitate.frames import robot_axes
from poise.engines.imitate.human_model import Human
from poise.motion.marker_names import SIDES

CUTOFF = 6.0  # [Hz], of trunk and arms: faster is skin, not person


@dataclass(frozen=True, eq=False)
class Aims:
    """What to imitate, instant by instant."""

    time: np.ndarray  # [s], (n,), of the recording
    pelvis: np.ndarray  # (n, 3, 3), R_world_pelvis, x ahead, z up, level on average
    chest: np.ndarray | None  # (n, 3, 3), the same of the thorax
    thighs: Mapping[str, np.ndarray]  # (n, 3), from hip to knee, by side
    shanks: Mapping[str, np.ndarray]  # (n, 3), from knee to ankle
    upper_arms: Mapping[str, np.ndarray]  # (n, 3), from shoulder to elbow, where seen
    forearms: Mapping[str, np.ndarray]
    foot_yaw: Mapping[str, np.ndarray]  # [rad], (n,), unwrapped
    foot_pitch: Mapping[str, np.ndarray]  # [rad], (n,), toes up positive
    heel: Mapping[str, np.ndarray]  # [m], (n,), altitude of the heel edge
    toe: Mapping[str, np.ndarray]  # [m], (n,), altitude of the tip of the toes
    leg_length: float  # [m], of the person


def aims_of(person: Human) -> Aims:
    """The aims a person gives."""

    def along(name: str) -> np.ndarray:
        return -person.segments[name].R[:, :, 1]

    def smooth(direction: np.ndarray) -> np.ndarray:
        path = lowpass(direction, person.rate, CUTOFF)
        return path / np.linalg.norm(path, axis=1, keepdims=True)

    have = person.segments
    armed = [s for s in SIDES if f"{s}_upper_arm" in have and f"{s}_forearm" in have]
    floor = person.floor
    return Aims(
        person.time,
        _level(have["pelvis"].R, person.rate),
        _level(have["thorax"].R, person.rate) if "thorax" in have else None,
        {s: along(f"{s}_thigh") for s in SIDES},
        {s: along(f"{s}_shank") for s in SIDES},
        {s: smooth(along(f"{s}_upper_arm")) for s in armed},
        {s: smooth(along(f"{s}_forearm")) for s in armed},
        {s: person.soles[s].yaw for s in SIDES},
        {s: person.soles[s].pitch for s in SIDES},
        {s: person.soles[s].heel[:, 2] - floor for s in SIDES},
        {s: person.soles[s].tip[:, 2] - floor for s in SIDES},
        person.leg_length,
    )


def _level(R: np.ndarray, rate: float) -> np.ndarray:
    """A segment with x ahead and z up, its mean tilt taken out, slow enough for a robot."""
    angles = np.unwrap(decomposed(robot_axes(R), "zyx"), axis=0)
    angles[:, 1:] -= angles[:, 1:].mean(axis=0)
    return composed(lowpass(angles, rate, CUTOFF), "zyx")
