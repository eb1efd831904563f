"""Does the motion start and end at rest? To know, not to fail: a walk may be cut anywhere."""

from __future__ import annotations

import numpy as np

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding
from poise.robot.robot import BASE_V

START, END = "rest at start", "rest at end"
STILL = 0.02  # [rad/s], slower is at rest


def rest(evidence: Evidence) -> tuple[Finding, ...]:
    """The fastest joint at the first and at the last instant."""
    return (_at(evidence, START, 0), _at(evidence, END, evidence.n - 1))


def _at(evidence: Evidence, question: str, row: int) -> Finding:
    speed = np.abs(evidence.v[row, BASE_V:])
    j = int(speed.argmax())
    moving = bool(speed[j] > STILL)
    return Finding(
        question,
        float(speed[j]),
        STILL,
        "rad/s",
        evidence.robot.joint_names[j],
        evidence.when(row),
        True,
        "still moving: ramp in and out before a real robot plays it" if moving else "at rest",
        note=moving,
    )
