"""What a feedback may know: where the ZMP is, where it may go, where the mass really is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


def _pair() -> np.ndarray:
    return np.zeros(2)


@dataclass(frozen=True, eq=False)
class Felt:
    """Forward and to the left, in the level axes of the reference foot; rewritten every period."""

    zmp_error: np.ndarray = field(default_factory=_pair)  # desired minus measured [m], (2,)
    low: np.ndarray = field(default_factory=_pair)  # rim of the soles from the desired ZMP [m]
    high: np.ndarray = field(default_factory=_pair)  # the other one [m], (2,)
    blind_low: np.ndarray = field(default_factory=_pair)  # where the force sensors end [m]
    blind_high: np.ndarray = field(default_factory=_pair)  # [m], (2,)
    mass: np.ndarray = field(default_factory=_pair)  # CoM from its reference, tilt included [m]
    tilt: np.ndarray = field(default_factory=_pair)  # of the reference foot, by the IMU [rad], (2,)
    momentum: np.ndarray = field(default_factory=_pair)  # of joints that turn [N m s], (2,)
