"""The viewer page: a motion in the browser, each browser with its own hand on the time."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
import viser

from poise.motion import Motion
from poise.robot import Robot
from poise.viewer import colours
from poise.viewer.dialogs import Dialogs
from poise.viewer.drawing import KINDS, marks_at, marks_of_all
from poise.viewer.figures import Figures, figures_of, margin
from poise.viewer.keys import Key, add_keys
from poise.viewer.loads import recorded_loads
from poise.viewer.looks import looks_of
from poise.viewer.motion_plots import MotionPlots
from poise.viewer.playback import FASTEST, SLOWEST, Playback
from poise.viewer.server import Served, announce, open_server
from poise.viewer.stage import VIEWS, WORLD, Stage, set_out
from poise.viewer.surroundings import add_solids

FRAME = 1.0 / 60.0  # [s], between two pictures
READOUT = 1.0 / 15.0  # [s], between two updates of the slider and the words
CURSOR = 1.0 / 8.0  # [s], between two updates of the cursors of the plots
SHOWN_AT_FIRST = frozenset({"com", "zmp", "support", "footprints"})
JUMP = 10  # instants, with shift and an arrow
UNKNOWN = "this motion brings none along; poise check --html works them out."


def view(
    motion: Motion,
    robot: Robot,
    host: str = "127.0.0.1",
    port: int = 8080,
    block: bool = True,
    compare: Motion | None = None,
    compare_robot: Robot | None = None,
    shadows: bool = True,
) -> Screening:
    """Show a motion in the browser; prints the address of the page on standard error.

    Args:
        motion: what to show.
        robot: who moves.
        host: address to listen on; the default is this machine alone.
        port: the port, or the next free one.
        block: serve until Ctrl-C; otherwise return at once, and `stop()` what is returned.
        compare: a second motion, shown as a ghost on the same time axis.
        compare_robot: whose motion that is, when it is another robot.
        shadows: start with shadows and reflections; without, slow machines draw faster.
    """
    figures = figures_of(robot, motion)
    ghost = None
    if compare is not None:
        other = compare_robot or robot
        ghost = (other, figures_of(other, compare).motion)
    looks_of(robot)  # before anyone waits for it
    server = open_server(host, port, label=_title(figures))
    set_out(server, robot)
    theatre = Theatre(server, lambda client, wake: Session(client, figures, ghost, wake, shadows))
    screening = Screening(server, host, theatre)
    announce(screening, f"{robot.title}, {motion.duration:.1f} s")
    if block:
        screening.wait()
    return screening


class Screening(Served):
    """A motion being shown: a page, and the browsers that look at it.

    Args:
        server: the viser server that carries it.
        host: as it was asked for.
        theatre: its browsers.
    """

    def __init__(self, server: viser.ViserServer, host: str, theatre: Theatre) -> None:
        super().__init__(server, host, on_stop=theatre.close)
        self.theatre = theatre


class Session:
    """One browser looking at a motion.

    Args:
        client: the browser.
        figures: the motion, with what can be drawn of it.
        ghost: a second robot and motion, if any.
        wake: called when something may have started to play.
        shadows: whether to start with shadows and reflections.
    """

    def __init__(
        self,
        client: viser.ClientHandle,
        figures: Figures,
        ghost: tuple[Robot, Motion] | None = None,
        wake: Callable[[], None] = lambda: None,
        shadows: bool = True,
    ) -> None:
        self.client, self.figures = client, figures
        self.playback = Playback(figures.motion.time)
        self._wake = wake
        self.closed = False
        self._lock = threading.RLock()
        self._kinds = set(SHOWN_AT_FIRST)
        self._follow = True
        self._plots: MotionPlots | None = None
        self._due = {"readout": 0.0, "cursor": 0.0}
        with self._lock:
            self._build_panel(ghost is not None, shadows)
            self._build_transport()
            add_keys(client, self._keys(), Dialogs(client))
            self.stage = Stage(client, figures.robot, shadows)
            add_solids(client, figures.motion.recipe, f"{WORLD}/solids")
            self._ghost = None
            if ghost is not None:
                self._ghost_motion = ghost[1]
                self._ghost = self.stage.add_ghost(ghost[0])
            self.stage.still.show(marks_of_all(figures, self._kinds))
            self.draw(force=True)

    # -- time --------------------------------------------------------------------------

    def tick(self, passed: float) -> None:
        """Let some time pass [s] and show where the motion is then."""
        with self._lock:
            self.playback.advance(passed)
            self.draw(force=not self.playback.playing)

    def draw(self, force: bool = False) -> None:
        """Show the present; slider and plots follow a little more slowly, unless forced."""
        with self._lock:
            if self.closed:
                return
            k, s = self.playback.between()
            q = configuration(self.figures.robot, self.figures.motion, k, s)
            self.stage.robot.update(q)
            if self._ghost is not None and self._ghost.visible:
                other = self._ghost_motion
                at = Playback(other.time)
                at.seek(other.time[0] + self.playback.time - self.playback.start)
                self._ghost.update(configuration(self._ghost.robot, other, *at.between()))
            self.stage.canvas.show(marks_at(self.figures, k, s, self._kinds), self.playback.time)
            self.stage.follow(self._middle(k, s) if self._follow else None)
            now = clock.monotonic()
            if force or now >= self._due["readout"]:
                self._due["readout"] = now + READOUT
                set_value(self._slider, round(self.playback.time, 3))
                self._words.content = _words(self.figures, k, s)
                self._say_playing()
            if force or now >= self._due["cursor"]:
                self._due["cursor"] = now + CURSOR
                if self._plots is not None:
                    self._plots.move(self.playback.time)

    def _act(self, change: Callable[[], Any]) -> Callable[..., None]:
        """A callback that changes something and shows the result."""

        def act(*_: object) -> None:
            with self._lock:
                change()
                self.draw(force=True)
            self._wake()

        return act

    def _keys(self) -> list[Key]:
        play = self.playback
        step = {count: self._act(partial(play.step, count)) for count in (1, -1, JUMP, -JUMP)}
        return [
            Key("space", "Play or pause", self._act(play.toggle)),
            Key("arrowright", "One instant forward", step[1]),
            Key("arrowleft", "One instant back", step[-1]),
            Key("arrowright", f"{JUMP} instants forward", step[JUMP], modifier="shift"),
            Key("arrowleft", f"{JUMP} instants back", step[-JUMP], modifier="shift"),
            Key("home", "To the start", self._act(lambda: play.seek(play.start))),
            Key("end", "To the end", self._act(lambda: play.seek(play.end))),
            Key("F", "Follow the robot, or not", self._toggle_follow),
            Key("1", "From the front", lambda: self._look("Front")),
            Key("2", "From the side", lambda: self._look("Side")),
            Key("3", "From above", lambda: self._look("Top")),
            Key("4", "From a corner", lambda: self._look("Corner")),
        ]

    # -- the panels --------------------------------------------------------------------

    def _build_transport(self) -> None:
        gui, play = self.client.gui, self.playback
        panel = gui.add_panel()
        with panel.add_tab("Time", viser.Icon.PLAYER_PLAY):
            gui.add_html(contact_track(self.figures))
            self._slider = gui.add_slider(
                "time [s]",
                min=play.start,
                max=max(play.end, play.start + 1e-3),
                step=0.001,
                initial_value=play.start,
            )
            self._buttons = gui.add_button_group("", _transport(False))
        width = int(np.clip(self.client.camera.image_width - 380, 420, 860))
        panel.float(x=16, y=-16, width=width)

        @self._slider.on_update
        def _(event: viser.GuiEvent) -> None:
            if event.client is not None:  # moved by hand, not by the motion
                self._act(lambda: play.seek(self._slider.value))()

        @self._buttons.on_click
        def _(event: viser.GuiEvent) -> None:
            chosen = _transport(play.playing).index(event.target.value)
            self._act(
                (
                    lambda: play.seek(play.start),
                    lambda: play.step(-1),
                    play.toggle,
                    lambda: play.step(1),
                    lambda: play.seek(play.end),
                )[chosen]
            )()

    def _say_playing(self) -> None:
        self._buttons.options = _transport(self.playback.playing)

    def _build_panel(self, has_ghost: bool, shadows: bool) -> None:
        gui, play = self.client.gui, self.playback
        gui.main_panel.dock_right()
        gui.add_html(_summary(self.figures))
        self._words = gui.add_html("")
        with gui.add_folder("View"):
            views = gui.add_button_group("from", tuple(VIEWS))
            speed = gui.add_slider(
                "speed", min=SLOWEST, max=FASTEST, step=0.1, initial_value=play.speed
            )
            loop = gui.add_checkbox("loop", play.loop)
            self._follow_box = gui.add_checkbox("follow", self._follow)
        views.on_click(lambda event: self._look(event.target.value))
        speed.on_update(self._act(lambda: setattr(play, "speed", speed.value)))
        loop.on_update(self._act(lambda: setattr(play, "loop", loop.value)))

        @self._follow_box.on_update
        def _(event: viser.GuiEvent) -> None:
            if event.client is not None:
                self._set_follow(self._follow_box.value)

        with gui.add_folder("Show"):
            for kind, words in KINDS.items():
                self._add_kind(kind, words)
            inside = gui.add_checkbox("See through", False)
            inside.on_update(lambda _: self.stage.robot.see_through(0.4 if inside.value else None))
            lit = gui.add_checkbox("Shadows", shadows)
            lit.on_update(lambda _: self.stage.light(lit.value))
            if has_ghost:
                box = gui.add_checkbox("Second motion", True)
                box.on_update(self._act(lambda: self._show_ghost(box.value)))
        with gui.add_folder("Plots"):
            self._build_charts()

    def _build_charts(self) -> None:
        gui, figures = self.client.gui, self.figures
        if len(figures.motion) < 2:
            gui.add_markdown("A single instant has no plots.")
            return
        loads = recorded_loads(figures.robot, figures.motion)
        self._plots = MotionPlots(gui, figures, loads, UNKNOWN, lambda change: self._act(change)())

    def _add_kind(self, kind: str, words: str) -> None:
        box = self.client.gui.add_checkbox(words, kind in self._kinds)

        def change() -> None:
            (self._kinds.add if box.value else self._kinds.discard)(kind)
            self.stage.still.show(marks_of_all(self.figures, self._kinds))

        box.on_update(self._act(change))

    def _show_ghost(self, shown: bool) -> None:
        if self._ghost is not None:
            self._ghost.visible = shown

    def _look(self, name: str) -> None:
        with self._lock:
            k, s = self.playback.between()
            self.stage.look_from(name, None if self._follow else self._middle(k, s))

    def _middle(self, k: int, s: float) -> np.ndarray:
        path = self.figures.middle
        x, y = (1.0 - s) * path[k] + s * path[min(k + 1, len(path) - 1)]
        return np.array([x, y, 0.0])

    def _toggle_follow(self) -> None:
        set_value(self._follow_box, not self._follow)
        self._set_follow(not self._follow)

    def _set_follow(self, follow: bool) -> None:
        with self._lock:
            self._follow = follow
            self.draw(force=True)


class Theatre:
    """All browsers of a page, and the one clock that moves those which play.

    Args:
        server: where browsers come in.
        seat: makes the session of a browser, given what wakes the clock.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        seat: Callable[[viser.ClientHandle, Callable[[], None]], Session],
    ) -> None:
        self.sessions: dict[int, Session] = {}
        self._server = server
        self._seat = seat
        self._awake = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="poise viewer clock", daemon=True)
        self._thread.start()
        server.on_client_connect(self._enter)
        server.on_client_disconnect(self._leave)

    def close(self) -> None:
        """Stop the clock."""
        self._closed = True
        for session in list(self.sessions.values()):
            session.closed = True
        self._awake.set()
        self._thread.join(timeout=5.0)

    def _enter(self, client: viser.ClientHandle) -> None:
        self.sessions[client.client_id] = self._seat(client, self._awake.set)
        if client.client_id not in self._server.get_clients():  # left while it was seated
            self._leave(client)

    def _leave(self, client: viser.ClientHandle) -> None:
        session = self.sessions.pop(client.client_id, None)
        if session is not None:
            session.closed = True

    def _run(self) -> None:
        before = clock.monotonic()
        while not self._closed:
            playing = [s for s in list(self.sessions.values()) if s.playback.playing]
            if not playing:
                self._awake.wait()
                self._awake.clear()
                before = clock.monotonic()
                continue
            now = clock.monotonic()
            for session in playing:
                session.tick(now - before)
            before = now
            clock.sleep(max(0.001, FRAME - (clock.monotonic() - now)))


