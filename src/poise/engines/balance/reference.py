"""What the robot is meant to do: feet and centre of mass over time, seen from the floor.

The floor's axes are those of the left foot where it stands at the start. Everything is computed
before the robot moves, one row a period; the last row holds for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np
import pinocchio as pin
from scipy.signal import lfilter

from poise.engines.balance.scenario import Lift, Scenario, Squat, Steps
from poise.robot import Robot
from poise.walking.pendulum import pendulum_rate
from poise.walking.swing_foot import hump

SWINGING = 0.9  # of the time on one foot: the other one is lifted in its middle


@dataclass(frozen=True, eq=False)
class Stance:
    """How a robot stands before anything happens, in the axes of its left foot."""

    joints: np.ndarray  # [rad], (na,)
    com: np.ndarray  # [m], (3,)
    T_left_right: pin.SE3

    @classmethod
    def of(cls, robot: Robot, q: np.ndarray) -> Stance:
        """The stance at a configuration."""
        at = robot.at(q)
        left, right = (at.pose(part) for part in robot.feet)
        return cls(np.array(q[7:]), left.actInv(at.com), left.actInv(right))


@dataclass(frozen=True, eq=False)
class Reference:
    """Rows of what is wanted, one a period, in the axes of the floor."""

    dt: float  # [s]
    com: np.ndarray  # [m], (n, 3)
    com_velocity: np.ndarray  # [m/s], (n, 3)
    zmp: np.ndarray  # [m], (n, 2)
    lift: np.ndarray  # of the left and the right foot [m], (n, 2)
    lift_rate: np.ndarray  # [m/s], (n, 2)

    def row(self, time: float) -> int:
        """The row that holds at a time [s]."""
        return min(round(time / self.dt), len(self.com) - 1)


def reference_of(scenario: Scenario, stance: Stance, dt: float) -> Reference:
    """The rows of a scenario for a robot that starts in a stance, every dt [s]."""
    n = round(scenario.duration / dt) + 1
    time = dt * np.arange(n)
    com, velocity = np.tile(stance.com, (n, 1)), np.zeros((n, 3))
    zmp, lift, lift_rate = np.tile(stance.com[:2], (n, 1)), np.zeros((n, 2)), np.zeros((n, 2))
    height = float(stance.com[2])
    for squat in scenario.squats:
        _squat(squat, height, time, com, velocity)
    single = [one for lifts in scenario.lifts for one in _single_supports(lifts, height)]
    for support in single:
        _raise(support, time, lift, lift_rate)
    if single:
        _shift(single, stance, time, zmp)
        omega = pendulum_rate(height)
        com[:, :2], velocity[:, :2] = ride(zmp, omega, dt)
    return Reference(dt, com, velocity, zmp, lift, lift_rate)


@dataclass(frozen=True)
class _Support:
    """A foot is off the ground for a while; the mass has come over the other one before."""

    lifted: int  # 0 left, 1 right
    start: float  # [s]
    end: float  # [s]
    shift: float  # [s], how long the ZMP takes from foot to foot
    height: float  # [m]


def _single_supports(wish: Lift | Steps, com_height: float) -> list[_Support]:
    up = wish.height if wish.height > 0.0 else wish.relative_height * com_height
    if isinstance(wish, Lift):
        start = wish.start + wish.shift
        foot = ("left", "right").index(wish.foot)
        return [_Support(foot, start, start + wish.duration, wish.shift, up)]
    first, found = wish.start + wish.double, []
    for k in range(int(wish.count)):
        start = first + k * (wish.single + wish.double)
        foot = (k + ("left", "right").index(wish.first)) % 2
        found.append(_Support(foot, start, start + wish.single, wish.double, up))
    return found


def _squat(
    squat: Squat, com_height: float, time: np.ndarray, com: np.ndarray, velocity: np.ndarray
) -> None:
    depth = squat.depth if squat.depth > 0.0 else squat.relative_depth * com_height
    end = squat.start + squat.cycles * squat.period
    on = (time >= squat.start) & (time <= end)
    phase = 2.0 * pi * (time[on] - squat.start) / squat.period
    com[on, 2] -= 0.5 * depth * (1.0 - np.cos(phase))
    velocity[on, 2] -= 0.5 * depth * (2.0 * pi / squat.period) * np.sin(phase)


def _raise(s: _Support, time: np.ndarray, lift: np.ndarray, rate: np.ndarray) -> None:
    """Up, a while in the air, and down; a short one is a single hump."""
    length = SWINGING * (s.end - s.start)
    begin = 0.5 * (s.start + s.end - length)
    edge = min(0.5 * length, 0.5)  # [s], of going up and of coming down
    for k in np.flatnonzero((time > begin) & (time < begin + length)):
        gone, left = time[k] - begin, begin + length - time[k]
        if min(gone, left) >= edge:
            lift[k, s.lifted] = s.height
        else:
            up = gone < left
            value, slope, _ = hump(0.5 * min(gone, left) / edge)
            lift[k, s.lifted] = s.height * value
            rate[k, s.lifted] = (1.0 if up else -1.0) * 0.5 * s.height * slope / edge


def _shift(supports: Sequence[_Support], stance: Stance, time: np.ndarray, zmp: np.ndarray) -> None:
    """The ZMP in straight lines: over the standing foot while the other one is off the ground."""
    places = [stance.com[:2] * [1.0, 0.0], stance.com[:2] * [1.0, 0.0]]
    places[1] = places[1] + [0.0, float(stance.T_left_right.translation[1])]
    knots, values = [0.0], [stance.com[:2]]
    ordered = sorted(supports, key=lambda s: s.start)
    for k, s in enumerate(ordered):
        standing = places[1 - s.lifted]
        if s.start - s.shift > knots[-1] + 1e-9:
            knots.append(s.start - s.shift)
            values.append(values[-1])
        knots += [s.start, s.end]
        values += [standing, standing]
        last = k == len(ordered) - 1
        if last or ordered[k + 1].start - ordered[k + 1].shift > s.end + s.shift:
            knots.append(s.end + s.shift)
            values.append(stance.com[:2])
    rows = np.array(values)
    for axis in range(2):
        zmp[:, axis] = np.interp(time, knots, rows[:, axis])


def ride(zmp: np.ndarray, omega: float, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """The centre of mass of a pendulum that rides on a ZMP and rests at both ends.

    The divergent component is found backwards in time, where it is tame, and the centre of mass
    follows it forwards.

    Args:
        zmp: rows every dt [m], (n, 2).
        omega: rate of the pendulum [1/s].
        dt: [s].

    Returns:
        Position [m] and velocity [m/s], (n, 2) each.
    """
    fade = float(np.exp(-omega * dt))
    back = zmp[::-1]
    start = fade * back[:1]
    divergent = lfilter([1.0 - fade], [1.0, -fade], back, axis=0, zi=start)[0][::-1]
    com = lfilter([1.0 - fade], [1.0, -fade], divergent, axis=0, zi=fade * divergent[:1])[0]
    com += zmp[0] - com[0]
    return com, omega * (divergent - com)
