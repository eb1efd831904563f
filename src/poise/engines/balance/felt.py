"""What a feedback may know: where the ZMP is, where it may go, where the mass really is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


def _one() -> np.ndarray:
    return np.ones(1)


def _pair() -> np.ndarray:
    return np.zeros(2)


@dataclass(frozen=True, eq=False)
class Felt:
    """Forward and to the left, in the level axes of the reference foot; rewritten every period."""

    zmp_error: np.ndarray = field(default_factory=_pair)  # desired minus measured [m], (2,)
    zmp: np.ndarray = field(default_factory=_pair)  # from the desired one, as measured [m], (2,)
    low: np.ndarray = field(default_factory=_pair)  # rim of the soles from the desired ZMP [m]
    high: np.ndarray = field(default_factory=_pair)  # the other one [m], (2,)
    blind_low: np.ndarray = field(default_factory=_pair)  # where the force sensors end [m]
    blind_high: np.ndarray = field(default_factory=_pair)  # [m], (2,)
    load: np.ndarray = field(default_factory=_one)  # on the soles, of the weight, (1,)
    mass: np.ndarray = field(default_factory=_pair)  # CoM from its reference, tilt included [m]
    momentum: np.ndarray = field(default_factory=_pair)  # angular, about the CoM [N m s], (2,)
    against: np.ndarray = field(default_factory=_pair)  # velocity of the CoM less the IMU's [m/s]
    flies: np.ndarray = field(default_factory=_pair)  # acceleration of the IMU [m/s²], (2,)
