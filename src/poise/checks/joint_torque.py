"""Can the motors give what the motion asks, by inverse dynamics with the judge's own forces?"""

from __future__ import annotations

import numpy as np

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_most, nothing_to_ask
from poise.checks.torques import limited_motors
from poise.checks.worst import highest

TORQUE = "joint torque"


def joint_torque(evidence: Evidence) -> tuple[Finding, ...]:
    """The motor that uses most of its torque; one motor on two joints carries both."""
    robot, limit = evidence.robot, evidence.robot.effort_limit
    known = limited_motors(limit)
    if not known.any():
        return (nothing_to_ask(TORQUE, "N m", "the robot's model has no torque limits"),)
    use = np.abs(evidence.torques) / np.where(known, limit, np.inf)
    k, j = highest(use)
    return (
        at_most(
            TORQUE,
            abs(evidence.torques[k, j]),
            limit[j],
            "N m",
            robot.joint_names[j],
            evidence.when(k),
            slack=evidence.options.torque_slack * limit[j],
            detail=f"{100 * use[k, j]:.0f} % of the limit",
        ),
    )
