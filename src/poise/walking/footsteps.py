"""Where the feet go next: seen from the foot that stands.

Between the two feet lies a centre; a stride moves it forward, sideways and around, and the
swinging foot is put beside the new centre. What goes sideways or around would cross the feet on
every other step, so it is done by opening: the foot on that side goes twice as far, and the other
one closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from poise.walking.swing_foot import Place


@dataclass(frozen=True)
class Stride:
    """What one step does to the centre between the feet."""

    length: float = 0.0  # [m], forward; backward when negative
    sideways: float = 0.0  # [m], to the left; mean of an opening and a closing step
    turn: float = 0.0  # [rad], to the left; mean of an opening and a closing step

    def scaled(self, factor: float) -> Stride:
        """The same stride, smaller or larger."""
        return Stride(factor * self.length, factor * self.sideways, factor * self.turn)

    @property
    def opens_left(self) -> bool:
        """Whether the left foot is the one that opens."""
        return (self.turn if abs(self.turn) > abs(self.sideways) else self.sideways) >= 0.0


def moved(place: Place, forward: float, left: float, turn: float = 0.0) -> Place:
    """A place some way forward and to the left of another, turned [m, m, rad]."""
    x, y, heading = place
    c, s = cos(heading), sin(heading)
    return x + forward * c - left * s, y + forward * s + left * c, heading + turn


def centre_beside(support: Place, left: bool, half_spacing: float) -> Place:
    """The centre between the feet that belongs to a standing foot.

    Args:
        support: where the foot stands.
        left: whether it is the left one.
        half_spacing: half the sideways distance of the feet [m].
    """
    return moved(support, 0.0, -half_spacing if left else half_spacing)


def next_place(support: Place, support_is_left: bool, stride: Stride, half_spacing: float) -> Place:
    """Where the swinging foot should land.

    Args:
        support: where the other foot stands.
        support_is_left: which foot that is.
        stride: what the step does.
        half_spacing: half the sideways distance of the feet [m].
    """
    swing_is_left = not support_is_left
    sideways = 2.0 * stride.sideways if swing_is_left == (stride.sideways > 0.0) else 0.0
    turn = 2.0 * stride.turn if swing_is_left == (stride.turn > 0.0) else 0.0
    centre = centre_beside(support, support_is_left, half_spacing)
    centre = moved(centre, 0.0, 0.0, 0.5 * turn)  # the way bends evenly
    centre = moved(centre, stride.length, sideways, 0.5 * turn)
    return moved(centre, 0.0, half_spacing if swing_is_left else -half_spacing)


def clear_spacing(outline: np.ndarray, turn: float, room: float) -> float:
    """Half the distance of the feet at which an opening step does not bring heel to heel [m].

    Args:
        outline: of the left sole in its foot's frame [m], (n, 2).
        turn: mean of an opening and a closing step [rad].
        room: between the soles [m].
    """
    opened = 2.0 * abs(turn)
    back, inward = (-outline.min(axis=0)).tolist()  # of the box around it, which may be the shape
    turned = sin(opened) * back + cos(opened) * inward
    return 0.5 * (inward + turned + room) / cos(abs(turn))
