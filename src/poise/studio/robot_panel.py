"""Which robot, how it is looked at, and motions and robots from outside."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import viser

from poise.errors import PoiseError
from poise.robot import robot_names
from poise.studio import jobs, words
from poise.studio.motion_show import Kept
from poise.studio.uploads import MOST_MOTION, MOST_ROBOT, MOTIONS, ROBOTS, clean, kept
from poise.viewer.stage import VIEWS

if TYPE_CHECKING:
    from poise.studio.session import Session

LEARNING = 120.0  # [s], at most
NOTHING_YET = ("none yet",)


class RobotPanel:
    """Choose a robot, add one, open a motion, move the camera.

    Args:
        session: the browser.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        gui, safely = session.client.gui, session.safely
        robot = session.robot
        names = [*robot_names(), *session.guests]
        gui.add_html(
            words.text(
                f"{robot.title} · {robot.na} joints · {robot.mass:.1f} kg · {robot.height:.2f} m",
                12,
                quiet=True,
            )
        )
        shown = session.guest_name() or robot.name
        self.chooser = gui.add_dropdown(
            "robot", names if shown in names else [*names, shown], initial_value=shown
        )
        self.chooser.on_update(safely(self._choose))
        add = gui.add_upload_button(
            "Add your robot",
            icon=viser.Icon.ROBOT,
            mime_type=",".join(ROBOTS),
            hint="A URDF, or a zip of a URDF and its meshes; it stays with this page",
        )
        add.on_upload(safely(lambda event: self.learn(event.target.value)))
        with gui.add_folder("Motions"):
            opened = gui.add_upload_button(
                "Open a motion", icon=viser.Icon.UPLOAD, mime_type=",".join(MOTIONS)
            )
            opened.on_upload(safely(lambda event: self.open(event.target.value)))
            self.shelf = gui.add_dropdown("made here", NOTHING_YET)
            self.fill_shelf()
            show = gui.add_button("Show it", icon=viser.Icon.MOVIE)
            show.on_click(safely(self._show))
        with gui.add_folder("View"):
            views = gui.add_button_group("from", tuple(VIEWS))
            views.on_click(lambda event: session.look(event.target.value))
            follow = gui.add_checkbox("follow the robot", True)
            follow.on_update(lambda _: session.follow(follow.value))
            inside = gui.add_checkbox("see through", False)
            inside.on_update(
                lambda _: session.stage.robot.see_through(0.4 if inside.value else None)
            )
            lit = gui.add_checkbox("shadows", session.shadows)
            lit.on_update(lambda _: session.stage.light(lit.value))
            shot = gui.add_button("Screenshot", icon=viser.Icon.CAMERA)
            shot.on_click(safely(session.screenshot))

    def _choose(self, event: Any) -> None:
        if event.client is None or self.chooser.value == self.session.robot.name:
            return
        self.session.change_robot(self.chooser.value)

    def learn(self, file: viser.UploadedFile) -> None:
        """Add a robot by its URDF, with its meshes or without; it belongs to this session."""
        session = self.session
        plain = re.sub(r"[^a-z0-9]+", "-", Path(clean(file.name)).stem.lower()).strip("-")
        name = f"my-{plain[:30] or 'robot'}"
        home = session.guest_home()
        with (
            kept(file.name, file.content, ROBOTS, MOST_ROBOT) as path,
            session.busy("Looking at the robot", "feet, soles, hands, a posture"),
        ):
            folder, said = session.work(
                jobs.learn_robot, str(path), clean(file.name), home, name, patience=LEARNING
            )
        session.guests[name] = folder
        session.change_robot(name)
        with session.dialogs.open("What was found"):
            session.client.gui.add_markdown(f"```\n{said}\n```")

    def open(self, file: viser.UploadedFile) -> None:
        """Open a motion of any dialect."""
        session, robot = self.session, self.session.robot
        with kept(file.name, file.content, MOTIONS, MOST_MOTION) as path:
            try:
                with session.busy("Reading and judging", clean(file.name)):
                    motion, said = session.work(
                        jobs.read, session.spec, str(path), patience=LEARNING
                    )
                    judged = session.work(jobs.judge, session.spec, motion)
            except PoiseError as error:
                raise PoiseError(str(error).replace(str(path), clean(file.name))) from None
        session.say(clean(file.name), f"Read as {said}")
        session.finish(robot, Kept(Path(clean(file.name)).stem, motion, judged))

    def fill_shelf(self) -> None:
        """Offer what was made for this robot."""
        self.shelf.options = tuple(one.title for one in self.session.shelf) or NOTHING_YET

    def _show(self, _: Any) -> None:
        for one in self.session.shelf:
            if one.title == self.shelf.value:
                self.session.open_motion(one)


def new_home() -> tempfile.TemporaryDirectory[str]:
    """A folder for the robots of one session, gone when the session is."""
    return tempfile.TemporaryDirectory(prefix="poise-guests-")
