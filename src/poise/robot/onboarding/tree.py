"""The tree of moving joints of a model, with what each joint carries.

Everything is told in the axes of the root link, at the zero posture of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin

ROOT = 1  # the floating base; joint 0 is Pinocchio's universe


@dataclass(frozen=True, eq=False)
class Tree:
    """Joints by Pinocchio index; arrays have one row for each, the first two being no motors."""

    model: pin.Model
    position: np.ndarray  # [m], (njoints, 3)
    axis: np.ndarray  # unit, (njoints, 3)
    turns: np.ndarray  # (njoints,), False for a joint that slides
    mass: np.ndarray  # [kg], (njoints,), of the body right behind the joint
    carried: np.ndarray  # [kg], (njoints,), of everything behind the joint
    centre: np.ndarray  # [m], (njoints, 3), centre of mass of everything behind the joint

    @property
    def total(self) -> float:
        """Mass of the whole robot [kg]."""
        return float(self.carried[ROOT])

    def name(self, joint: int) -> str:
        """Name of a joint."""
        return str(self.model.names[joint])

    def children(self, joint: int) -> list[int]:
        """Joints right behind a joint."""
        return [int(child) for child in self.model.children[joint]]

    def parent(self, joint: int) -> int:
        """The joint right before a joint."""
        return int(self.model.parents[joint])

    def behind(self, joint: int) -> list[int]:
        """A joint and all joints behind it, from the root outwards."""
        found = [joint]
        for child in self.children(joint):
            found += self.behind(child)
        return found

    def path(self, joint: int) -> list[int]:
        """Joints from the root (left out) to a joint (included)."""
        found: list[int] = []
        while joint > ROOT:
            found.insert(0, joint)
            joint = self.parent(joint)
        return found

    def pose(self, joint: int) -> pin.SE3:
        """T_root_joint at the zero posture."""
        T = pin.SE3.Identity()
        for j in self.path(joint):
            T = T * self.model.jointPlacements[j]
        return T

    def meeting(self, joints: tuple[int, ...]) -> np.ndarray:
        """The point nearest to the axes of some joints [m]: a shoulder, an ankle."""
        A = 1e-3 * np.eye(3)
        b = 1e-3 * np.mean([self.position[j] for j in joints], axis=0)
        for j in joints:
            across = np.eye(3) - np.outer(self.axis[j], self.axis[j])
            A, b = A + across, b + across @ self.position[j]
        return np.linalg.solve(A, b)

    def joints(self) -> Iterator[int]:
        """All joints but the floating base."""
        return iter(range(ROOT + 1, self.model.njoints))

    @cached_property
    def links(self) -> tuple[tuple[str, ...], ...]:
        """Links fixed to each joint; the one the joint moves itself comes first."""
        found: list[list[str]] = [[] for _ in range(self.model.njoints)]
        for frame in self.model.frames:
            if frame.type == pin.FrameType.BODY:
                links = found[frame.parentJoint]
                above = self.model.frames[frame.parentFrame]
                if above.type == pin.FrameType.JOINT and frame.parentJoint > ROOT:
                    links.insert(0, frame.name)
                else:
                    links.append(frame.name)
        return tuple(tuple(links) for links in found)


def read_tree(model: pin.Model) -> Tree:
    """The tree of a model at its zero posture."""
    data = model.createData()
    q = pin.neutral(model)
    pin.computeJointJacobians(model, data, q)
    pin.centerOfMass(model, data, q, True)
    n = model.njoints
    position = np.array([data.oMi[j].translation for j in range(n)])
    axis, turns = np.zeros((n, 3)), np.ones(n, dtype=bool)
    for j in range(ROOT + 1, n):
        column = pin.getJointJacobian(model, data, j, pin.LOCAL_WORLD_ALIGNED)[
            :, model.joints[j].idx_v
        ]
        turns[j] = bool(np.linalg.norm(column[3:]) > 0.5)
        axis[j] = column[3:] if turns[j] else column[:3]
    mass = np.array([0.0, *[inertia.mass for inertia in model.inertias[1:]]])
    return Tree(
        model=model,
        position=position,
        axis=axis,
        turns=turns,
        mass=mass,
        carried=np.array([data.mass[j] for j in range(n)]),
        centre=np.array([data.oMi[j].act(data.com[j]) if j else np.zeros(3) for j in range(n)]),
    )


def frame_pose(tree: Tree, link: str) -> pin.SE3:
    """T_root_link at the zero posture."""
    frame = tree.model.frames[tree.model.getFrameId(link, pin.FrameType.BODY)]
    return tree.pose(frame.parentJoint) * frame.placement
