"""A robot standing in the browser: joint sliders by limb, and whether it would stay up."""

from __future__ import annotations

import threading

import numpy as np
import pinocchio as pin
import viser

from poise.contacts import Touch
from poise.motion import Mark
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.viewer import colours
from poise.viewer.dialogs import Dialogs
from poise.viewer.drawing import LIFT
from poise.viewer.figures import NEAR_GROUND, UPRIGHT, margin, support_polygon
from poise.viewer.keys import Key, add_keys
from poise.viewer.looks import looks_of
from poise.viewer.page import set_value
from poise.viewer.server import Served, announce, open_server
from poise.viewer.stage import VIEWS, Stage, set_out

LIMBS = ("head", "torso", "left_arm", "right_arm", "left_leg", "right_leg")


def show_robot(
    robot: Robot,
    host: str = "127.0.0.1",
    port: int = 8080,
    block: bool = True,
    shadows: bool = True,
) -> Served:
    """A page with a robot in half-sitting, its joints on sliders; prints the address.

    Args:
        robot: who stands.
        host: address to listen on; the default is this machine alone.
        port: the port, or the next free one.
        block: serve until Ctrl-C; otherwise return at once, and `stop()` what is returned.
        shadows: draw with shadows and reflections; without, slow machines draw faster.
    """
    looks_of(robot)  # before anyone waits for it
    server = open_server(host, port, label=f"poise · {robot.title}")
    set_out(server, robot)

    @server.on_client_connect
    def _(client: viser.ClientHandle) -> None:
        Standing(client, robot, shadows)  # lives as long as the callbacks of its sliders

    served = Served(server, host)
    announce(served, robot.title)
    if block:
        served.wait()
    return served


class Standing:
    """One browser with a robot to bend.

    Args:
        client: the browser.
        robot: who stands.
        shadows: whether to draw them.
    """

    def __init__(self, client: viser.ClientHandle, robot: Robot, shadows: bool = True) -> None:
        self.client, self.robot = client, robot
        self.q = np.array(robot.half_sitting)
        self.stage: Stage
        self._lock = threading.RLock()
        self._sliders: dict[str, viser.GuiSliderHandle] = {}
        gui = client.gui
        gui.main_panel.dock_right()
        gui.add_html(_summary(robot))
        self._words = gui.add_html("")
        buttons = gui.add_button_group("posture", ("Half-sitting", "Zero", "Mirror"))
        buttons.on_click(lambda event: self._posture(event.target.value))
        views = gui.add_button_group("from", tuple(VIEWS))
        views.on_click(lambda event: self.stage.look_from(event.target.value))
        inside = gui.add_checkbox("See through", False)
        inside.on_update(lambda _: self.stage.robot.see_through(0.4 if inside.value else None))
        self._build_sliders()
        add_keys(
            client,
            [
                Key("R", "Back to half-sitting", lambda: self._posture("Half-sitting")),
                Key("M", "Mirror image", lambda: self._posture("Mirror")),
                Key("1", "From the front", lambda: self.stage.look_from("Front")),
                Key("2", "From the side", lambda: self.stage.look_from("Side")),
                Key("3", "From above", lambda: self.stage.look_from("Top")),
                Key("4", "From a corner", lambda: self.stage.look_from("Corner")),
            ],
            Dialogs(client),
        )
        self.stage = Stage(client, robot, shadows)
        self.draw()

    def _build_sliders(self) -> None:
        gui, robot = self.client.gui, self.robot
        followers = {c.joint: c.of for c in robot.couplings}
        for limb in [limb for limb in LIMBS if robot.groups.get(limb)] + _others(robot):
            joints = robot.groups.get(limb) or _ungrouped(robot)
            with gui.add_folder(f"{limb.replace('_', ' ').capitalize()} [deg]"):
                for joint in joints:
                    k = robot.index(joint)
                    low, high = np.degrees([robot.lower[k], robot.upper[k]])
                    of = followers.get(joint)
                    slider = gui.add_slider(
                        joint,
                        min=round(float(low), 1),
                        max=round(float(high), 1),
                        step=0.1,
                        initial_value=round(float(np.degrees(self.q[BASE_Q + k])), 1),
                        disabled=of is not None,
                        hint=f"follows {of}, they share a motor" if of else None,
                    )
                    self._sliders[joint] = slider
                    slider.on_update(self._turned)

    def _turned(self, event: viser.GuiEvent) -> None:
        if event.client is None:  # moved by the page itself
            return
        with self._lock:
            angles = {
                joint: np.radians(slider.value)
                for joint, slider in self._sliders.items()
                if slider is event.target
            }
            self._take(self.robot.posture(angles, start=self.q))

    def _posture(self, name: str) -> None:
        with self._lock:
            if name == "Half-sitting":
                self._take(np.array(self.robot.half_sitting))
            elif name == "Mirror":
                self._take(self.robot.mirrored(self.q))
            else:
                straight = np.clip(0.0, self.robot.lower, self.robot.upper)
                self._take(self.robot.coupled(np.r_[self.q[:BASE_Q], straight]))

    def _take(self, q: np.ndarray) -> None:
        self.q = on_the_floor(self.robot, q)
        self.draw()

    def draw(self) -> None:
        """Show the posture, its balance and its numbers."""
        with self._lock:
            at = self.robot.at(self.q)
            support = support_polygon(standing_touches(self.robot, self.q))
            com = at.com
            lift = np.array([0.0, 0.0, 2.0 * LIFT * self.robot.height])
            floor = com * [1.0, 1.0, 0.0]
            marks = [
                Mark("com", com[None], colours.COM),
                Mark("com drop", np.array([com, floor]), colours.COM),
                Mark("com floor", floor[None], colours.COM),
            ]
            if len(support):
                marks.append(Mark("support", support + lift, colours.SUPPORT, closed=True))
            self.stage.robot.update(self.q)
            self.stage.canvas.show(marks)
            self._words.content = _words(com, support)
            for joint, slider in self._sliders.items():
                angle = float(np.degrees(self.q[BASE_Q + self.robot.index(joint)]))
                set_value(slider, round(float(np.clip(angle, slider.min, slider.max)), 1))


