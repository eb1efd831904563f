"""A robot at rest with its hands offered: where everything is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.walking.swing_foot import Place


@dataclass(frozen=True, eq=False)
class Rest:
    """A robot that offers its hands, feet side by side around the origin."""

    q: np.ndarray  # (nq,)
    com: np.ndarray  # [m], (3,)
    hands: dict[str, Place]  # held hand -> where it rests over the ground, seen from the centre
    R_hands: dict[str, np.ndarray]  # held hand -> how it is turned at rest
    heights: dict[str, float]  # held hand -> how high it rests [m]
    reach: dict[str, float]  # held hand -> how far it may be from its shoulder [m]
    shoulders: dict[str, int]  # held hand -> joint of the shoulder
    base_height: float  # [m]
    R_base: np.ndarray  # how the base is turned at rest
    half_spacing: float  # [m]


def held_parts(hands: str) -> tuple[str, ...]:
    """The parts of held hands, from the option's word."""
    return ("right_hand", "left_hand") if hands == "both" else (f"{hands}_hand",)
