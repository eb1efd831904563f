"""Do the joints stay within their angles, and the couplings between them hold?"""

from __future__ import annotations

import numpy as np

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_most, nothing_to_ask
from poise.checks.worst import highest, lowest
from poise.robot.robot import BASE_Q

POSITION, COUPLINGS = "joint position", "couplings"


def joint_position(evidence: Evidence) -> tuple[Finding, ...]:
    """The joint that comes closest to its end stop, or goes furthest beyond it."""
    robot, joints = evidence.robot, evidence.q[:, BASE_Q:]
    room = np.minimum(joints - robot.lower, robot.upper - joints)
    k, j = lowest(room)
    high = robot.upper[j] - joints[k, j] < joints[k, j] - robot.lower[j]
    limit = robot.upper[j] if high else robot.lower[j]
    over = np.flatnonzero((room < -evidence.options.position_slack).any(axis=0))
    names = ", ".join(robot.joint_names[i] for i in over[:4])
    more = f" and {len(over) - 4} more" if len(over) > 4 else ""
    return (
        Finding(
            POSITION,
            float(joints[k, j]),
            float(limit),
            "rad",
            robot.joint_names[j],
            evidence.when(k),
            bool(room[k, j] >= -evidence.options.position_slack),
            f"beyond their limits: {names}{more}" if len(over) else f"{room[k, j]:.3g} rad of room",
            at_least=not high,
        ),
    )


def couplings(evidence: Evidence) -> tuple[Finding, ...]:
    """Joints that share one motor turn together."""
    robot = evidence.robot
    if not robot.couplings:
        return (nothing_to_ask(COUPLINGS, "rad", "no joint of this robot is coupled"),)
    joints = evidence.q[:, BASE_Q:]
    off = np.column_stack(
        [
            joints[:, robot.index(c.joint)] - c.multiplier * joints[:, robot.index(c.of)] - c.offset
            for c in robot.couplings
        ]
    )
    k, j = highest(np.abs(off))
    pair = robot.couplings[j]
    return (
        at_most(
            COUPLINGS,
            abs(off[k, j]),
            evidence.options.coupling_limit,
            "rad",
            f"{pair.joint} with {pair.of}",
            evidence.when(k),
        ),
    )
