"""Two protocols and two adapters: a motion can be played, a controller can be recorded.

A World accepts commands and tells what its sensors feel; a Controller decides from that. The
simulator needs no idea of engines, nor the engines of the simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan
from poise.motion.kept_rows import KeptRows
from poise.motion.motion import Motion
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V

NOTHING = np.zeros(6)  # wrench


@dataclass(frozen=True, eq=False)
class Command:
    """What the servos of the joints are asked for, (na,) each."""

    joints: np.ndarray  # [rad]
    rates: np.ndarray | None = None  # [rad/s], zero when absent
    torques: np.ndarray | None = None  # [N m], added to what the servos decide


@dataclass(frozen=True, eq=False)
class Observation:
    """What a robot can know at one instant, and, apart, what only a simulator knows.

    A controller meant for a real robot reads the measured fields; `truth` is for judging.
    """

    time: float  # [s]
    joints: np.ndarray  # measured angles [rad], (na,)
    rates: np.ndarray  # measured rates [rad/s], (na,)
    torques: np.ndarray  # servo torques [N m], (na,)
    quat_xyzw: np.ndarray  # orientation of the IMU's link in the world, (4,)
    gyro: np.ndarray  # angular velocity, IMU axes [rad/s], (3,)
    accelerometer: np.ndarray  # proper acceleration, IMU axes [m/s^2], (3,)
    wrenches: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Wrench on a part, at its frame, world axes [N, N m], (6,); feet and wrists."""
    pressures: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Normal force of each pressure point of a sole [N], (k,)."""
    q: np.ndarray = field(default_factory=lambda: np.zeros(0))  # truth, (nq,)
    v: np.ndarray = field(default_factory=lambda: np.zeros(0))  # truth, (nv,)


class Controller(Protocol):
    """Decides the next command from what is known now."""

    def command(self, seen: Observation) -> Command:
        """The command to hold until the next instant."""
        ...


class World(Protocol):
    """Accepts a command, lets one period pass, tells what is felt."""

    robot: Robot
    period: float  # [s]

    def reset(self, q: np.ndarray, v: np.ndarray | None = None) -> Observation:
        """Start over from a state."""
        ...

    def step(self, command: Command) -> Observation:
        """Hold a command for one period."""
        ...


@dataclass(frozen=True, eq=False)
class Player:
    """A motion, seen as a controller: its joint angles and rates as functions of time."""

    motion: Motion
    feed_torques: bool = False

    def command(self, seen: Observation) -> Command:
        """The joints of the motion at this time [s], between its instants by straight lines."""
        m = self.motion
        t = np.clip(seen.time + m.time[0], m.time[0], m.time[-1])
        k = int(np.clip(np.searchsorted(m.time, t) - 1, 0, max(len(m) - 2, 0)))
        if len(m) < 2:
            return Command(m.q[0, BASE_Q:], np.zeros(len(m.joint_names)))
        s = (t - m.time[k]) / (m.time[k + 1] - m.time[k])
        ended = seen.time > m.duration

        def blend(rows: np.ndarray) -> np.ndarray:
            return (1.0 - s) * rows[k] + s * rows[k + 1]

        rates = np.zeros(len(m.joint_names)) if ended else blend(m.v[:, BASE_V:])
        torques = blend(m.tau) if self.feed_torques and m.tau is not None else None
        return Command(blend(m.q[:, BASE_Q:]), rates, torques)


@dataclass
class IdealWorld:
    """Does exactly what it is told, the base held: the first thing to try a controller with."""

    robot: Robot
    period: float = 0.005  # [s]

    def reset(self, q: np.ndarray, v: np.ndarray | None = None) -> Observation:
        """Start over from a state."""
        self._time, self._q = 0.0, np.array(q, dtype=float)
        self._v = np.zeros(self.robot.nv) if v is None else np.array(v, dtype=float)
        return self._seen()

    def step(self, command: Command) -> Observation:
        """Jump to the command."""
        self._time += self.period
        self._q[BASE_Q:] = command.joints
        self._v[BASE_V:] = 0.0 if command.rates is None else command.rates
        return self._seen()

    def _seen(self) -> Observation:
        return Observation(
            self._time,
            self._q[BASE_Q:].copy(),
            self._v[BASE_V:].copy(),
            np.zeros(self.robot.na),
            self._q[3:7].copy(),
            self._v[3:6].copy(),
            np.array([0.0, 0.0, -self.robot.model.gravity.linear[2]]),
            q=self._q.copy(),
            v=self._v.copy(),
        )


def record(
    controller: Controller,
    world: World,
    duration: float,
    start: np.ndarray | None = None,
    start_rates: np.ndarray | None = None,
    contacts: ContactPlan | None = None,
    recipe: Mapping[str, Any] | None = None,
    until: Callable[[Observation], bool] | None = None,
) -> Motion:
    """A controller in a world, seen as a motion: what really happened, not what was asked.

    Args:
        controller: decides.
        world: obeys, and tells.
        duration: how long [s].
        start: first configuration (half-sitting when absent).
        start_rates: first velocity (rest when absent).
        contacts: who was meant to touch what.
        recipe: how to make it again.
        until: ends the recording early when it answers true, e.g. after a fall.
    """
    robot = world.robot
    seen = world.reset(robot.half_sitting if start is None else start, start_rates)
    kept = _Kept(robot)
    kept.add(seen, seen.joints)
    for _ in range(round(duration / world.period)):
        command = controller.command(seen)
        seen = world.step(command)
        kept.add(seen, command.joints)
        if until is not None and until(seen):
            break
    return Motion(
        robot=robot.name,
        model_hash=robot.model_hash,
        time=kept.time.take()[:, 0],
        q=kept.q.take(),
        v=kept.v.take(),
        joint_names=robot.joint_names,
        tau=kept.torques.take(),
        contacts=contacts or ContactPlan(),
        forces={part: kept.wrenches[part].take() for part in sorted(kept.wrenches)},
        signals={"command": kept.commands.take()},
        recipe=dict(recipe or {}),
    )


class _Kept:
    """What becomes a motion of all that was observed."""

    def __init__(self, robot: Robot) -> None:
        self.time, self.q, self.v = KeptRows(1), KeptRows(robot.nq), KeptRows(robot.nv)
        self.torques, self.commands = KeptRows(robot.na), KeptRows(robot.na)
        self.wrenches: dict[str, KeptRows] = {}
        self._count = 0

    def add(self, seen: Observation, joints: np.ndarray) -> None:
        """Keep one instant and the joints that were asked for [rad], (na,)."""
        self.time.add(seen.time)
        self.q.add(seen.q)
        self.v.add(seen.v)
        self.torques.add(seen.torques)
        self.commands.add(joints)
        for part in seen.wrenches:
            if part not in self.wrenches:
                self.wrenches[part] = KeptRows(6, before=self._count)
        for part, rows in self.wrenches.items():
            rows.add(seen.wrenches.get(part, NOTHING))
        self._count += 1


def tilt(quat_xyzw: np.ndarray, upright_xyzw: np.ndarray) -> float:
    """Angle between the vertical of a base and that of its upright pose [rad]."""
    up = pin.Quaternion(*np.roll(upright_xyzw, 1)).matrix()[2]  # world vertical in base axes
    now = pin.Quaternion(*np.roll(quat_xyzw, 1)).matrix()[2]
    return float(np.arccos(np.clip(up @ now, -1.0, 1.0)))
