"""Robot: a humanoid as facts. Nothing here changes while it moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pinocchio as pin

from poise.errors import NotFound
from poise.robot.frames import Carriers, carriers
from poise.robot.parts import Coupling, Mirror, Sensor, Servos, Shape, Sole
from poise.robot.snapshot import Snapshot
from poise.robot.still import StillSnapshot

BASE_Q, BASE_V = 7, 6  # widths of the floating base in q and in v
_LOOKED_UP = (  # a part before a link before a joint of the same name
    pin.FrameType.OP_FRAME,
    pin.FrameType.BODY,
    pin.FrameType.JOINT,
    pin.FrameType.FIXED_JOINT,
    pin.FrameType.SENSOR,
)
GRAVITY = 9.81  # [m/s^2], the one address of this constant


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot as facts.

    The Pinocchio model has a free-flyer root; joint k of `joint_names` is `q[7 + k]` and
    `v[6 + k]`. Every part ("left_foot", "chest", ...) is also a frame of the model, of that
    name; a foot's frame lies in the sole plane, x forward, z up.
    """

    name: str
    title: str
    folder: Path
    urdf: Path
    model: pin.Model
    parts: Mapping[str, str]  # part -> link
    soles: Mapping[str, Sole]
    half_sitting: np.ndarray  # (nq,), soles on the ground, feet around the origin
    comfort: np.ndarray  # (nq,)
    couplings: tuple[Coupling, ...]
    mirror: Mirror
    groups: Mapping[str, tuple[str, ...]]
    servos: Servos
    sensors: tuple[Sensor, ...]
    shapes: tuple[Shape, ...]
    height: float  # [m], standing
    model_hash: str
    licence: str = ""
    aliases: tuple[str, ...] = ()
    sources: Mapping[str, str] | None = None
    packages: tuple[Path, ...] = ()  # folders where package:// addresses are looked up

    # -- sizes and names -------------------------------------------------------------

    @cached_property
    def carriers(self) -> Carriers:
        """Which joint carries each frame, and which entries of v move it."""
        return carriers(self.model)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The actuated joints, in the order of q[7:] and v[6:]."""
        return tuple(self.model.names)[2:]

    @property
    def nq(self) -> int:
        """Width of q: 7 + number of joints."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Width of v: 6 + number of joints."""
        return self.model.nv

    @property
    def na(self) -> int:
        """Number of actuated joints."""
        return self.model.nv - BASE_V

    @cached_property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(pin.computeTotalMass(self.model))

    @cached_property
    def weight(self) -> float:
        """Mass times gravity [N]."""
        return self.mass * GRAVITY

    @cached_property
    def lower(self) -> np.ndarray:
        """Lowest joint angles [rad], (na,)."""
        return _frozen(self.model.lowerPositionLimit[BASE_Q:])

    @cached_property
    def upper(self) -> np.ndarray:
        """Highest joint angles [rad], (na,)."""
        return _frozen(self.model.upperPositionLimit[BASE_Q:])

    @cached_property
    def velocity_limit(self) -> np.ndarray:
        """Highest joint speeds [rad/s], (na,)."""
        return _frozen(self.model.velocityLimit[BASE_V:])

    @cached_property
    def effort_limit(self) -> np.ndarray:
        """Highest joint torques [N m], (na,)."""
        return _frozen(self.model.effortLimit[BASE_V:])

    @cached_property
    def feet(self) -> tuple[str, ...]:
        """The parts that have a sole, left first."""
        return tuple(sorted(self.soles, key=lambda part: ("left" not in part, part)))

    # -- looking things up -----------------------------------------------------------

    @cached_property
    def _frame_ids(self) -> dict[str, int]:
        return {}

    def frame_id(self, name: str) -> int:
        """Index of a frame of the model, by part, link or joint name."""
        found = self._frame_ids.get(name)
        if found is None:
            for kind in _LOOKED_UP:
                if self.model.existFrame(name, kind):
                    found = self._frame_ids[name] = self.model.getFrameId(name, kind)
                    return found
            raise NotFound("frame", name, [frame.name for frame in self.model.frames])
        return found

    @cached_property
    def _joint_index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.joint_names)}

    def index(self, joint: str) -> int:
        """Position of a joint in `joint_names`."""
        try:
            return self._joint_index[joint]
        except KeyError:
            raise NotFound("joint", joint, self.joint_names) from None

    def indices(self, group: str) -> np.ndarray:
        """Positions in `joint_names` of the joints of a group ("left_arm", ...)."""
        if group not in self.groups:
            raise NotFound("joint group", group, list(self.groups))
        return np.array([self.index(name) for name in self.groups[group]], dtype=int)

    # -- configurations --------------------------------------------------------------

    def posture(self, angles: Mapping[str, float], start: np.ndarray | None = None) -> np.ndarray:
        """Half-sitting (or `start`), with some joints at given angles [rad]; couplings kept."""
        q = np.array(self.half_sitting if start is None else start, dtype=float)
        for name, angle in angles.items():
            q[BASE_Q + self.index(name)] = angle
        for c in self.couplings:
            q[BASE_Q + self.index(c.joint)] = c.multiplier * q[BASE_Q + self.index(c.of)] + c.offset
        return q

    @cached_property
    def coupling_rows(self) -> np.ndarray:
        """C such that C v = 0 for every velocity the motors allow, (couplings, nv)."""
        rows = np.zeros((len(self.couplings), self.nv))
        for row, c in zip(rows, self.couplings, strict=True):
            row[BASE_V + self.index(c.joint)] = 1.0
            row[BASE_V + self.index(c.of)] = -c.multiplier
        return _frozen(rows)

    def coupling_gap(self, q: np.ndarray) -> np.ndarray:
        """How far coupled joints are from where their motor holds them [rad], (couplings,)."""
        return np.array(
            [
                q[BASE_Q + self.index(c.joint)]
                - c.multiplier * q[BASE_Q + self.index(c.of)]
                - c.offset
                for c in self.couplings
            ]
        )

    @cached_property
    def motor_map(self) -> np.ndarray:
        """Motor torques from joint torques, (na, na).

        A motor that drives two joints carries the sum of their torques, told at the joint
        that leads; the row of the joint that follows is zero.
        """
        motors = np.eye(self.na)
        for c in self.couplings:
            follower, leader = self.index(c.joint), self.index(c.of)
            motors[leader, follower] = c.multiplier
            motors[follower, follower] = 0.0
        return _frozen(motors)

    def coupled(self, q: np.ndarray) -> np.ndarray:
        """The same configurations with every coupled joint where its leader puts it."""
        q = np.array(q, dtype=float)
        for c in self.couplings:
            q[..., BASE_Q + self.index(c.joint)] = (
                c.multiplier * q[..., BASE_Q + self.index(c.of)] + c.offset
            )
        return q

    def mirrored(self, q: np.ndarray) -> np.ndarray:
        """Configurations seen in the mirror of the xz plane, (..., nq)."""
        q = np.asarray(q, dtype=float)
        image = q.copy()
        image[..., 1] = -q[..., 1]
        image[..., 3] = -q[..., 3]  # the quaternion of a mirrored rotation: x and z change sign
        image[..., 5] = -q[..., 5]
        image[..., BASE_Q:] = self.mirror.joints(q[..., BASE_Q:])
        return image

    def at(self, q: np.ndarray, v: np.ndarray | None = None) -> Snapshot:
        """The robot at one instant, kinematics (and with v, dynamics) computed."""
        return Snapshot(self, q, v)

    def still(self, q: np.ndarray) -> StillSnapshot:
        """The robot at rest: kinematics alone, in a third of the time."""
        return StillSnapshot(self, q)

    def __repr__(self) -> str:
        return f"Robot({self.name}: {self.na} joints, {self.mass:.3g} kg, {self.height:.3g} m)"


def _frozen(array: np.ndarray) -> np.ndarray:
    array = np.array(array, dtype=float)
    array.setflags(write=False)
    return array
