"""Evidence: everything the questions look at, measured once from the motion and the robot.

The judge trusts the path q(t) and the robot, nothing else: velocities, accelerations, contact
forces and torques are its own, whatever the motion's file says about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin

from poise.checks.contact_forces import Carried, carry
from poise.checks.derivatives import path_derivatives
from poise.checks.detection import detected_touches
from poise.checks.options import CheckOptions
from poise.checks.phases import Phase, active_touches, phases_of
from poise.checks.torques import motor_torques
from poise.contacts import Touch
from poise.motion import Motion
from poise.robot import Robot


@dataclass(frozen=True, eq=False)
class Track:
    """A frame of the robot over time."""

    position: np.ndarray  # [m], (n, 3), world
    rotation: np.ndarray  # (n, 3, 3), R_world_frame

    def of(self, points: np.ndarray) -> np.ndarray:
        """Where points of the frame are in the world [m], (n, k, 3)."""
        return self.position[:, None] + np.einsum("nij,kj->nki", self.rotation, points)


class Evidence:
    """What is measured of a motion that can be read: finite, ordered, of this robot.

    Everything is computed when it is first asked for, and kept.
    """

    def __init__(self, motion: Motion, robot: Robot, options: CheckOptions) -> None:
        self.motion, self.robot, self.options = motion, robot, options
        self.time = np.asarray(motion.time, dtype=float)
        self.q = np.array(motion.q, dtype=float)
        self.q[:, 3:7] /= np.linalg.norm(self.q[:, 3:7], axis=1, keepdims=True)
        self.n = len(self.time)

    # -- contacts --------------------------------------------------------------------

    @property
    def detected(self) -> bool:
        """Whether the contacts had to be found from the feet, for want of a plan."""
        return not self.motion.contacts.touches

    @cached_property
    def touches(self) -> tuple[Touch, ...]:
        """Who touches what, when: the plan's, or what the feet look like."""
        if self.detected:
            return detected_touches(self.robot, self.time, self.tracks)
        known = self.robot.model.existFrame
        return tuple(
            t
            for t in self.motion.contacts.touches
            if known(t.part) and len(t.points) and np.isfinite(t.points).all()
        )

    @cached_property
    def active(self) -> np.ndarray:
        """Which touch holds at which instant, (n, touches), bool."""
        return active_touches(self.time, self.touches)

    @cached_property
    def carrying(self) -> np.ndarray:
        """Which touch can carry at which instant, (n, touches), bool.

        That is when it holds; what was recorded lands a little early or late, and carries
        where the part is on its surface.
        """
        early = self.options.early
        if early == 0.0:
            return self.active
        carrying = self.active.copy()
        for column, touch in zip(carrying.T, self.touches, strict=True):
            soon = (self.time > touch.start - early) & (self.time < touch.end + early)
            points = self.tracks[touch.part].of(touch.points)
            height = (points - touch.T_world_surface.translation) @ touch.normal
            column |= soon & (height.min(axis=1) < self.options.gap_limit)
        return carrying

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """Spans of time over which the same touches carry."""
        return phases_of(self.carrying)

    def carriers(self, row: int) -> str:
        """The parts that carry at an instant, as text."""
        parts = {self.touches[i].part for i in np.flatnonzero(self.carrying[row])}
        return " + ".join(sorted(parts))

    def touching(self, part: str) -> np.ndarray:
        """When a part touches anything, (n,), bool."""
        columns = [k for k, touch in enumerate(self.touches) if touch.part == part]
        return np.asarray(self.active[:, columns].any(axis=1))

    # -- kinematics ------------------------------------------------------------------

    @cached_property
    def _sweep(self) -> tuple[dict[str, Track], np.ndarray]:
        robot, model = self.robot, self.robot.model
        planned = [t.part for t in self.motion.contacts.touches if model.existFrame(t.part)]
        frames = sorted({*robot.feet, *planned})
        ids = [robot.frame_id(name) for name in frames]
        position = np.empty((len(frames), self.n, 3))
        rotation = np.empty((len(frames), self.n, 3, 3))
        com = np.empty((self.n, 3))
        data = model.createData()
        for k, q in enumerate(self.q):
            pin.forwardKinematics(model, data, q)
            com[k] = pin.centerOfMass(model, data, pin.KinematicLevel.POSITION, False)
            for i, frame in enumerate(ids):
                pose = pin.updateFramePlacement(model, data, frame)
                position[i, k] = pose.translation
                rotation[i, k] = pose.rotation
        tracks = {name: Track(position[i], rotation[i]) for i, name in enumerate(frames)}
        return tracks, com

    @property
    def tracks(self) -> Mapping[str, Track]:
        """The feet and every part that touches, over time."""
        return self._sweep[0]

    @property
    def com(self) -> np.ndarray:
        """Centre of mass [m], (n, 3)."""
        return self._sweep[1]

    @cached_property
    def soles(self) -> Mapping[str, np.ndarray]:
        """Outline of every sole in the world [m], part -> (n, k, 3)."""
        return {part: self.tracks[part].of(sole.outline) for part, sole in self.robot.soles.items()}

    @cached_property
    def _derivatives(self) -> tuple[np.ndarray, np.ndarray]:
        # only leaving the ground and landing are true steps of the acceleration
        airborne = ~self.carrying.any(axis=1)
        breaks = (np.flatnonzero(np.diff(airborne)) + 1).tolist()
        return path_derivatives(self.time, self.q, self.options.window, breaks)

    @property
    def v(self) -> np.ndarray:
        """Velocity of the path, base axes, (n, nv); not the stored one."""
        return self._derivatives[0]

    @property
    def a(self) -> np.ndarray:
        """Acceleration of the path, base axes, (n, nv)."""
        return self._derivatives[1]

    # -- dynamics --------------------------------------------------------------------

    @cached_property
    def inverse_dynamics(self) -> np.ndarray:
        """Generalised forces that the path asks for, contacts left out, (n, nv)."""
        model, data = self.robot.model, self.robot.model.createData()
        asked = np.empty((self.n, model.nv))
        for k in range(self.n):
            asked[k] = pin.rnea(model, data, self.q[k], self.v[k], self.a[k])
        return asked

    @cached_property
    def required(self) -> np.ndarray:
        """Wrench that the contacts have to give: world axes, about the origin, (n, 6)."""
        R = _rotations(self.q[:, 3:7])
        force = np.einsum("nij,nj->ni", R, self.inverse_dynamics[:, :3])
        moment = np.einsum("nij,nj->ni", R, self.inverse_dynamics[:, 3:6])
        return np.hstack([force, moment + np.cross(self.q[:, :3], force)])

    @cached_property
    def carried(self) -> Carried:
        """How the contacts share that wrench, and what they cannot give of it."""
        return carry(self)

    @cached_property
    def torques(self) -> np.ndarray:
        """Motor torques [N m], (n, na); where a motor drives two joints, at the one that leads."""
        return motor_torques(self)

    @cached_property
    def lever(self) -> float:
        """Half the length of a sole [m]: what makes a moment comparable with a force."""
        spans = [np.ptp(sole.polygon, axis=0).max() for sole in self.robot.soles.values()]
        return 0.5 * float(max(spans)) if spans else 0.1 * max(self.robot.height, 0.1)

    @property
    def travelled(self) -> float:
        """Length of the way of the base over the ground [m]."""
        return float(np.linalg.norm(np.diff(self.q[:, :2], axis=0), axis=1).sum())

    @cached_property
    def scratch(self) -> pin.Data:
        """Pinocchio's working memory, for whoever asks next."""
        return self.robot.model.createData()

    def when(self, row: int) -> float:
        """Time of an instant [s]."""
        return float(self.time[row])


def _rotations(quat_xyzw: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions, (n, 3, 3)."""
    x, y, z, w = quat_xyzw.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
