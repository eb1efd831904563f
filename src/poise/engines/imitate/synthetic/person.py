"""The synthetic person: sizes, and where its thirty-seven markers sit.

ISB axes in every segment, x ahead, y up, z right; the left side mirrors the right in z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Person:
    """Lengths [m] and mass of a grown person."""

    mass: float = 72.0  # [kg]
    height: float = 1.78  # [m]
    thigh: float = 0.43
    shank: float = 0.43
    ankle_height: float = 0.080  # of the ankle centre above the sole
    ankle_ahead: float = 0.055  # of the heel edge
    ball_ahead: float = 0.185  # of the heel edge
    foot: float = 0.255  # heel edge to toe tip
    hip: tuple[float, float, float] = (-0.056, -0.083, 0.086)  # right, in the pelvis
    trunk: float = 0.50  # mid-hip to mid-shoulder
    shoulder: float = 0.19  # from the middle
    upper_arm: float = 0.29
    forearm: float = 0.26

    @property
    def leg(self) -> float:
        """Hip to ankle, stretched [m]."""
        return self.thigh + self.shank


def _sided(places: dict[str, tuple[float, float, float]]) -> dict[str, dict[str, np.ndarray]]:
    """Places of the right side, and their mirror images."""
    return {
        "right": {f"R{name}": np.array(p) for name, p in places.items()},
        "left": {f"L{name}": np.array([p[0], p[1], -p[2]]) for name, p in places.items()},
    }


def marker_places(person: Person) -> dict[str, dict[str, np.ndarray]]:
    """Markers of every segment in its frame [m]: segment -> label -> place, thirty-seven in all."""
    places: dict[str, dict[str, np.ndarray]] = {
        "pelvis": {
            "RASI": np.array([0.0, 0.0, 0.125]),
            "LASI": np.array([0.0, 0.0, -0.125]),
            "RPSI": np.array([-0.155, 0.0, 0.045]),
            "LPSI": np.array([-0.155, 0.0, -0.045]),
        },
        "thorax": {
            "C7": np.array([-0.075, 0.075, 0.0]),
            "T10": np.array([-0.115, -0.200, 0.0]),
            "CLAV": np.array([0.055, 0.015, 0.0]),
            "STRN": np.array([0.095, -0.155, 0.0]),
        },
        "head": {
            "RFHD": np.array([0.085, 0.235, 0.070]),
            "LFHD": np.array([0.085, 0.235, -0.070]),
            "RBHD": np.array([-0.095, 0.225, 0.060]),
        },
    }
    limbs: dict[str, dict[str, tuple[float, float, float]]] = {
        "thigh": {
            "THI": (0.060, -0.55 * person.thigh, 0.085),
            "KNE": (0.0, -person.thigh, 0.055),
            "KNM": (0.0, -person.thigh, -0.055),
        },
        "shank": {
            "TIB": (0.035, -0.5 * person.shank, 0.055),
            "ANK": (0.0, -person.shank, 0.038),
            "MED": (0.0, -person.shank, -0.038),
        },
        "foot": {  # from the ankle centre
            "HEE": (-person.ankle_ahead - 0.007, -person.ankle_height + 0.040, 0.0),
            "TOE": (
                person.ball_ahead - person.ankle_ahead - 0.010,
                -person.ankle_height + 0.045,
                0.005,
            ),
        },
        "upper_arm": {
            "ELB": (0.0, -person.upper_arm, 0.040),
            "MELB": (0.0, -person.upper_arm, -0.040),
        },
        "forearm": {
            "WRA": (0.0, -person.forearm, 0.028),
            "WRB": (0.0, -person.forearm, -0.028),
        },
    }
    for segment, labels in limbs.items():
        for side, of_side in _sided(labels).items():
            places[f"{side}_{segment}"] = of_side
    for side, out in (("right", 1.0), ("left", -1.0)):
        # the acromion lies above the joint, by the share of the shoulder's width Rab gives
        above = 0.17 * 2.0 * person.shoulder
        label = f"{side[0].upper()}SHO"
        places["thorax"][label] = np.array([0.0, above, out * person.shoulder])
    return places
