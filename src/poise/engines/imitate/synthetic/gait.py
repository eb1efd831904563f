"""How the synthetic person walks: rhythm, footprints, and one foot through stance and swing.

A foot lands on its heel edge, rolls flat, rests, rises about its ball, at last about the tip of
its toes, and swings. Contact is made and lost at instants that are known exactly.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from poise.engines.imitate.synthetic.path import Path
from poise.engines.imitate.synthetic.person import Person


@dataclass(frozen=True)
class Gait:
    """Rhythm and shape of a walk."""

    steps: int = 9
    step_length: float = 0.64  # [m]
    step_time: float = 0.54  # [s]
    double_support: float = 0.13  # [s], from a contact to the other foot's toe-off
    step_width: float = 0.10  # [m]
    toe_out: float = np.deg2rad(6.0)  # [rad]
    path: Path = field(default_factory=lambda: Path(2.9, np.pi / 2.0, 1.6))
    landing: float = np.deg2rad(20.0)  # [rad], toes up at contact
    rise: float = np.deg2rad(58.0)  # [rad], heel up at toe-off
    tiptoe: float = np.deg2rad(20.0)  # [rad], toes themselves at toe-off
    roll_time: float = 0.10  # [s], from contact to flat
    tip_time: float = 0.06  # [s], on the tip of the toes
    landing_speed: tuple[float, float] = (0.35, -0.25)  # [m/s], ahead and up, of the heel edge

    @property
    def speed(self) -> float:
        """Of the walk [m/s]."""
        return self.step_length / self.step_time

    def contact_time(self, step: int) -> float:
        """When a footprint is made [s]."""
        return (step - 1) * self.step_time + 0.15

    def print_of(self, step: int) -> tuple[str, np.ndarray, float]:
        """Side, heel edge on the floor [m] (2,) and heading [rad] of a footprint."""
        side = "left" if step % 2 == 0 else "right"
        out = 1.0 if side == "left" else -1.0
        s = np.array([(step - 1) * self.step_length])
        heading = float(self.path.heading(s)[0])
        across = np.array([-np.sin(heading), np.cos(heading)])
        place = self.path.place(s)[0] + 0.5 * out * self.step_width * across
        return side, place, heading + out * self.toe_out


@dataclass(frozen=True, eq=False)
class FootPose:
    """A foot over time: pose of the part behind the toes."""

    heel: np.ndarray  # [m], (n, 3), heel edge
    pitch: np.ndarray  # [rad], (n,), toes up positive
    yaw: np.ndarray  # [rad], (n,)


def quintic(
    t: np.ndarray, duration: float, start: tuple[float, ...], end: tuple[float, ...]
) -> np.ndarray:
    """Polynomial through value, rate and second rate at both ends, at times t [s]."""
    p0, v0, a0 = start
    p1, v1, a1 = end
    T = duration
    c0, c1, c2 = p0, v0 * T, 0.5 * a0 * T * T
    A = np.array([[1.0, 1.0, 1.0], [3.0, 4.0, 5.0], [6.0, 12.0, 20.0]])
    b = np.array([p1 - c0 - c1 - c2, v1 * T - c1 - 2.0 * c2, a1 * T * T - 2.0 * c2])
    c3, c4, c5 = np.linalg.solve(A, b)
    u = np.asarray(t) / T
    return c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5))))


def stance_pose(
    person: Person, gait: Gait, t: np.ndarray, place: np.ndarray, yaw: float
) -> FootPose:
    """A foot from its contact (t = 0) to its toe-off, at times t [s]."""
    length = gait.step_time + gait.double_support
    rest = 0.62 * gait.step_time
    t = np.asarray(t, dtype=float)
    pitch = np.zeros(len(t))
    rolling = t < gait.roll_time
    pitch[rolling] = quintic(t[rolling], gait.roll_time, (gait.landing, -1.0, 0.0), (0.0, 0.0, 0.0))
    rising = t > rest
    pitch[rising] = quintic(
        t[rising] - rest, length - rest, (0.0, 0.0, 0.0), (-gait.rise, -3.0, 60.0)
    )
    toes = np.zeros(len(t))
    tipping = t > length - gait.tip_time
    toes[tipping] = gait.tiptoe * ((t[tipping] - length + gait.tip_time) / gait.tip_time) ** 2
    ahead = np.array([np.cos(yaw), np.sin(yaw)])
    tip = person.foot - person.ball_ahead
    # the ball stays until the toes turn about their tip
    ball_along = np.full(len(t), person.ball_ahead) + tip * (1.0 - np.cos(toes))
    ball_up = tip * np.sin(toes)
    heel_along = np.where(rising, ball_along - person.ball_ahead * np.cos(pitch), 0.0)
    heel_up = np.where(rising, ball_up - person.ball_ahead * np.sin(pitch), 0.0)
    heel = np.column_stack([place + heel_along[:, None] * ahead, heel_up])
    return FootPose(heel, pitch, np.full(len(t), yaw))


def foot_path(person: Person, gait: Gait, side: str, time: np.ndarray) -> FootPose:
    """One foot over the whole walk."""
    heel = np.full((len(time), 3), np.nan)
    pitch, yaw = np.full(len(time), np.nan), np.full(len(time), np.nan)
    stance = gait.step_time + gait.double_support
    prints = [k for k in range(-3, gait.steps + 5) if gait.print_of(k)[0] == side]
    for k, following in itertools.pairwise(prints):
        start, (_, place, heading) = gait.contact_time(k), gait.print_of(k)
        land, (_, target, next_heading) = gait.contact_time(following), gait.print_of(following)
        on = (time >= start) & (time < start + stance)
        pose = stance_pose(person, gait, time[on] - start, place, heading)
        heel[on], pitch[on], yaw[on] = pose.heel, pose.pitch, pose.yaw
        off = (time >= start + stance) & (time < land)
        swing = _swing(
            person, gait, time[off] - start - stance, (place, heading), (target, next_heading)
        )
        heel[off], pitch[off], yaw[off] = swing.heel, swing.pitch, swing.yaw
    return FootPose(heel, pitch, yaw)


def _swing(
    person: Person,
    gait: Gait,
    t: np.ndarray,
    start: tuple[np.ndarray, float],
    end: tuple[np.ndarray, float],
) -> FootPose:
    """A foot in the air: it goes on as it left, and arrives as it lands."""
    stance = gait.step_time + gait.double_support
    T = 2.0 * gait.step_time - stance
    h = 1e-4
    ends = stance_pose(person, gait, stance - h * np.array([2.0, 1.0, 0.0]), *start)
    velocity = (ends.heel[2] - ends.heel[1]) / h
    rate = (ends.pitch[2] - ends.pitch[1]) / h
    fast, down = gait.landing_speed
    ahead = np.array([np.cos(end[1]), np.sin(end[1])])
    arrive = np.r_[end[0], 0.0]
    arrive_velocity = np.r_[fast * ahead, down]
    heel = np.column_stack(
        [
            quintic(
                t,
                T,
                (ends.heel[2, k], velocity[k], 12.0 * (arrive - ends.heel[2])[k] / max(T, 1e-6)),
                (arrive[k], arrive_velocity[k], 0.0),
            )
            for k in range(2)
        ]
        + [quintic(t, T, (ends.heel[2, 2], velocity[2], -20.0), (0.0, down, 0.0))]
    )
    pitch = quintic(t, T, (ends.pitch[2], rate, 60.0), (gait.landing, -1.0, 0.0))
    turn = (t / T) ** 3 * (10.0 - 15.0 * (t / T) + 6.0 * (t / T) ** 2)
    return FootPose(heel, pitch, start[1] + (end[1] - start[1]) * turn)
