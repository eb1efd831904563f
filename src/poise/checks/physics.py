"""What a physics replay showed: does the robot stay up when its servos follow the motion?

The judge runs no simulator. Whoever has one hands its figures in as a PhysicsVerdict.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from poise.checks.finding import Finding, at_most

TILT_LIMIT = 30.0  # [deg], a trunk further off its planned lean is on its way down
DRIFT_LIMIT = 0.10  # [m], open loop, on the spot
DRIFT_RATE = 0.15  # [m/m], and this much more for each metre of the way
SLIP_LIMIT = 0.03  # [m], a foot that slides further did not carry
SATURATION_LIMIT = 0.05  # [1], share of the time with some motor at its limit


@dataclass(frozen=True)
class PhysicsVerdict:
    """Figures of an open-loop replay of a motion in a simulator."""

    upright: bool
    fell_at: float | None = None  # [s], when the fall began
    tilt_max_deg: float = math.nan  # [deg], of the trunk against the plan
    drift_m: float = math.nan  # [m], of the base at the end against the plan
    slip_m: float = math.nan  # [m], the furthest a planted foot slid
    saturation: float = math.nan  # [1], share of the instants with some motor at its limit

    def to_json(self) -> dict[str, Any]:
        """Plain values; what is not a finite number becomes None."""
        return {
            "upright": self.upright,
            "fell_at": self.fell_at,
            "tilt_max_deg": _plain(self.tilt_max_deg),
            "drift_m": _plain(self.drift_m),
            "slip_m": _plain(self.slip_m),
            "saturation": _plain(self.saturation),
        }


def physics_findings(verdict: PhysicsVerdict, travelled: float = 0.0) -> tuple[Finding, ...]:
    """The questions that a replay answers.

    Args:
        verdict: figures of the replay.
        travelled: length of the planned path of the base [m].
    """
    tilt = Finding(
        "physics replay",
        float(verdict.tilt_max_deg),
        TILT_LIMIT,
        "deg",
        "base",
        verdict.fell_at,
        verdict.upright and not verdict.tilt_max_deg > TILT_LIMIT,
        "stays up to the end" if verdict.upright else "the robot falls",
    )
    others = (
        ("physics drift", verdict.drift_m, DRIFT_LIMIT + DRIFT_RATE * travelled, "m", "base"),
        ("physics slip", 1e3 * verdict.slip_m, 1e3 * SLIP_LIMIT, "mm", "feet"),
        ("physics saturation", 1e2 * verdict.saturation, 1e2 * SATURATION_LIMIT, "%", "motors"),
    )
    measured = [row for row in others if math.isfinite(row[1])]
    return (tilt, *(at_most(*row, None) for row in measured))


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
