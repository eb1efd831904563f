"""What one browser sees: floor, robot, marks and a camera, in a world that can follow."""

from __future__ import annotations

import numpy as np
import viser

from poise.robot import Robot
from poise.viewer import colours
from poise.viewer.canvas import ViserCanvas
from poise.viewer.scene import RobotScene

WORLD = "/world"
FIELD_OF_VIEW = 0.65  # [rad]
NEAR = 5e-4  # of the robot's height, half a pixel: a world that has so little left to go stays
VIEWS = {  # from where, seen from the middle of the robot, in units of its height
    "Corner": (1.9, -1.55, 0.68),
    "Front": (2.4, 0.0, 0.25),
    "Side": (0.0, -2.4, 0.25),
    "Top": (-0.001, 0.0, 2.6),
}


class Stage:
    """The scene of one browser.

    Following the robot moves the world under it instead of the camera after it, so that a
    hand on the mouse is never fought.

    Args:
        client: the browser.
        robot: who stands on it.
        shadows: shadows and reflections; without them, a machine that has no graphics card
            draws four times faster.
    """

    def __init__(self, client: viser.ClientHandle, robot: Robot, shadows: bool = True) -> None:
        self.client = client
        self.height = robot.height
        self._plain_lights = [
            client.scene.add_light_directional(
                "/sun", intensity=2.2, position=(1.0, -1.5, 3.0), visible=False
            ),
            client.scene.add_light_hemisphere(
                "/sky", intensity=1.7, ground_color=(190, 190, 195), visible=False
            ),
        ]
        if not shadows:
            self.light(shadows)
        self._world = client.scene.add_frame(WORLD, show_axes=False)
        client.scene.add_grid(
            f"{WORLD}/floor",
            infinite_grid=True,
            cell_size=0.1,
            cell_color=(222, 224, 228),
            section_size=0.5,
            section_color=(190, 194, 200),
            fade_distance=7.0 * max(self.height, 0.5),
            fade_strength=1.5,
            shadow_opacity=0.25,
        )
        self.robot = RobotScene(client, robot, f"{WORLD}/robot")
        self.canvas = ViserCanvas(client, f"{WORLD}/marks", self.height)
        self.still = ViserCanvas(client, f"{WORLD}/still", self.height)

    def add_ghost(self, robot: Robot) -> RobotScene:
        """A second robot, transparent, in the same world."""
        return RobotScene(self.client, robot, f"{WORLD}/ghost", ghost=colours.GHOST)

    def light(self, shadows: bool) -> None:
        """Draw with shadows and reflections, or plainly and fast."""
        scene = self.client.scene
        with self.client.atomic():
            scene.configure_default_lights(enabled=shadows)
            scene.configure_environment_map("city" if shadows else None)
            for lamp in self._plain_lights:
                lamp.visible = not shadows

    def follow(self, position: np.ndarray | None) -> None:
        """Keep a point of the world (its x and y) in the middle, or none [m]."""
        x, y = (0.0, 0.0) if position is None else (-float(position[0]), -float(position[1]))
        at_x, at_y, _ = self._world.position
        if max(abs(x - at_x), abs(y - at_y)) > NEAR * self.height:
            self._world.position = (x, y, 0.0)

    def in_world(self, point: np.ndarray) -> np.ndarray:
        """A point of the scene in the world of the robot, which may have been moved [m]."""
        moved: np.ndarray = np.asarray(point) - self._world.position
        return moved

    def look_from(self, view: str, position: np.ndarray | None = None) -> None:
        """Put the camera at one of the VIEWS of a point of the world (its x and y) [m]."""
        moved = self._world.position if position is None else self._world.position + position
        eye, target = camera_of(view, self.height)
        shift = np.array([moved[0], moved[1], 0.0])
        camera = self.client.camera
        with self.client.atomic():
            camera.up_direction = (0.0, 0.0, 1.0)
            camera.position = eye + shift
            camera.look_at = target + shift


def camera_of(view: str, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the camera stands and looks for one of the VIEWS of a robot of a height [m]."""
    target = np.array([0.0, 0.0, 0.31 * height])  # low: the time panel is below
    return target + height * np.array(VIEWS[view]), target


def set_out(server: viser.ViserServer, robot: Robot) -> None:
    """The camera that new browsers start with."""
    eye, target = camera_of("Corner", robot.height)
    camera = server.initial_camera
    camera.position, camera.look_at, camera.fov = eye, target, FIELD_OF_VIEW
    camera.near, camera.far = 0.01, 200.0
