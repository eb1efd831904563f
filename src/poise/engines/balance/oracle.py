"""One axis of a pushed robot, small enough to believe: the same law on a pendulum.

A rigid body of mass m with its centre of mass at a height z stands on a sole that gives way a
little. Servos follow the command with 1 / (lag s + 1)²; the body tilts by a about the sole,

    J a'' = m g (c + z a) - m z c'' + F z - m g p,       p = (K a + B a') / (m g),

and p ends where the sole ends: beyond, the body tips over its rim. With a stiff sole this is the
linear pendulum p = c - c'' / w² + F z / (m g).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.engines.balance.feedback import Feedback
from poise.engines.balance.felt import Felt
from poise.robot.robot import GRAVITY

BLIND = 0.95  # of the way to the rim of the soles: beyond, force sensors tell nothing new


@dataclass(frozen=True)
class Body:
    """What is pushed."""

    mass: float  # [kg]
    height: float  # of the centre of mass [m]
    front: float  # from the ZMP at rest to the rim of the soles [m]
    back: float  # [m]
    servo_time: float = 0.02  # [s]
    sole_stiffness: float = np.inf  # K [N m/rad]; infinite is rigid
    sole_damping: float = 0.0  # B [N m s/rad]
    turning: float = 0.2  # inertia of the body about its CoM, of m z²


@dataclass(frozen=True, eq=False)
class Swayed:
    """What became of it, one row a period."""

    time: np.ndarray  # [s]
    com: np.ndarray  # where the servos hold it [m]
    zmp: np.ndarray  # [m]
    tilt: np.ndarray  # [rad]
    upright: bool


def sway(
    body: Body,
    law: Feedback,
    k: float,
    force: Callable[[float], float],
    duration: float,
    dt: float = 0.001,
    finer: int = 4,
) -> Swayed:
    """Push a body that is kept by a feedback law.

    Args:
        body: who is pushed.
        law: of the ZMP, fresh.
        k: pull of the centre of mass to its reference [1/s].
        force: push at the height of the CoM over time [s] -> [N].
        duration: [s].
        dt: period of the law [s].
        finer: steps of the physics in a period.
    """
    m, z, g = body.mass, body.height, GRAVITY
    rigid = not np.isfinite(body.sole_stiffness)
    J, h, tau = m * z * z * (1.0 + body.turning), dt / finer, max(body.servo_time, 1e-9)
    n = round(duration / dt)
    rows = np.zeros((n, 3))
    command = c = rate = tilt = spin = p = 0.0
    low, high = np.full(2, -body.back), np.full(2, body.front)
    felt = Felt(low=low, high=high, blind_low=BLIND * low, blind_high=BLIND * high)
    lagging, moved = body.servo_time > 0.0, 0.0
    for i in range(n):
        felt.zmp_error[0], felt.zmp[0] = -p, p
        # its IMU is where its mass is
        felt.flies[0], moved = (rate + z * spin - moved) / dt, rate + z * spin
        felt.mass[0], felt.momentum[0] = c + z * tilt, m * z * z * body.turning * spin
        law.step(felt)
        speed = float(law.velocity[0]) + k * (float(law.shift[0]) - c)
        command += dt * speed
        push = force(i * dt)
        for _ in range(finer):
            if lagging:
                rate2 = (command - c - 2.0 * tau * rate) / tau**2
                rate += h * rate2
                c += h * rate
            else:
                rate2, rate, c = (speed - rate) / dt, speed, c + h * speed
            if rigid:
                p = c - z / g * rate2 + push * z / (m * g)
                p = min(max(p, -body.back), body.front) if body.front < np.inf else p
                continue
            p = (body.sole_stiffness * tilt + body.sole_damping * spin) / (m * g)
            p = min(max(p, -body.back), body.front)
            moment = m * g * (c + z * tilt) - m * z * rate2 + push * z - m * g * p
            spin += h * moment / J
            tilt += h * spin
        rows[i] = c, p, tilt
        if abs(tilt) > 0.7:
            return Swayed(dt * np.arange(i), *rows[:i].T, upright=False)  # type: ignore[misc]
    return Swayed(dt * np.arange(n), *rows.T, upright=True)  # type: ignore[misc]