def on_the_floor(robot: Robot, q: np.ndarray) -> np.ndarray:
    """The same joints with the lower foot flat on the floor, where that foot stands now.

    Args:
        robot: whose configuration it is.
        q: (nq,).
    """
    q = np.array(q, dtype=float)
    if not robot.feet:
        return q
    at = robot.at(q)
    T_world_base = pin.XYZQUATToSE3(q[:BASE_Q])

    def lowest(part: str) -> float:
        T_world_foot = at.pose(part)
        return min(float(T_world_foot.act(point)[2]) for point in robot.soles[part].outline)

    foot = min(robot.feet, key=lowest)
    T = at.pose(foot)
    yaw = float(np.arctan2(T.rotation[1, 0], T.rotation[0, 0]))
    flat = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, yaw), T.translation * [1.0, 1.0, 0.0])
    q[:BASE_Q] = pin.SE3ToXYZQUAT(flat * T.inverse() * T_world_base)
    return q


def standing_touches(robot: Robot, q: np.ndarray) -> tuple[Touch, ...]:
    """Feet that lie flat on the floor (z = 0) in a configuration, as touches."""
    at = robot.at(q)
    touches = []
    for part in robot.feet:
        T = at.pose(part)
        heights = [T.act(point)[2] for point in robot.soles[part].outline]
        if max(np.abs(heights)) < NEAR_GROUND and T.rotation[2, 2] > UPRIGHT:
            touches.append(Touch(part, 0.0, 1.0, T, robot.soles[part].outline))
    return tuple(touches)


def _ungrouped(robot: Robot) -> tuple[str, ...]:
    grouped = {joint for limb in LIMBS for joint in robot.groups.get(limb, ())}
    return tuple(joint for joint in robot.joint_names if joint not in grouped)


def _others(robot: Robot) -> list[str]:
    return ["other"] if _ungrouped(robot) else []


def _summary(robot: Robot) -> str:
    facts = f"{robot.na} joints · {robot.mass:.1f} kg · {robot.height:.2f} m"
    return f'<div style="padding:2px 10px 0;font-size:12px;opacity:.75">{facts}</div>'


def _words(com: np.ndarray, support: np.ndarray) -> str:
    inside = 1e3 * margin(com, support)
    if np.isnan(inside):
        said, colour = "No foot is flat on the floor", colours.COM
    elif inside >= 0.0:
        said, colour = f"Balanced, with {inside:.0f} mm to the edge", colours.SUPPORT
    else:
        said, colour = f"Not balanced: it falls, {-inside:.0f} mm over the edge", colours.COM
    return (
        '<div style="padding:4px 10px 8px;font-size:13px;line-height:1.45">'
        f'<b style="color:{colours.css(colour)}">{said}</b><br>'
        f'<span style="opacity:.75">CoM at x {com[0]:.3f}, y {com[1]:.3f}, '
        f"{com[2]:.3f} m high</span></div>"
    )
