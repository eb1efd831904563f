"""What to keep of a walk: the motion, the style, the command, the recipe."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

import viser

from poise.engines.expressive import load_style
from poise.engines.expressive.styling import style_text
from poise.errors import PoiseError
from poise.studio import jobs, words
from poise.studio.design import WalkDesign, style_file
from poise.studio.jobs import Written
from poise.studio.live_walk import LONGEST
from poise.studio.motion_show import Kept
from poise.studio.script import told
from poise.studio.uploads import MOST_STYLE, clean, kept

if TYPE_CHECKING:
    from poise.studio.session import Session
    from poise.studio.walk_panel import WalkPanel

# the older way to copy: it works on pages that come from another machine, too
_COPY = (
    "const all = document.createRange(), chosen = getSelection();"
    "all.selectNodeContents(this.previousElementSibling);"
    "chosen.removeAllRanges(); chosen.addRange(all);"
    "this.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl-C'"
)


class KeepPanel:
    """Buttons that turn what is on the page into files.

    Args:
        session: the browser.
        walk: the walk that is kept.
    """

    def __init__(self, session: Session, walk: WalkPanel) -> None:
        self.session, self.walk = session, walk
        self.robot = session.robot
        gui, safely = session.client.gui, session.safely
        with gui.add_folder("This walk"):
            self.steps = gui.add_slider("steps", min=2, max=60, step=1, initial_value=20)
            make = gui.add_button(
                "Make and judge the walk",
                icon=viser.Icon.PLAYER_PLAY,
                hint="From standing to standing, as `poise walk` makes it, then judged in physics",
            )
            command = gui.add_button("Copy as command", icon=viser.Icon.TERMINAL_2)
        with gui.add_folder("What happens live"):
            self.record_button = gui.add_button("Record", icon=viser.Icon.PLAYER_RECORD)
            recipe = gui.add_button("Recipe of this session", icon=viser.Icon.LIST_DETAILS)
        with gui.add_folder("Style"):
            save = gui.add_button("Save the style", icon=viser.Icon.DOWNLOAD)
            load = gui.add_upload_button("Load a style", icon=viser.Icon.UPLOAD, mime_type=".toml")
            share = gui.add_button(
                "Share as text", icon=viser.Icon.SHARE, hint="To send in a message, or to paste one"
            )
        make.on_click(safely(self.make))
        command.on_click(safely(self.show_command))
        self.record_button.on_click(safely(self.record))
        recipe.on_click(safely(self.hand_out_recipe))
        save.on_click(safely(self.save_style))
        load.on_upload(safely(lambda event: self.load_style(event.target.value)))
        share.on_click(safely(self.share_style))

    def make(self, _: Any = None) -> None:
        """Make the walk that the sliders say, have it judged, and show it."""
        session, style = self.session, self.walk.design.style(self.robot)
        steps = int(self.steps.value)
        with session.busy(f"{steps} steps are being made", "and judged, also in physics"):
            made = session.work(jobs.make_walk, session.spec, told(style), steps)
        title = f"{style.name}, {steps} steps"
        session.finish(self.robot, Kept(title, made.motion, made.judged))

    def record(self, _: Any = None) -> None:
        """Begin to record what the live robot does, or end it and show it."""
        session, live = self.session, self.walk.live
        if not live.recording:
            session.present(self.walk)
            live.record()
            self.record_button.label = f"Stop recording (at most {LONGEST:.0f} s)"
            self.record_button.color = "red"
            return
        self.record_button.label, self.record_button.color = "Record", None
        motion = live.stop_recording()
        with session.busy("The judge looks at the recording"):
            judged = session.work(jobs.judge, session.spec, motion)
        title = f"recording of {self.robot.name}"
        session.finish(self.robot, Kept(title, motion, judged))

    def show_command(self, _: Any = None) -> None:
        """The `poise walk` line that makes the same motion."""
        gui, design = self.session.client.gui, self.walk.design
        line = design.command(self.robot, int(self.steps.value), self.session.command_spec)
        with self.session.dialogs.open("As a command"):
            gui.add_html(_to_copy(line))
            if design.file_needed():
                name = style_file(design.base.name)
                gui.add_html(
                    words.text(
                        f"It needs {name}, which is saved with it: it holds a rest pose.", 12
                    )
                )
                self.save_style()

    def save_style(self, _: Any = None) -> None:
        """Hand the style out as a file."""
        name = style_file(self.walk.design.base.name)
        self.session.hand_out(Written(name, self._style_text().encode(), ("the style",)))

    def _style_text(self) -> str:
        return style_text(self.walk.design.style(self.robot), self.robot)

    def share_style(self, _: Any = None) -> None:
        """The style as text to copy, and a place for the text that somebody else sent."""
        gui = self.session.client.gui
        with self.session.dialogs.open("Share the style") as dialog:
            gui.add_html(_to_copy(self._style_text()))
            pasted = gui.add_text("or paste one", "", multiline=True)
            take = gui.add_button("Walk as pasted", icon=viser.Icon.WALK)

        def walk_so(_: Any) -> None:
            self.load_style(viser.UploadedFile("pasted.toml", pasted.value.encode()))
            dialog.close()

        take.on_click(self.session.safely(walk_so))

    def load_style(self, file: viser.UploadedFile) -> None:
        """Take the style of an uploaded file."""
        with kept(file.name, file.content, (".toml",), MOST_STYLE) as path:
            try:
                style = load_style(path, self.robot)
                design = WalkDesign(style)
                design.style(self.robot)
            except PoiseError as error:  # about our name for the file; people know theirs
                raise PoiseError(str(error).replace(str(path), clean(file.name))) from None
        self.walk.change(design, f"file {file.name}")
        self.walk.refresh()
        self.session.say(clean(file.name), f"The robot now walks {style.name}.")

    def hand_out_recipe(self, _: Any = None) -> None:
        """Everything that was done to the live robot, as a file that `poise studio` replays."""
        live = self.walk.live
        with live.lock:
            recipe = live.script.recipe(self.robot, 0, live.ticks)
        content = json.dumps(recipe, indent=1).encode()
        self.session.hand_out(Written("recipe.json", content, ("every order, tick by tick",)))


def _to_copy(text: str) -> str:
    """A text with a button that copies it."""
    return (
        '<div style="padding:6px 12px">'
        '<pre class="poise-text" style="white-space:pre-wrap;word-break:break-word;'
        "font-size:12.5px;padding:10px;border-radius:6px;background:rgba(128,128,128,.12);"
        'max-height:40vh;overflow:auto">'
        f'{escape(text)}</pre><button style="padding:4px 12px" onclick="{escape(_COPY)}">'
        "Copy</button></div>"
    )
