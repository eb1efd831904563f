"""Spend little torque in some joints: an effort, linear in accelerations and forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class TorqueEffort:
    """Torques of the chosen joints cost; only inverse dynamics knows what to do with it.

    Keep to arms and head: asking the legs to relax works against standing.
    """

    joints: np.ndarray  # positions in `joint_names`
    weight: float  # [1 / (N m)^2]
