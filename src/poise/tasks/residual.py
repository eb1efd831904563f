"""The atom of every controller: something that is zero when the robot does what we want.

A residual answers once per instant with its first-order picture and what second order needs:

    error(q),    d error / dt = jacobian @ v + flow,    d² error / dt² = jacobian @ a + drift

`flow` and the target's share of `drift` come from targets that move by themselves. Inverse
kinematics uses error, jacobian and flow; inverse dynamics uses all four; a check may look at
the error alone. A control tick hands its own memory to `fill`; everybody else calls
`linearize`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from poise.robot import Snapshot


class Linear(NamedTuple):
    """A residual around one instant."""

    error: np.ndarray  # (m,), in the residual's unit
    jacobian: np.ndarray  # (m, nv)
    flow: np.ndarray  # (m,), rate of the error when the robot stands still
    drift: np.ndarray  # (m,), second derivative of the error when dv/dt = 0


class Residual(ABC):
    """Something that is zero when the robot does what we want."""

    unit: ClassVar[str]
    order: ClassVar[int] = 2  # which derivative of the error is linear in accelerations

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many numbers the error has."""

    @abstractmethod
    def fill(self, at: Snapshot, out: Linear) -> None:
        """Write error, jacobian, flow and drift; flow and drift come in as zeros."""

    def linearize(self, at: Snapshot) -> Linear:
        """The residual around a snapshot, in memory of its own."""
        m, nv = self.rows, at.robot.nv
        out = Linear(np.zeros(m), np.zeros((m, nv)), np.zeros(m), np.zeros(m))
        self.fill(at, out)
        return out


@dataclass(frozen=True, eq=False)
class Task:
    """A residual, what a unit of its error costs, and how fast the error should die.

    In inverse dynamics the error is asked to obey e'' = -gain e - damping e'; critically damped
    unless a damping is given. In inverse kinematics the gain is a rate [1/s] and the damping
    does not matter.
    """

    name: str
    residual: Residual
    weight: float = 1.0  # [1 / unit^2]
    gain: float = 100.0  # [1/s^2] in dynamics, [1/s] in kinematics
    damping: float | None = None  # [1/s]

    @property
    def damping_rate(self) -> float:
        """The damping in use [1/s]."""
        return 2.0 * self.gain**0.5 if self.damping is None else self.damping

    def __repr__(self) -> str:
        return f"{self.name} ({self.weight:g}/{self.residual.unit}^2)"
