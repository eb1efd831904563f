"""Pictures of motions without a display, and marks drawn into them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np

from poise.errors import BadInput, PoiseError
from poise.motion import Mark
from poise.robot import Robot
from poise.simulation.bridge import qpos_of
from poise.simulation.looks import build_looks
from poise.simulation.scene import Scene

DOT, LINE, ARROW = 0.012, 0.006, 0.012  # [m] for a robot of one metre
MOST_PIXELS = 4096  # either way


@dataclass(frozen=True)
class Camera:
    """From where a picture is taken."""

    azimuth: float = 140.0  # [deg], 180 looks at the robot's face, 90 at its right side
    elevation: float = -12.0  # [deg], negative looks down
    distance: float | None = None  # [m]; None is far enough to see the whole robot
    follow: bool = True  # keep the base in the middle
    target: tuple[float, float, float] | None = None  # [m], where it looks, when not following


def frames(
    robot: Robot,
    configurations: Sequence[np.ndarray] | np.ndarray,
    size: tuple[int, int] = (640, 480),
    camera: Camera | None = None,
    marks: Sequence[Mark] | Sequence[Sequence[Mark]] = (),
    scene: Scene | None = None,
) -> list[np.ndarray]:
    """Pictures of a robot at some configurations, (height, width, 3) of uint8 each.

    Args:
        robot: drawn with the visual shapes of its URDF.
        configurations: (n, nq).
        size: width and height [pixels].
        camera: where to look from.
        marks: to draw in every picture, or a list of marks for each picture.
        scene: floor and solids around the robot.
    """
    return list(pictures(robot, configurations, size, camera, marks, scene))


def pictures(
    robot: Robot,
    configurations: Sequence[np.ndarray] | np.ndarray,
    size: tuple[int, int] = (640, 480),
    camera: Camera | None = None,
    marks: Sequence[Mark] | Sequence[Sequence[Mark]] = (),
    scene: Scene | None = None,
) -> Iterator[np.ndarray]:
    """The same as `frames`, one after the other, for films longer than the memory."""
    configurations = np.atleast_2d(np.asarray(configurations, dtype=float))
    _check(robot, configurations, size)
    each = _marks_of_each(marks, len(configurations))
    camera = camera or Camera()
    model = build_looks(robot, scene or Scene(), size)
    data = mujoco.MjData(model)
    renderer = _renderer(model, size)
    try:
        view = _view(robot, camera, configurations[0])
        for q, shown in zip(configurations, each, strict=True):
            data.qpos[:] = qpos_of(q)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            if camera.follow:
                view.lookat[:2] = q[:2]
            _light_from_above(model, data, view.lookat)
            renderer.update_scene(data, view)
            for mark in shown:
                _draw(renderer.scene, mark, max(robot.height, 0.3))
            yield renderer.render()
    finally:
        renderer.close()


def _check(robot: Robot, configurations: np.ndarray, size: tuple[int, int]) -> None:
    if configurations.shape[1] != robot.nq:
        raise BadInput(
            "frames", "configurations", f"of width {configurations.shape[1]}", f"{robot.nq}"
        )
    if not all(0 < s <= MOST_PIXELS for s in size):
        raise BadInput("frames", "size", f"{size}", f"width and height up to {MOST_PIXELS}")


def _marks_of_each(
    marks: Sequence[Mark] | Sequence[Sequence[Mark]], count: int
) -> list[Sequence[Mark]]:
    if all(isinstance(mark, Mark) for mark in marks):
        return [marks] * count  # type: ignore[list-item]
    if len(marks) != count:
        raise BadInput("frames", "marks", f"for {len(marks)} pictures", f"marks for {count}")
    return list(marks)  # type: ignore[arg-type]


def _renderer(model: mujoco.MjModel, size: tuple[int, int]) -> mujoco.Renderer:
    width, height = size
    try:
        return mujoco.Renderer(model, height=height, width=width)
    except (ImportError, AttributeError, RuntimeError, OSError, mujoco.FatalError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else "no OpenGL"
        raise PoiseError(
            f"No picture can be drawn here ({first}); install libegl1 or libosmesa6, or set "
            "MUJOCO_GL to egl, osmesa or glfw."
        ) from None


def _view(robot: Robot, camera: Camera, q: np.ndarray) -> mujoco.MjvCamera:
    view = mujoco.MjvCamera()
    view.type = mujoco.mjtCamera.mjCAMERA_FREE
    view.azimuth, view.elevation = camera.azimuth, camera.elevation
    height = max(robot.height, 0.3)
    view.distance = camera.distance or 2.3 * height
    view.lookat[:] = camera.target or (q[0], q[1], 0.48 * height)
    return view


def _light_from_above(model: mujoco.MjModel, data: Any, target: np.ndarray) -> None:
    """Keep the lights over what is looked at: shadows are sharp only near their light."""
    for light in range(model.nlight):
        data.light_xpos[light] = target - 2.0 * model.stat.extent * data.light_xdir[light]


def _draw(scene: mujoco.MjvScene, mark: Mark, scale: float) -> None:
    points = np.asarray(mark.points, dtype=float).reshape(-1, 3)
    rgba = np.array([*(c / 255.0 for c in mark.colour), 1.0], dtype=np.float32)
    if mark.arrow and len(points) == 2:
        _connect(scene, mujoco.mjtGeom.mjGEOM_ARROW, ARROW * scale, points, rgba)
    elif len(points) == 1:
        geom = _new(scene, mujoco.mjtGeom.mjGEOM_SPHERE, rgba)
        if geom is not None:
            geom.size[:] = DOT * scale
            geom.pos[:] = points[0]
    elif len(points) > 1:
        ends = np.vstack([points, points[:1]]) if mark.closed else points
        for pair in pairwise(ends):
            _connect(scene, mujoco.mjtGeom.mjGEOM_CAPSULE, LINE * scale, np.array(pair), rgba)


def _connect(
    scene: mujoco.MjvScene, kind: int, width: float, ends: np.ndarray, rgba: np.ndarray
) -> None:
    if np.allclose(ends[0], ends[1], atol=1e-6):
        return
    geom = _new(scene, kind, rgba)
    if geom is not None:
        mujoco.mjv_connector(geom, kind, width, ends[0], ends[1])


def _new(scene: mujoco.MjvScene, kind: int, rgba: np.ndarray) -> mujoco.MjvGeom | None:
    """A fresh geom of the scene, or None when it is full."""
    if scene.ngeom >= scene.maxgeom:
        return None
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(geom, kind, np.ones(3), np.zeros(3), np.eye(3).ravel(), rgba)
    geom.emission = 0.4
    scene.ngeom += 1
    return geom