def configuration(robot: Robot, motion: Motion, k: int, s: float) -> np.ndarray:
    """The configuration a fraction s of the way from instant k to the next."""
    if s <= 0.0 or k + 1 >= len(motion):
        return motion.q[k]
    return pin.interpolate(robot.model, motion.q[k], motion.q[k + 1], s)


def set_value(handle: Any, value: Any) -> None:
    """Set what an input shows (viser's typing of this differs between type checkers)."""
    handle.value = value


# -- words and small pictures ----------------------------------------------------------------


def contact_track(figures: Figures, names: int = 110) -> str:
    """Which part touches when, as bars over time; the time axis is that of the slider.

    Args:
        figures: of the motion.
        names: width of the names before the bars [px], as that of the slider.
    """
    start, length = float(figures.motion.time[0]), max(figures.motion.duration, 1e-9)
    rows = []
    for part in figures.contacts.parts:
        bars = "".join(
            f'<div title="{part.replace("_", " ")}: {touch.start:.2f} to {touch.end:.2f} s" '
            f'style="position:absolute;height:100%;border-radius:2px;'
            f"left:{100 * (touch.start - start) / length:.2f}%;"
            f"width:{100 * touch.duration / length:.2f}%;"
            f'background:{colours.css(colours.side_of(part), 0.85)}"></div>'
            for touch in figures.contacts.touches
            if touch.part == part
        )
        name = part.replace("_", " ")
        rows.append(
            '<div style="display:flex;align-items:center;height:11px;margin:2px 0">'
            f'<div style="width:{names}px;flex:none;font-size:11px;opacity:.7">{name}</div>'
            '<div style="position:relative;flex:1;height:8px;border-radius:2px;overflow:hidden;'
            f'background:rgba(128,128,128,.13)">{bars}</div>'
            '<div style="width:3.7rem;flex:none"></div></div>'
        )
    return f'<div style="padding:4px 10px 2px 10px">{"".join(rows)}</div>'


