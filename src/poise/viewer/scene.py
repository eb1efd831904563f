"""A robot in a browser: one node for each joint, so that a new posture sends only angles."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pinocchio as pin
import viser
from viser._messages import SetOrientationMessage

from poise.robot import Robot
from poise.robot.quaternion import quat_of
from poise.viewer.colours import Rgb
from poise.viewer.looks import Look, looks_of

GHOST_OPACITY = 0.35
# Of a quaternion, and of the height of a robot: a twentieth of a pixel. What moves less is sent
# when it has added up to this, so that a robot that stands costs its browser nothing, and the next
# thing that moves is drawn at once.
UNSEEN = 1e-4


class Page(Protocol):
    """A whole viser server, or one browser connected to it: both have a scene."""

    scene: viser.SceneApi

    def atomic(self) -> AbstractContextManager[None]:
        """What is sent inside is shown at once."""
        ...


@dataclass(frozen=True, eq=False)
class Grabbed:
    """The mouse holds the robot: at a point that moves with it, and pulls to another."""

    joint: int  # of the model, that carries what is held
    phase: str  # "start", "update" or "end"
    held: np.ndarray  # [m], (3,), in the scene
    mouse: np.ndarray  # [m], (3,), at the same distance from the camera


class RobotScene:
    """A robot drawn in a scene.

    The nodes hang on each other as the joints do, so the browser does the kinematics: moving
    the robot sends the pose of its base and one small rotation for each joint that moved.

    Args:
        page: a viser server, to show every browser the same, or one client of it.
        robot: whom to draw.
        root: scene path of the robot.
        ghost: a colour to draw it in, transparent and without shadow, beside another.
    """

    def __init__(
        self, page: Page, robot: Robot, root: str = "/robot", ghost: Rgb | None = None
    ) -> None:
        self.robot = robot
        self._page = page
        self._data = robot.model.createData()
        self._root = page.scene.add_frame(root, show_axes=False)
        paths = [root]
        self._nodes: list[viser.FrameHandle] = []
        for joint in range(1, robot.model.njoints):
            name = robot.model.names[joint].replace("/", "_")
            paths.append(f"{paths[robot.model.parents[joint]]}/{name}")
            self._nodes.append(page.scene.add_frame(paths[joint], show_axes=False))
        self._looks = looks_of(robot)
        self._shapes = [
            (self._add(f"{paths[look.joint]}/shape{k}", look, ghost), look.opacity)
            for k, look in enumerate(self._looks)
        ]
        self._held: list[viser.MeshHandle] = []
        self._slides = [
            joint == 1 or not _only_turns(robot.model.joints[joint])
            for joint in range(1, robot.model.njoints)
        ]
        for node, placement in zip(self._nodes, robot.model.jointPlacements[1:], strict=True):
            node.position = placement.translation
        self._turned = [(1.0, 0.0, 0.0, 0.0)] * len(self._nodes)  # as the browser has them, wxyz
        self.update(robot.half_sitting)

    def _add(self, path: str, look: Look, ghost: Rgb | None) -> viser.MeshHandle:
        opacity = GHOST_OPACITY if ghost else _opacity(look.opacity)
        return self._page.scene.add_mesh_simple(
            path,
            look.vertices,
            look.faces,
            color=ghost or look.rgb,
            opacity=opacity,
            # without a graphics card, the second side costs about a tenth of the picture
            side="double" if look.two_sided else "front",
            cast_shadow=ghost is None,
            receive_shadow=ghost is None,
        )

    def update(self, q: np.ndarray) -> None:
        """Show a configuration, (nq,)."""
        pin.forwardKinematics(self.robot.model, self._data, q)
        T_parent_joint = self._data.liMi
        with self._page.atomic():
            for k, node in enumerate(self._nodes):
                T = T_parent_joint[k + 1]
                x, y, z, w = quat_of(T.rotation).tolist()
                if _differ((w, x, y, z), self._turned[k]):
                    self._turned[k] = (w, x, y, z)
                    turn(node, (w, x, y, z))
                if self._slides[k]:
                    node.position = T.translation

    def see_through(self, opacity: float | None) -> None:
        """Make the robot transparent, to show what is inside of it; None: as it was."""
        with self._page.atomic():
            for shape, own in self._shapes:
                shape.opacity = _opacity(own if opacity is None else min(own, opacity))

    def grab(self, act: Callable[[Grabbed], None], joints: Collection[int] | None = None) -> None:
        """Let the mouse take hold of the robot; where it does, a drag no longer turns the camera.

        Args:
            act: called on the event loop in the order of what happens; it must be quick.
            joints: whose shapes can be taken hold of; all when absent.
        """
        self.release()
        for (shape, _), look in zip(self._shapes, self._looks, strict=True):
            if joints is not None and look.joint not in joints:
                continue

            async def dragged(event: Any, joint: int = look.joint) -> None:
                act(
                    Grabbed(
                        joint,
                        event.phase,
                        np.array(event.start_position),
                        np.array(event.end_position),
                    )
                )

            shape.on_drag("left")(dragged)
            self._held.append(shape)

    def release(self) -> None:
        """The mouse turns the camera again, wherever it is."""
        for shape in self._held:
            shape.remove_drag_callback()
        self._held = []

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return self._root.visible

    @visible.setter
    def visible(self, shown: bool) -> None:
        self._root.visible = shown

    def remove(self) -> None:
        """Take the robot out of the scene."""
        self._root.remove()


def turn(node: viser.SceneNodeHandle, wxyz: tuple[float, float, float, float]) -> None:
    """Set the orientation of a node as `node.wxyz = ...` does, five times cheaper.

    The setter compares arrays before it sends, which costs more than sending: 2 ms for the
    29 joints of a robot, sixty times a second, for each browser.
    """
    node._impl.api._queue_scene_message(SetOrientationMessage(node.name, wxyz))


def _differ(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether a person could see that two quaternions differ."""
    return any(abs(a - b) > UNSEEN for a, b in zip(one, other, strict=True))


def _opacity(opacity: float) -> float | None:
    return opacity if opacity < 1.0 else None  # viser draws None as solid, which is cheaper


def _only_turns(joint: pin.JointModel) -> bool:
    return joint.nq == 1 and "JointModelR" in joint.shortname()
