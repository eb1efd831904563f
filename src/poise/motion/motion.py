"""Motion: what every engine returns and every tool accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan
from poise.errors import BadInput, NotFound
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V


@dataclass(frozen=True, eq=False)
class Motion:
    """A whole-body motion of one robot over time, with the names of its columns."""

    robot: str  # name
    model_hash: str
    time: np.ndarray  # [s], (n,), increasing
    q: np.ndarray  # (n, 7 + na): base xyz [m], base quat_xyzw, joints [rad]
    v: np.ndarray  # (n, 6 + na): base linear, angular in base axes, joint rates
    joint_names: tuple[str, ...]
    tau: np.ndarray | None = None  # [N m], (n, na)
    contacts: ContactPlan = field(default_factory=ContactPlan)
    forces: Mapping[str, np.ndarray] = field(default_factory=dict)  # part -> (n, 6)
    signals: Mapping[str, np.ndarray] = field(default_factory=dict)  # name -> (n, k)
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n, na = len(self.time), len(self.joint_names)
        widths = {"q": (self.q, BASE_Q + na), "v": (self.v, BASE_V + na)}
        if self.tau is not None:
            widths["tau"] = (self.tau, na)
        widths |= {f"forces/{part}": (f, 6) for part, f in self.forces.items()}
        for key, (array, width) in widths.items():
            if array.shape != (n, width):
                raise BadInput("motion", key, f"of shape {array.shape}", f"({n}, {width})")
        for name, signal in self.signals.items():
            if signal.ndim != 2 or len(signal) != n:
                raise BadInput("motion", f"signals/{name}", f"of shape {signal.shape}", f"({n}, k)")

    # -- reading it ------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """From the first to the last instant [s]."""
        return float(self.time[-1] - self.time[0]) if len(self.time) else 0.0

    @property
    def rate(self) -> float:
        """Mean number of instants per second [Hz]."""
        return (len(self.time) - 1) / self.duration if self.duration > 0 else 0.0

    @property
    def joints(self) -> np.ndarray:
        """Joint angles [rad], (n, na)."""
        return self.q[:, BASE_Q:]

    def joint(self, name: str) -> np.ndarray:
        """The angle of one joint over time [rad], (n,)."""
        if name not in self.joint_names:
            raise NotFound("joint", name, self.joint_names)
        return self.joints[:, self.joint_names.index(name)]

    def row(self, time: float) -> int:
        """Index of the instant nearest to a time [s]."""
        return int(np.abs(self.time - time).argmin())

    # -- making another --------------------------------------------------------------

    def ordered_as(self, names: Sequence[str]) -> Motion:
        """The same motion with its joint columns in another order."""
        missing = [name for name in names if name not in self.joint_names]
        if missing or len(names) != len(self.joint_names):
            wrong = missing[0] if missing else f"{len(names)} joints"
            raise NotFound("joint of the motion", wrong, self.joint_names)
        columns = np.array([self.joint_names.index(name) for name in names], dtype=int)
        return replace(
            self,
            q=np.hstack([self.q[:, :BASE_Q], self.q[:, BASE_Q:][:, columns]]),
            v=np.hstack([self.v[:, :BASE_V], self.v[:, BASE_V:][:, columns]]),
            tau=None if self.tau is None else self.tau[:, columns],
            joint_names=tuple(names),
        )


def velocities(robot: Robot, time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Velocities of a sampled configuration path by central differences, (n, nv)."""
    n = len(time)
    v = np.zeros((n, robot.nv))
    if n < 2:
        return v
    for k in range(n):
        a, b = max(k - 1, 0), min(k + 1, n - 1)
        delta = pin.difference(robot.model, q[a], q[b]) / (time[b] - time[a])
        # a difference lives in the tangent space of its first point; bring the base to q[k]
        R_a, R_k = (pin.Quaternion(q[i, 3:7]).matrix() for i in (a, k))
        spin = R_k.T @ R_a
        v[k] = delta
        if a != b:
            v[k, :3] = R_k.T @ (q[b, :3] - q[a, :3]) / (time[b] - time[a])
        v[k, 3:6] = spin @ delta[3:6]
    return v


def motion_of(robot: Robot, time: np.ndarray, q: np.ndarray, **more: Any) -> Motion:
    """A motion of a robot from configurations over time; velocities are derived if not given.

    Args:
        robot: whose motion it is.
        time: instants [s], (n,).
        q: configurations, (n, nq).
        **more: any other field of Motion.
    """
    time, q = np.asarray(time, dtype=float), np.asarray(q, dtype=float)
    v = more.pop("v", None)
    return Motion(
        robot=robot.name,
        model_hash=robot.model_hash,
        time=time,
        q=q,
        v=velocities(robot, time, q) if v is None else v,
        joint_names=robot.joint_names,
        **more,
    )