def _transport(playing: bool) -> tuple[str, ...]:
    return ("|◀", "◀ step", "❚❚ Pause" if playing else "▶ Play", "step ▶", "▶|")


def _title(figures: Figures) -> str:
    return f"poise · {figures.robot.title}"


def _summary(figures: Figures) -> str:
    motion = figures.motion
    made = str(motion.recipe.get("engine", "")) if motion.recipe else ""
    facts = [f"{motion.duration:.2f} s", f"{len(motion)} instants at {motion.rate:.0f} Hz"]
    if made:
        facts.insert(0, made)
    if figures.guessed and figures.contacts.touches:
        facts.append("contacts read off the feet")
    facts.append("H shows the keys")
    return f'<div style="padding:2px 10px 0;font-size:12px;opacity:.75">{" · ".join(facts)}</div>'


def _words(figures: Figures, k: int, s: float) -> str:
    """Balance in words."""
    time = float(figures.motion.time[k])
    support = figures.support(time)
    inside = 1e3 * margin(figures.zmp[k], support)
    if np.isnan(inside):
        said, colour = "no flat support here", "inherit"
    elif inside >= 0.0:
        said, colour = f"ZMP {inside:.0f} mm inside the support", colours.css(colours.SUPPORT)
    else:
        said, colour = f"ZMP {-inside:.0f} mm outside the support", colours.css(colours.COM)
    parts = ", ".join(p.replace("_", " ") for p in sorted(figures.contacts.at(time)))
    return (
        '<div style="padding:4px 10px 8px;font-size:13px;line-height:1.45">'
        f'<b style="color:{colour}">{said}</b><br>'
        f'<span style="opacity:.75">on: {parts or "nothing"} · '
        f"CoM {figures.com[k][2]:.3f} m high</span></div>"
    )
