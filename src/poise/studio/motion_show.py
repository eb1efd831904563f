"""A finished motion on the stage: a timeline, its verdict, its plots, and ways out of the page."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from poise.motion import Motion
from poise.studio import engine_jobs, jobs, words
from poise.studio.difference import difference_at
from poise.studio.person import Likeness, Person, PersonBeside
from poise.studio.verdict import findings_table, verdict_banner, verdict_line, worth_a_look
from poise.viewer.drawing import marks_at, marks_of_all
from poise.viewer.figures import Figures
from poise.viewer.loads import recorded_loads
from poise.viewer.motion_plots import MotionPlots
from poise.viewer.page import configuration, contact_track, set_value
from poise.viewer.playback import FASTEST, SLOWEST, Playback
from poise.viewer.scene import RobotScene

if TYPE_CHECKING:
    from poise.checks import Report
    from poise.studio.session import Session

READOUT, CURSOR = 1.0 / 12.0, 1.0 / 6.0  # [s], between two updates
SHOWN = frozenset({"com", "zmp", "support", "footprints", "forces"})
SETTLE = 30.0  # [s], after which what was sent has arrived, in a slow browser too
NO_FOCUS = '<span tabindex="-1" data-autofocus></span>'  # else the list opens by itself
NOBODY = "nothing"
NAMES = 118  # [px], width of the names of sliders, see words.LAYOUT
JUMP = 10  # instants, with shift and an arrow
UNKNOWN = "this motion brings none along. Press Verdict: the judge works them out."


@dataclass(frozen=True, eq=False)
class Kept:
    """A motion on the shelf of a session."""

    title: str
    motion: Motion
    judged: jobs.Judged | None = None
    person: Person | None = None  # who is imitated
    likeness: Likeness | None = None  # of an imitation

    @property
    def report(self) -> Report | None:
        """What the judge says, when it was asked."""
        return None if self.judged is None else self.judged.report


class MotionShow:
    """A motion that can be played, scrubbed, judged, compared and exported.

    Args:
        session: the browser.
        kept: what to show.
        figures: of its motion, on the robot of the session.
    """

    def __init__(self, session: Session, kept: Kept, figures: Figures) -> None:
        self.session, self.kept, self.figures = session, kept, figures
        self.playback = Playback(self.figures.motion.time)
        self.playback.playing = True
        self._due = {"readout": 0.0, "cursor": 0.0}
        self.plots: MotionPlots | None = None
        self._ghost: RobotScene | None = None
        self._other: Motion | None = None
        self._moved = True
        self.left = False
        self._beside: PersonBeside | None = None
        if kept.person is not None:
            self._beside = PersonBeside(session.client, kept.person, session.robot.height)
        self._build_panel()
        self._build_plots()
        session.stage.still.show(marks_of_all(self.figures, SHOWN))

    # -- the show ----------------------------------------------------------------------

    def enter(self) -> None:
        """It was put on the page when it was made."""

    def advance(self, passed: float) -> None:
        """Let the motion play on [s]."""
        self._moved |= self.playback.playing
        self.playback.advance(passed)

    def draw(self) -> None:
        """Show the present of the motion."""
        if not self._moved or self.left:
            return
        self._moved = self.playback.playing
        stage, figures = self.session.stage, self.figures
        k, s = self.playback.between()
        stage.robot.update(configuration(figures.robot, figures.motion, k, s))
        stage.canvas.show(marks_at(figures, k, s, SHOWN), self.playback.time)
        self.session.follow_to(np.append(figures.middle[k], 0.0))
        if self._ghost is not None and self._other is not None:
            at = Playback(self._other.time)
            at.seek(self._other.time[0] + self.playback.time - self.playback.start)
            self._ghost.update(configuration(self._ghost.robot, self._other, *at.between()))
        if self._beside is not None:
            self._beside.show(self._recorded(), figures.middle[k])
        now = clock.monotonic()
        if not self._moved or now >= self._due["readout"]:
            self._due["readout"] = now + READOUT
            set_value(self._slider, round(self.playback.time, 3))
            self._buttons.options = _transport(self.playback.playing)
            self._words.content = self._line(k)
        if not self._moved or now >= self._due["cursor"]:
            self._due["cursor"] = now + CURSOR
            if self.plots is not None:
                self.plots.move(self.playback.time)

    def _recorded(self) -> float:
        """The instant of the recording that is imitated now [s]."""
        assert self.kept.person is not None and self.kept.likeness is not None
        (start, end), time = self.kept.likeness.clip, self.kept.person.time
        share = (self.playback.time - start) / max(end - start, 1e-9)
        return float(time[0] + np.clip(share, 0.0, 1.0) * (time[-1] - time[0]))

    def leave(self) -> None:
        """Take everything that belongs to the motion off the page."""
        self.left = True
        if self._beside is not None:
            self._beside.remove()
        self._panel.visible = self._folder.visible = False
        self.session.later(SETTLE, self._remove)
        self.compare(None)
        self.session.stage.still.show([])
        self.session.stage.canvas.show([])

    def _remove(self) -> None:
        """Take panel and plots away, once nothing that was sent to them is under way any more."""
        self._panel.remove()
        self._folder.remove()

    # -- time --------------------------------------------------------------------------

    def act(self, change: Callable[[], Any]) -> None:
        """Change something about the time, and show it."""
        with self.session.lock:
            change()
            self._moved = True

    def go_to(self, time: float) -> None:
        """Stop at an instant [s]."""

        def change() -> None:
            self.playback.playing = False
            self.playback.seek(time)

        self.act(change)

    def key(self, name: str) -> None:
        """What a key does to the time."""
        play = self.playback
        changes: dict[str, Callable[[], Any]] = {
            "space": play.toggle,
            "right": partial(play.step, 1),
            "left": partial(play.step, -1),
            "far right": partial(play.step, JUMP),
            "far left": partial(play.step, -JUMP),
            "home": partial(play.seek, play.start),
            "end": partial(play.seek, play.end),
        }
        self.act(changes[name])

    # -- the panel ---------------------------------------------------------------------

    def _build_panel(self) -> None:
        session, gui, play = self.session, self.session.client.gui, self.playback
        self._panel = gui.add_panel()
        with self._panel.add_tab(self.kept.title, viser.Icon.MOVIE):
            gui.add_html(contact_track(self.figures, NAMES))
            self._slider = gui.add_slider(
                "time [s]",
                min=round(play.start, 3),
                max=max(round(play.end, 3), round(play.start, 3) + 1e-3),
                step=0.001,
                initial_value=round(play.start, 3),
            )
            self._words = gui.add_html("")
            self._buttons = gui.add_button_group("play", _transport(True))
            tools = gui.add_button_group(
                "motion", ("Verdict", "Export", "Report", "Video", "✕ Back to live")
            )
        with self._panel.add_tab("Compare, speed", viser.Icon.ADJUSTMENTS):
            speed = gui.add_slider("speed", min=SLOWEST, max=FASTEST, step=0.1, initial_value=1.0)
            loop = gui.add_checkbox("loop", play.loop)
            others = [NOBODY, *[k.title for k in session.shelf if k is not self.kept]]
            against = gui.add_dropdown("compare with", others, hint="another motion, as a ghost")
        self._panel.float(x=12, y=-12, width=int(np.clip(session.room() - 36, 420, 760)))

        def dragged(event: viser.GuiEvent) -> None:
            if event.client is not None:  # by hand, not by the motion
                self.go_to(float(self._slider.value))

        def pressed(event: viser.GuiEvent) -> None:
            names = _transport(play.playing)
            names = names if event.target.value in names else _transport(not play.playing)
            chosen = names.index(event.target.value)
            self.key(("home", "left", "space", "right", "end")[chosen])

        self._slider.on_update(session.in_turn(dragged))
        self._buttons.on_click(session.safely(pressed))
        tools.on_click(session.safely(lambda event: self.tool(event.target.value)))
        speed.on_update(lambda _: self.act(lambda: setattr(play, "speed", speed.value)))
        loop.on_update(lambda _: self.act(lambda: setattr(play, "loop", loop.value)))

        def choose(_: Any) -> None:
            found = [k for k in session.shelf if k.title == against.value]
            self.compare(found[0].motion if found else None)

        against.on_update(session.safely(choose))

    def _build_plots(self) -> None:
        gui, figures = self.session.client.gui, self.figures
        with self.session.plots_tab:
            self._folder = gui.add_folder("Motion")
        if len(figures.motion) < 2:
            return
        with self._folder:
            loads = recorded_loads(figures.robot, figures.motion)
            self.plots = MotionPlots(gui, figures, loads, UNKNOWN, self.act)
        self._take_loads()
        likeness = self.kept.likeness
        if likeness is not None and likeness.panels:
            with self.plots.tabs.add_tab("Person"):
                self.plots.add_panels(likeness.panels)
                gui.add_html(words.text(likeness.sentences[0], 12, quiet=True))
                page = gui.add_button("All figures as a page", icon=viser.Icon.FILE_TEXT)
            page.on_click(self.session.safely(lambda _: self._hand_out_likeness(likeness)))

    def _line(self, k: int) -> str:
        told = "" if self.kept.report is None else verdict_line(self.kept.report)
        if self._other is not None:
            return told + words.text(difference_at(self.figures, self._other, k), 12, quiet=True)
        return told or words.text("Nobody has judged it yet: press Verdict", 12, quiet=True)

    # -- tools -------------------------------------------------------------------------

    def tool(self, said: str) -> None:
        """Verdict, export, report, video, or back to the live robot."""
        if said == "Verdict":
            self.show_verdict()
        elif said == "Export":
            self.ask_export()
        elif said == "Report":
            self._hand_out("The report is being written", jobs.report_page)
        elif said == "Video":
            self._hand_out("The video is being drawn", jobs.film)
        else:
            self.session.present(self.session.walk)

    def _hand_out(self, title: str, job: Callable[..., jobs.Written]) -> None:
        session = self.session
        with session.busy(title):
            written = session.work(job, self._spec, self.kept.motion, self.stem)
        session.hand_out(written)

    def _hand_out_likeness(self, likeness: Likeness) -> None:
        session, kept = self.session, self.kept
        title = f"{session.robot.title}: {kept.title}"
        with session.busy("The page is being written"):
            written = session.work(
                engine_jobs.likeness_page, likeness, title, str(kept.report or ""), self.stem
            )
        session.hand_out(written)

    @property
    def _spec(self) -> str:
        """The robot of the motion, as the workshop finds it."""
        return str(self.figures.robot.folder)

    @property
    def stem(self) -> str:
        """What its files are called."""
        plain = "".join(c if c.isalnum() else "-" for c in self.kept.title.lower())
        return plain.strip("-")[:40] or "motion"

    def judged(self) -> Report:
        """The verdict; asked for when nobody asked yet."""
        if self.kept.report is None:
            with self.session.busy("The judge looks at the motion"):
                found = self.session.work(jobs.judge, self._spec, self.kept.motion)
            self.kept = self.session.keep(replace(self.kept, judged=found), self.figures.robot)
            self.act(self._take_loads)
        assert self.kept.report is not None
        return self.kept.report

    def _take_loads(self) -> None:
        """Plot the loads that the judge found, where the motion brings none along."""
        loads = None if self.kept.judged is None else self.kept.judged.loads
        if loads is not None and self.plots is not None and not self.left:
            self.plots.take(loads)

    def show_verdict(self) -> None:
        """All answers of the judge, and a button to the worst instant of each that matters."""
        report = self.judged()
        gui = self.session.client.gui
        with self.session.dialogs.open("Verdict") as dialog:
            gui.add_html(verdict_banner(report) + findings_table(report))
            for finding in worth_a_look(report):
                assert finding.when is not None
                button = gui.add_button(
                    f"Go to {finding.question} at {finding.when:.2f} s",
                    color="red" if not finding.ok else "yellow" if finding.note else None,
                )

                def jump(_: Any, when: float = finding.when) -> None:
                    dialog.close()
                    self.go_to(when)

                button.on_click(jump)

    def ask_export(self) -> None:
        """Choose a dialect; what the judge does not call good is exported only when told so."""
        report = self.judged()
        gui = self.session.client.gui
        with self.session.dialogs.open("Export", "Cancel") as dialog:
            gui.add_html(NO_FOCUS + verdict_banner(report))
            dialect = gui.add_dropdown("dialect", jobs.writable())
            about = gui.add_html("")
            label = "Export" if report.ok else "Export although it is not good"
            button = gui.add_button(label, color=None if report.ok else "red")

        def describe(_: Any = None) -> None:
            about.content = words.text(jobs.about(dialect.value), 12, quiet=True)

        def write(_: Any) -> None:
            chosen = dialect.value
            dialog.close()
            with self.session.busy(f"Writing {chosen}"):
                written = self.session.work(
                    jobs.export, self._spec, self.kept.motion, chosen, self.stem
                )
            self.session.hand_out(written)

        describe()
        dialect.on_update(describe)
        button.on_click(self.session.safely(write))

    def compare(self, other: Motion | None) -> None:
        """Show another motion as a ghost, or none."""
        with self.session.lock:
            if self._ghost is not None:
                self._ghost.remove()
            self._ghost, self._other = None, None
            if other is not None:
                self._other = other.ordered_as(self.session.robot.joint_names)
                self._ghost = self.session.stage.add_ghost(self.session.robot)
            self._moved = True


def _transport(playing: bool) -> tuple[str, ...]:
    return ("|◀", "◀ step", "❚❚ Pause" if playing else "▶ Play", "step ▶", "▶|")
