"""Motor torques that a motion asks for, with the contact forces the judge has found.

Where two feet stand, the forces between them are free. The torques of the least forces are
taken first; only where those exceed a limit it is asked whether any forces within friction
would spare the motors, so that a limit is called exceeded when no way of standing avoids it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin
from scipy.optimize import linprog

from poise.checks.contact_forces import COARSE, grip_of, shifted
from poise.robot.robot import BASE_V

if TYPE_CHECKING:
    from poise.checks.evidence import Evidence
    from poise.checks.phases import Phase

MOST_RELIEFS = 2000  # instants that are looked at twice


def motor_torques(evidence: Evidence) -> np.ndarray:
    """Motor torques [N m], (n, na)."""
    joint_torques = evidence.inverse_dynamics[:, BASE_V:].copy()
    for k in range(evidence.n):
        for part, wrenches in evidence.carried.forces.items():
            if wrenches[k].any():
                joint_torques[k] -= joint_jacobian(evidence, part, k).T @ wrenches[k]
    motors = joint_torques @ evidence.robot.motor_map.T
    return _relieved(evidence, motors)


def joint_jacobian(evidence: Evidence, part: str, row: int) -> np.ndarray:
    """Jacobian of a part for the joints alone, world axes, linear rows first, (6, na)."""
    robot, data = evidence.robot, evidence.scratch
    J = pin.computeFrameJacobian(
        robot.model, data, evidence.q[row], robot.frame_id(part), pin.LOCAL_WORLD_ALIGNED
    )
    return J[:, BASE_V:]


def limited_motors(limit: np.ndarray) -> np.ndarray:
    """Which motors have a limit at all: zero or infinity in a model means unknown."""
    return (limit > 0.0) & np.isfinite(limit)


def _relieved(evidence: Evidence, motors: np.ndarray) -> np.ndarray:
    """The same torques, with other forces between the contacts where a limit asks for it.

    The worst instants come first; once no other can be worse than what is left of them, the
    answer is known.
    """
    limit = evidence.robot.effort_limit
    known = limited_motors(limit)
    motors = motors.copy()
    before = _use(motors, limit, known)
    over = np.flatnonzero(before > 1.0)
    phase_of = {k: phase for phase in evidence.phases for k in range(phase.start, phase.stop)}
    left = 0.0
    for k in over[np.argsort(-before[over])][:MOST_RELIEFS]:
        if before[k] <= left:
            break
        phase = phase_of[int(k)]
        if phase.touches:
            motors[k] = _least_use(evidence, phase, int(k), motors[k], known)
        left = max(left, float(_use(motors[k : k + 1], limit, known)[0]))
    return motors


def _use(motors: np.ndarray, limit: np.ndarray, known: np.ndarray) -> np.ndarray:
    """How much of its limit the busiest motor uses, (n,)."""
    return (np.abs(motors[:, known]) / limit[known]).max(axis=1, initial=0.0)


def _least_use(
    evidence: Evidence, phase: Phase, row: int, motors: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """Torques at an instant when the forces spare the motors as far as friction allows."""
    robot, grip = evidence.robot, grip_of(evidence, phase, np.array([row]), COARSE)
    total, centre, m = grip.wrenches[0], grip.centre[0], len(grip.owners)
    given, bare = np.zeros(6), motors.copy()
    effect = np.zeros((robot.na, m))  # motor torques that unit forces take over
    for part in sorted({evidence.touches[i].part for i in phase.touches}):
        at = evidence.tracks[part].position[row]
        to_motors = robot.motor_map @ joint_jacobian(evidence, part, row).T
        mine = np.isin(grip.owners, [i for i in phase.touches if evidence.touches[i].part == part])
        effect[:, mine] = to_motors @ shifted(total[:, mine].T, (at - centre)[None]).T
        wrench = evidence.carried.forces[part][row]
        bare += to_motors @ wrench
        given += shifted(wrench[None], (centre - at)[None])[0]
    limit = robot.effort_limit[known]
    share, most = effect[known] / limit[:, None], bare[known] / limit
    minus = -np.ones((len(limit), 1))
    answer = linprog(
        np.concatenate([np.zeros(m), [1.0]]),
        A_ub=np.vstack([np.hstack([-share, minus]), np.hstack([share, minus])]),
        b_ub=np.concatenate([-most, most]),
        A_eq=np.hstack([total, np.zeros((6, 1))]),
        b_eq=given,
        bounds=(0.0, None),
        method="highs",
    )
    if answer.status != 0:  # the wrench cannot be given at all: support tells that
        return motors
    spared = bare - effect @ answer.x[:m]
    return spared if answer.x[m] < np.abs(motors[known] / limit).max() else motors
