"""A scene made concrete for one robot: contacts, phases, tasks and limits as numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from poise.engines.multicontact.frame_error import frame_error
from poise.engines.multicontact.sharing import Grip
from poise.engines.multicontact.spatial import skew

FLOATING = ("x", "y", "yaw")  # coordinates of a contact that may be left to the optimiser


@dataclass(frozen=True, eq=False)
class Hold:
    """A part that rests on a surface, in some phases.

    The contact frame sits on the part; while it holds, that frame
    rests at `T_world_surface`, moved along the surface by the free coordinates.
    """

    name: str
    part: str
    joint: int  # of the chart's model
    T_joint_contact: pin.SE3
    T_part_contact: pin.SE3
    T_world_surface: pin.SE3
    points: np.ndarray  # [m], (k, 3), in the contact frame
    friction: float
    chain: np.ndarray  # coordinates that move it, rising
    free: tuple[str, ...] = ()  # of FLOATING
    reach: dict[str, tuple[float, float]] = field(default_factory=dict)  # of the free ones
    turns: bool = False  # whether the part may turn about its points
    least_force: float = 5.0  # [N], on each point
    most_force: float = np.inf  # [N], of the whole contact, along the normal

    @property
    def rows(self) -> int:
        """Equations that hold it: three places and, unless it turns, three angles."""
        return 3 if self.turns else 6

    def grip(self, floats: np.ndarray) -> Grip:
        """As the force distribution sees it, at values of its free coordinates (f,)."""
        T = self.pose(floats)
        world = self.points @ T.rotation.T + T.translation
        ways = []
        for name in self.free:
            if name == "yaw":
                arm = world - T.translation
                ways.append(np.cross(self.T_world_surface.rotation[:, 2], arm))
            else:
                axis = self.T_world_surface.rotation[:, "xy".index(name)]
                ways.append(np.tile(axis, (len(world), 1)))
        stacked = np.stack(ways) if ways else np.zeros((0, *world.shape))
        return Grip(self.T_world_surface.rotation, world, self.friction, stacked)

    def pose(self, floats: np.ndarray) -> pin.SE3:
        """Where the contact frame rests at values of its free coordinates (f,)."""
        at = dict(zip(self.free, floats, strict=True))
        shift = np.array([at.get("x", 0.0), at.get("y", 0.0), 0.0])
        yaw = float(at.get("yaw", 0.0))
        c, s = np.cos(yaw), np.sin(yaw)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return self.T_world_surface * pin.SE3(turn, shift)

    def residual(
        self, R: np.ndarray, p: np.ndarray, Jt: np.ndarray, floats: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How far the frame is from where it rests, surface axes, at instants (n).

        Args:
            R: orientation of the joint, (n, 3, 3).
            p: place of the joint [m], (n, 3).
            Jt: motions about the world's origin, (n, nv, 6).
            floats: free coordinates (f,).

        Returns:
            Values (n, rows), derivatives by the chain (n, rows, c) and by the floats (n, rows, f).
        """
        goal, free = self.pose(floats), self.free
        value = np.empty((len(p), self.rows))
        by_q = np.empty((len(p), self.rows, len(self.chain)))
        by_float = np.zeros((len(p), self.rows, len(free)))
        joint, surface = self.T_joint_contact, self.T_world_surface
        by_yaw = frame_error(
            *(R, p, Jt, self.chain),
            *(joint.rotation, joint.translation),
            *(surface.rotation, goal.rotation, goal.translation),
            *(value, by_q),
        )
        for k, name in enumerate(free):
            if name != "yaw":
                by_float[:, "xy".index(name), k] = -1.0
            elif not self.turns:
                by_float[:, 3:, k] = by_yaw
        return value, by_q, by_float


@dataclass(frozen=True, eq=False)
class Task:
    """A point of a part inside a box of the world, or fast enough, at one instant."""

    name: str
    joint: int
    point: np.ndarray  # [m], (3,), in the joint's frame
    chain: np.ndarray
    phase: int
    share: float  # of the phase, rounded to a node
    low: np.ndarray  # [m], (3,), world; -inf where it does not matter
    high: np.ndarray
    direction: np.ndarray | None = None  # unit vector (3,)
    speed: float = 0.0  # [m/s], at least, along the direction


@dataclass(frozen=True)
class Phase:
    """A stretch of time with one set of contacts."""

    name: str
    holds: tuple[int, ...]  # positions in the stage's list
    shortest: float  # [s]
    longest: float  # [s]
    guess: float  # [s]
    spans: int


@dataclass(frozen=True, eq=False)
class Stage:
    """Everything that is asked of one robot."""

    holds: tuple[Hold, ...]
    phases: tuple[Phase, ...]
    tasks: tuple[Task, ...]
    start: np.ndarray  # (nv,), flat coordinates
    end: np.ndarray | None  # (nv,), or left to the optimiser
    torque_limit: np.ndarray  # [N m], (na,)
    lower: np.ndarray  # (nv,), of the coordinates
    upper: np.ndarray
    vertical: tuple[float, float] | None  # [N], bounds on the vertical force for all time
    weight: float  # [N]
    humps: tuple[tuple[np.ndarray, np.ndarray], ...] = ()  # corners of boxes around solids [m]

    def float_slots(self) -> list[slice]:
        """Where the free coordinates of each hold stand in the vector of all."""
        slots, at = [], 0
        for hold in self.holds:
            slots.append(slice(at, at + len(hold.free)))
            at += len(hold.free)
        return slots


def point_jacobian(moved: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Jacobian of points x (n, 3), world axes, (n, 3, c).

    Args:
        moved: motions of the c coordinates that carry them, (n, c, 6).
        x: the points [m].
    """
    return (moved[:, :, :3] + moved[:, :, 3:] @ skew(x)).transpose(0, 2, 1)
