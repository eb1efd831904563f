"""One browser in the studio: its own robot, its own clock, its own hands on everything."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

import viser

from poise.errors import PoiseError
from poise.robot import Robot, load_robot
from poise.studio.jobs import Written
from poise.studio.walk_panel import WalkPanel
from poise.studio.workshop import Workshop
from poise.viewer.keys import Key, add_keys
from poise.viewer.stage import VIEWS, Stage

FRAME = 1.0 / 30.0  # [s], between two pictures
PANEL = 350  # [px], width of the panel of sliders
PLOTS = 310  # [px], width of the plots
WIDE = 1200  # [px], from here on there is room for the plots beside the robot


class Show(Protocol):
    """What the robot on the stage is doing: walking live, playing a motion, being pushed."""

    def advance(self, passed: float) -> None:
        """Let time pass [s]."""
        ...

    def draw(self) -> None:
        """Show the present."""
        ...

    def leave(self) -> None:
        """Something else is shown from now on."""
        ...


class Session:
    """One browser.

    Args:
        client: the browser.
        robot: to begin with.
        workshop: where heavy work is done.
        shadows: whether to draw them.
    """

    def __init__(
        self, client: viser.ClientHandle, robot: Robot, workshop: Workshop, shadows: bool = False
    ) -> None:
        self.client, self.workshop = client, workshop
        self.lock = threading.RLock()
        self.closed = threading.Event()
        self.shadows = shadows
        self.started = clock.monotonic()
        self.frames = 0
        self._build(robot)
        self.thread = threading.Thread(
            target=self._run, name=f"poise studio {client.client_id}", daemon=True
        )
        self.thread.start()

    # -- the page ----------------------------------------------------------------------

    def _build(self, robot: Robot) -> None:
        self.robot = robot
        client, gui = self.client, self.client.gui
        wide = client.camera.image_width >= WIDE
        gui.main_panel.dock_right()
        gui.main_panel.set_width(PANEL)
        gui.set_panel_label(f"poise · {robot.title}")
        self.plots_panel = gui.add_panel()
        self.stage = Stage(client, robot, self.shadows)
        self.walk = WalkPanel(self)
        self.show: Show = self.walk
        self.plots_panel.dock_left()
        self.plots_panel.set_width(PLOTS)
        if not wide:
            self.plots_panel.minimize()
        add_keys(client, self._keys())

    def _keys(self) -> list[Key]:
        look = self.stage.look_from
        views = [
            Key(str(k + 1), f"Seen from: {name.lower()}", partial(look, name))
            for k, name in enumerate(VIEWS)
        ]
        return [*self.walk.keys(), *views]

    def change_robot(self, name: str) -> None:
        """Begin again with another robot."""
        robot = load_robot(name)
        with self.lock:
            self.show.leave()
            self.client.gui.reset()
            self.client.scene.reset()
            self._build(robot)

    def present(self, show: Show) -> None:
        """Put something else on the stage."""
        with self.lock:
            if show is not self.show:
                self.show.leave()
                self.show = show

    # -- time --------------------------------------------------------------------------

    def _run(self) -> None:
        before = clock.monotonic()
        due = before
        while not self.closed.is_set():
            now = clock.monotonic()
            with self.lock:
                if self.closed.is_set():
                    break
                self.show.advance(now - before)
                self.show.draw()
            self.frames += 1
            before = now
            due = max(due + FRAME, clock.monotonic() + 0.002)  # others want to run too
            self.closed.wait(due - clock.monotonic())

    def close(self) -> None:
        """The browser left: end the loop, forget the robot."""
        self.closed.set()

    # -- words -------------------------------------------------------------------------

    def say(self, title: str, body: str, colour: Any = "green", seconds: float = 6.0) -> None:
        """Tell the person something."""
        self.client.add_notification(title, body, auto_close_seconds=seconds, color=colour)

    def safely(self, act: Callable[..., Any]) -> Callable[..., None]:
        """A callback whose mistakes are said in words instead of lost in a log."""

        def run(*args: Any) -> None:
            try:
                act(*args)
            except PoiseError as error:
                self.say("This did not work", str(error), "red", 15.0)

        return run

    @contextmanager
    def busy(self, title: str, body: str = "") -> Iterator[None]:
        """Say that something takes a while, as long as it does."""
        notice = self.client.add_notification(title, body, loading=True, with_close_button=False)
        try:
            yield
        finally:
            notice.remove()

    def hand_out(self, written: Written) -> None:
        """Send a file to the browser, which saves it."""
        self.client.send_file_download(written.name, written.content, save_immediately=True)
        notes = "; ".join(written.notes) if written.notes else f"{len(written.content)} bytes"
        self.say(written.name, notes)
