"""Do the joints stay within their speeds, and does the stored velocity belong to the path?"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from poise.checks.derivatives import steps
from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_most, nothing_to_ask
from poise.checks.torques import limited_motors
from poise.checks.worst import highest
from poise.robot.robot import BASE_V

SPEED, AGREEMENT = "joint velocity", "velocity matches path"
CURVE = 0.05  # [1], of the speed: how far a true peak stands above its finite differences
BASE_NAMES = ("base x", "base y", "base z", "base turning x", "base turning y", "base turning z")


def joint_velocity(evidence: Evidence) -> tuple[Finding, ...]:
    """The joint that uses most of its speed, by the path as by the stored velocity."""
    robot, limit = evidence.robot, evidence.robot.velocity_limit
    known = limited_motors(limit)
    if not known.any():
        return (nothing_to_ask(SPEED, "rad/s", "the robot's model has no speed limits"),)
    safe = np.where(known, limit, np.inf)
    path = steps(evidence.time, evidence.q)[:, BASE_V:] / np.diff(evidence.time)[:, None]
    worst = (-1.0, 0, 0, 0.0, "")
    for speed, source in ((path, "the path"), (evidence.motion.v[:, BASE_V:], "the stored v")):
        use = np.abs(speed) / safe
        k, j = highest(use)
        if use[k, j] > worst[0]:
            worst = (float(use[k, j]), k, j, float(abs(speed[k, j])), source)
    use_most, k, j, value, source = worst
    detail = f"{100 * use_most:.0f} % of the limit, by {source}"
    return (
        at_most(
            SPEED,
            value,
            limit[j],
            "rad/s",
            robot.joint_names[j],
            evidence.when(k),
            slack=evidence.options.velocity_slack * limit[j],
            detail=detail,
        ),
    )


def velocity_agreement(evidence: Evidence) -> tuple[Finding, ...]:
    """The stored velocity lies between the slopes of the path before and after each instant."""
    if evidence.n < 3:
        return (nothing_to_ask(AGREEMENT, "rad/s", "too few instants to differentiate"),)
    slopes = _slopes(evidence)
    stored = evidence.motion.v[1:-1]
    excess, allowed = _excess(slopes, stored, evidence.options.agreement)
    ratio = excess / allowed
    k, j = highest(ratio)
    names = BASE_NAMES + evidence.robot.joint_names
    ok = bool(ratio[k, j] <= 1.0)
    return (
        at_most(
            AGREEMENT,
            excess[k, j],
            allowed[k, j],
            "m/s" if j < 3 else "rad/s",
            names[j],
            evidence.when(k + 1),
            detail="" if ok else _explanation(evidence, slopes, stored, ratio),
        ),
    )


def _slopes(evidence: Evidence) -> np.ndarray:
    """Slopes of the path before and after every inner instant, base axes, (2, n - 2, nv)."""
    rate = steps(evidence.time, evidence.q) / np.diff(evidence.time)[:, None]
    back = Rotation.from_quat(evidence.q[1:-1, 3:7]).inv()
    both = np.stack([rate[:-1], rate[1:]])
    for slope in both:
        slope[:, :3] = back.apply(slope[:, :3])
    return both


def _excess(
    slopes: np.ndarray, stored: np.ndarray, agreement: float
) -> tuple[np.ndarray, np.ndarray]:
    """How far a velocity lies outside its slopes, and how far it may, (n - 2, nv) each."""
    low, high = slopes.min(axis=0), slopes.max(axis=0)
    excess = np.maximum(np.maximum(low - stored, stored - high), 0.0)
    fastest = np.maximum(np.abs(low), np.abs(high))
    still = np.full(stored.shape[1], agreement)
    still[:3] *= 0.5  # trunks are slower than joints
    return excess, still + CURVE * fastest + 0.5 * (high - low)


def _explanation(
    evidence: Evidence, slopes: np.ndarray, stored: np.ndarray, ratio: np.ndarray
) -> str:
    """What would make the stored velocity fit, where that can be told."""
    turn = Rotation.from_quat(evidence.q[1:-1, 3:7])
    back = turn.inv()
    bad = np.asarray((ratio > 1.0).any(axis=0))

    def fits(candidate: np.ndarray, columns: slice) -> bool:
        excess, allowed = _excess(slopes, candidate, evidence.options.agreement)
        return bool((excess <= allowed)[:, columns].all())

    base, joints = slice(0, 6), slice(6, None)
    if bad[base].any():
        linear, angular = stored[:, :3], stored[:, 3:6]
        for told, candidate in (
            ("linear velocity is in world axes", [back.apply(linear), angular]),
            ("velocity is in world axes", [back.apply(linear), back.apply(angular)]),
            ("angular velocity is in world axes", [linear, back.apply(angular)]),
            ("velocity has its angular part first", [angular, linear]),
        ):
            if fits(np.hstack([*candidate, stored[:, 6:]]), base):
                return f"the base {told}; base axes are expected"
    if bad[joints].any() and fits(np.hstack([stored[:, :6], np.radians(stored[:, 6:])]), joints):
        return "the joint velocities are in degrees per second"
    if bad[joints].sum() > 3:
        return "many joints disagree: angles and velocities may be in different orders"
    return "the stored velocity is not the slope of the stored path"
