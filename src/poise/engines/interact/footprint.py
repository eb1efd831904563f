"""The next footprint follows the hand.

    T(support <- next foot) = T(support <- hand) T(next foot <- hand at rest)^-1

over the ground: x, y and heading. The same said in two steps: a hand has its place beside the
centre between the feet, so where a hand is tells where the centre should be; and a foot has its
place beside the centre. With both hands held, the centre is the mean of what each of them tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, sin

import numpy as np
import pinocchio as pin

from poise.walking.footsteps import moved
from poise.walking.swing_foot import Place


def compose(a: Place, b: Place) -> Place:
    """A place b that is told as seen from a place a, told in the world."""
    return moved(a, b[0], b[1], b[2])


def inverse(a: Place) -> Place:
    """The world's place as seen from a."""
    x, y, heading = a
    c, s = cos(heading), sin(heading)
    return -c * x - s * y, s * x - c * y, -heading


def seen_from(a: Place, b: Place) -> Place:
    """A place b as seen from a place a; the turn between -pi and pi."""
    x, y, turn = compose(inverse(a), b)
    return x, y, atan2(sin(turn), cos(turn))


def over_ground(p: np.ndarray, R: np.ndarray, R_rest: np.ndarray) -> Place:
    """Place of a hand over the ground; its heading is zero when it is turned as at rest."""
    (a, b, c), (d, e, f), _ = R.tolist()
    (g, h, i), (j, k, m), _ = R_rest.tolist()
    # of R R_rest': the heading that is nearest to it
    sine = d * g + e * h + f * i - (a * j + b * k + c * m)
    cosine = a * g + b * h + c * i + d * j + e * k + f * m
    return float(p[0]), float(p[1]), atan2(sine, cosine)


def centre_of(hand: Place, hand_at_rest: Place) -> Place:
    """Where the centre between the feet belongs, for a hand to be where it rests.

    Args:
        hand: where it is.
        hand_at_rest: where it rests, seen from the centre.
    """
    return compose(hand, inverse(hand_at_rest))


def mean_place(places: Sequence[Place]) -> Place:
    """The mean of some places."""
    x, y = np.mean([place[:2] for place in places], axis=0)
    c = np.mean([cos(place[2]) for place in places])
    s = np.mean([sin(place[2]) for place in places])
    turn = atan2(float(s), float(c))
    near = places[0][2]
    return float(x), float(y), near + atan2(sin(turn - near), cos(turn - near))


def next_footprint(hand_in_support: Place, hand_in_next_at_rest: Place) -> Place:
    """The paper's formula: the next foot, seen from the support foot.

    Args:
        hand_in_support: the hand, seen from the support foot.
        hand_in_next_at_rest: the hand at rest, seen from the foot that swings.
    """
    return compose(hand_in_support, inverse(hand_in_next_at_rest))


def pose_of(place: Place) -> pin.SE3:
    """T_world_foot of a foot flat on the ground at a place."""
    x, y, heading = place
    c, s = cos(heading), sin(heading)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return pin.SE3(R, np.array([x, y, 0.0]))
