"""Touch and ContactPlan: who touches what, when, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pinocchio as pin


@dataclass(frozen=True, eq=False)
class Touch:
    """A part of the robot stays on a surface for a while.

    While it touches, the part's frame rests at `T_world_surface`, whose z is the outward
    normal of the surface. When a foot rolls over its heel or toe, only the points of that edge
    are listed: they stay where they are while the part turns about them.
    """

    part: str
    start: float  # [s]
    end: float  # [s]
    T_world_surface: pin.SE3
    points: np.ndarray  # [m], (k, 3), in the part's frame

    @property
    def duration(self) -> float:
        """How long it lasts [s]."""
        return self.end - self.start

    @property
    def normal(self) -> np.ndarray:
        """Outward normal of the surface, world axes, (3,)."""
        return self.T_world_surface.rotation[:, 2]

    @property
    def anchors(self) -> np.ndarray:
        """Where the points are to stay in the world [m], (k, 3)."""
        T = self.T_world_surface
        return self.points @ T.rotation.T + T.translation

    @property
    def is_edge(self) -> bool:
        """Whether it is an edge or a point only, about which the part may turn."""
        return _in_a_line(np.asarray(self.points, dtype=float).tobytes())


@lru_cache(maxsize=256)  # soles have few shapes, and plans ask often
def _in_a_line(points: bytes) -> bool:
    """Whether points (k, 3), as the bytes of their numbers, lie in a line or are one."""
    cloud = np.frombuffer(points).reshape(-1, 3)
    return bool(np.linalg.matrix_rank(cloud - cloud.mean(axis=0), tol=1e-6) < 2)


@dataclass(frozen=True, eq=False)
class ContactPlan:
    """Who touches what, when; touches in order of their start."""

    touches: tuple[Touch, ...] = ()

    @classmethod
    def of(cls, touches: Iterable[Touch]) -> ContactPlan:
        """A plan of touches given in any order."""
        return cls(tuple(sorted(touches, key=lambda t: (t.start, t.part))))

    def active(self, time: float) -> tuple[Touch, ...]:
        """Touches that hold at an instant [s]; the last instant of the plan counts as held."""
        last = self.end
        return tuple(t for t in self.touches if t.start <= time < t.end or (time == last == t.end))

    def at(self, time: float) -> frozenset[str]:
        """Parts in contact at an instant [s]."""
        return frozenset(t.part for t in self.active(time))

    @property
    def end(self) -> float:
        """When the last touch ends [s]."""
        return max((t.end for t in self.touches), default=0.0)

    @property
    def switches(self) -> tuple[float, ...]:
        """Instants where the set of contacts changes [s]."""
        return tuple(sorted({s for t in self.touches for s in (t.start, t.end)}))

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts that ever touch."""
        return tuple(sorted({t.part for t in self.touches}))

    def shifted(self, delay: float) -> ContactPlan:
        """The same contacts, later by a delay [s]."""
        return ContactPlan(
            tuple(replace(t, start=t.start + delay, end=t.end + delay) for t in self.touches)
        )

    def between(self, start: float, end: float) -> ContactPlan:
        """What of the plan lies between two instants [s]."""
        return ContactPlan(
            tuple(
                replace(t, start=max(t.start, start), end=min(t.end, end))
                for t in self.touches
                if t.end > start and t.start < end
            )
        )
