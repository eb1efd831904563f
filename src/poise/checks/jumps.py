"""Is the path smooth: no jump of position, velocity or acceleration between two instants?

A jump stands out of its neighbours. What a median over the neighbours keeps (a ramp, a steady
acceleration) is motion; what it removes (a lone spike) is a jump.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import median_filter

from poise.checks.derivatives import steps
from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_most, nothing_to_ask
from poise.checks.joint_velocity import BASE_NAMES
from poise.checks.torques import limited_motors
from poise.checks.worst import highest

POSITION, VELOCITY, ACCELERATION = "position jump", "velocity jump", "acceleration jump"
NEIGHBOURS = 7  # [instants], over which the median goes
PERIOD = 0.005  # [s], the rate at which the limits of a velocity jump hold as they are
UNKNOWN_SPEED = 10.0  # [rad/s], taken for a joint whose model tells no limit
TOP_SPEED = 30.0  # [rad/s], models that promise more do not mean it


def jumps(evidence: Evidence) -> tuple[Finding, ...]:
    """The largest jump of position, of velocity and of acceleration, against what is possible."""
    dt = np.diff(evidence.time)[:, None]
    step = steps(evidence.time, evidence.q)
    fastest = _fastest(evidence)
    found = [_worst(evidence, POSITION, np.abs(step), _step_limits(evidence, dt, fastest), 0)]
    if evidence.n < 5:
        why = "too few instants to differentiate"
        return (*found, nothing_to_ask(VELOCITY, "rad/s", why), _none(why))
    rate = step / dt
    middle = 0.5 * (dt[1:] + dt[:-1])
    change = np.diff(rate, axis=0)
    options = evidence.options
    coarse = np.maximum(middle / PERIOD, 1.0)
    velocity_limits = np.concatenate(
        [
            np.full(3, options.base_velocity_jump),
            np.full(3, 3.0 * options.base_velocity_jump),
            options.velocity_jump * fastest[6:],
        ]
    )
    found.append(_worst(evidence, VELOCITY, _spikes(change), velocity_limits * coarse, 1))
    acceleration_limits = np.concatenate(
        [
            np.full(3, options.base_acceleration_jump),
            np.full(3, 3.0 * options.base_acceleration_jump),
            fastest[6:] / options.ramp_time,
        ]
    )
    jerk = _spikes(np.diff(change / middle, axis=0))
    limits = np.broadcast_to(acceleration_limits, jerk.shape)
    return (*found, _worst(evidence, ACCELERATION, jerk, limits, 1))


def _none(why: str) -> Finding:
    return nothing_to_ask(ACCELERATION, "rad/s²", why)


def _fastest(evidence: Evidence) -> np.ndarray:
    """The highest speed of each coordinate [m/s, rad/s], (nv,)."""
    limit = evidence.robot.velocity_limit
    joints = np.where(limited_motors(limit), np.minimum(limit, TOP_SPEED), UNKNOWN_SPEED)
    base = [evidence.options.base_speed] * 3 + [evidence.options.base_turn] * 3
    return np.concatenate([base, joints])


def _step_limits(evidence: Evidence, dt: np.ndarray, fastest: np.ndarray) -> np.ndarray:
    return evidence.options.step_limit * dt * fastest


def _spikes(rows: np.ndarray) -> np.ndarray:
    """How far each row stands out of its neighbours in time, (n, nv)."""
    return np.abs(rows - median_filter(rows, size=(NEIGHBOURS, 1), mode="nearest"))


def _worst(
    evidence: Evidence, question: str, size: np.ndarray, limits: np.ndarray, offset: int
) -> Finding:
    """The coordinate that jumps most for what it may; `offset` brings a row to its instant."""
    ratio = size / limits
    k, j = highest(ratio)
    names = BASE_NAMES + evidence.robot.joint_names
    length = "m" if j < 3 else "rad"
    unit = {POSITION: length, VELOCITY: f"{length}/s", ACCELERATION: f"{length}/s²"}[question]
    when = evidence.when(min(k + offset, evidence.n - 1))
    return at_most(question, size[k, j], limits[k, j], unit, names[j], when)
