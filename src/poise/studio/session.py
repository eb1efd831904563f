"""One browser in the studio: its own robot, its own clock, its own hands on everything."""

from __future__ import annotations

import io
import threading
import time as clock
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import viser
from PIL import Image

from poise.errors import PoiseError
from poise.robot import Robot, load_robot
from poise.studio import words
from poise.studio.blend_panel import BlendPanel
from poise.studio.engines_panel import EnginesPanel
from poise.studio.hands import Question, wait_until_heard, watch_hands
from poise.studio.jobs import Written
from poise.studio.keep_panel import KeepPanel
from poise.studio.motion_show import Kept, MotionShow
from poise.studio.robot_panel import RobotPanel, new_home
from poise.studio.tidy import tidy
from poise.studio.uploads import limit_uploads
from poise.studio.walk_panel import WalkPanel
from poise.studio.workshop import PATIENCE as PATIENT_WORK
from poise.studio.workshop import T, Workshop
from poise.viewer.dialogs import Dialogs
from poise.viewer.figures import figures_of
from poise.viewer.keys import Key, add_keys
from poise.viewer.looks import looks_of
from poise.viewer.scene import Grabbed
from poise.viewer.stage import VIEWS, Stage

FRAME = 1.0 / 30.0  # [s], between two pictures
PANEL = 350  # [px], width of the panel of sliders
PLOTS = 310  # [px], width of the plots
SHELF = 8  # motions that are kept at hand
PATIENCE = 20.0  # [s], to wait for a browser that is behind
WARM = 6.0  # [s], after which the workshop gets ready: the walking robot comes first
LAST = 1e9  # in the order of a panel
STOPPED = (
    "The studio met an error that it does not know, and its log tells more. Reload the page to "
    "begin again; what you saved or exported is safe."
)
UNKNOWN = "An error that poise does not know ({}). The log of the studio tells more."
UNTIL_READ = 3600.0  # [s]
TIDY = 60.0  # [s], between two times that freed memory is given back
SEEN = 3.0  # [s], to wait at most for a browser to show the walking robot before anything else
PIECE = 1.0  # [s], to wait at most for a browser between two parts of the page
TABS = {
    "Walk": viser.Icon.WALK,
    "Balance": viser.Icon.SCALE,
    "Interact": viser.Icon.HEART_HANDSHAKE,
    "Imitate": viser.Icon.USER,
    "Plan": viser.Icon.ROUTE,
    "Keep": viser.Icon.DOWNLOAD,
    "Robot": viser.Icon.ROBOT,
}
WIDE = 1200  # [px], from here on there is room for the plots beside the robot


class Show(Protocol):
    """What the robot on the stage is doing: walking live, playing a motion, being pushed."""

    def enter(self) -> None:
        """It is shown from now on."""
        ...

    def advance(self, passed: float) -> None:
        """Let time pass [s]."""
        ...

    def draw(self) -> None:
        """Show the present."""
        ...

    def leave(self) -> None:
        """Something else is shown from now on."""
        ...


class Nothing:
    """An empty stage, while it is being changed."""

    def enter(self) -> None:
        """Nothing to begin."""

    def advance(self, passed: float) -> None:
        """Time passes."""

    def draw(self) -> None:
        """Nothing to show."""

    def leave(self) -> None:
        """Nothing to take away."""


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
        self._turns = threading.RLock()
        self.closed = threading.Event()
        self.ready = threading.Event()  # everything is on the page
        self._hurry = threading.Event()
        self.shadows = shadows
        self.frames = 0
        self._shelves: dict[str, list[Kept]] = {}  # of each robot, by its folder
        self.guests: dict[str, str] = {}  # robots that this browser brought: name -> folder
        self._home: Any = None
        self._asked: tuple[Question, float] | None = None  # and until when to wait [s]
        self._follow = True
        self._width = int(client.camera.image_width)  # before panels take their share [px]
        self._waiting: list[tuple[float, Callable[[], Any]]] = []
        self._grabs: deque[Grabbed] = deque()  # what the mouse did, in order
        self._on_grab: Callable[[Grabbed], None] | None = None
        limit_uploads(client)
        self._build(robot)
        self.thread = threading.Thread(
            target=self._run, name=f"poise studio {client.client_id}", daemon=True
        )
        self.later(WARM, workshop.warm)
        self.later(TIDY, self._tidy)
        self.thread.start()

    # -- the page ----------------------------------------------------------------------

    def _build(self, robot: Robot) -> None:
        """The robot, walking; everything around it comes by and by."""
        self.robot = robot
        self.ready.clear()
        self.robots: RobotPanel | None = None
        self.dialogs = Dialogs(self.client)
        gui = self.client.gui
        gui.main_panel.dock_right()
        gui.main_panel.set_width(PANEL)
        gui.set_panel_label(f"poise · {robot.title}")
        self.stage = Stage(self.client, robot, self.shadows)
        self.walk = WalkPanel(self)
        self.show: Show = self.walk
        self._furnishing = self._parts()
        self._asked = (Question(self.client), clock.monotonic() + SEEN)

    def _furnish(self, now: float) -> None:
        """Build the next part of the page, once the browser has drawn what it has."""
        if self._asked is None:
            return
        question, latest = self._asked
        if not question.heard.is_set() and now < latest:
            return
        question.forget()
        more = next(self._furnishing, self) is None
        self._asked = (Question(self.client), now + PIECE) if more else None

    def _parts(self) -> Iterator[None]:
        """The page, part by part, what is looked at first at first."""
        gui = self.client.gui
        gui.add_html(words.LAYOUT)
        self.walk.build_head()
        tabs = gui.add_tab_group()
        self._tabs = {name: tabs.add_tab(name, icon) for name, icon in TABS.items()}
        with self._tabs["Walk"]:
            self.walk.build()
        add_keys(self.client, self._keys(), self.dialogs)
        watch_hands(self.client, self.walk.history.press)
        yield
        self._build_plots()
        coming = threading.Thread(target=_import_engines, name="engines of the studio", daemon=True)
        coming.start()
        yield
        with self._tabs["Walk"]:
            self.walk.finish()
            self.blend = BlendPanel(self, self.walk)
        yield
        with self._tabs["Keep"]:
            self.keeper = KeepPanel(self, self.walk)
        with self._tabs["Robot"]:
            self.robots = RobotPanel(self)
        while coming.is_alive():
            yield
        from poise.studio.imitate_panel import ImitatePanel
        from poise.studio.physics_panel import BalancePanel, LeadPanel
        from poise.studio.plan_panel import PlanPanel

        self.engines = EnginesPanel(self)
        with self._tabs["Balance"]:
            self.balance = BalancePanel(self)
            self.engines.build_balance()
        with self._tabs["Interact"]:
            self.lead = LeadPanel(self)
            self.engines.build_lead()
        yield
        with self._tabs["Imitate"]:
            self.imitator = ImitatePanel(self)
        with self._tabs["Plan"]:
            self.planner = PlanPanel(self)
        if self.show is self.walk:
            self.walk.enter()
        self.ready.set()

    def _build_plots(self) -> None:
        """The plots beside the robot; folded away where there is no room for them."""
        gui = self.client.gui
        self.plots_panel = gui.add_panel()
        self.plots_tab = self.plots_panel.add_tab("Plots", viser.Icon.CHART_LINE)
        with self.plots_tab:
            self.live_plots = gui.add_folder("Live")
            about = "Here are the last seconds of a live robot, or all of a finished motion."
            gui.add_html(words.text(about, 12, quiet=True), order=LAST)
        self.walk.build_plots()
        self.plots_panel.dock_left()
        self.plots_panel.set_width(PLOTS)
        if self._width < WIDE:
            self.plots_panel.minimize()

    def _keys(self) -> list[Key]:
        look = self.stage.look_from
        views = [
            Key(str(k + 1), f"Seen from: {name.lower()}", partial(look, name))
            for k, name in enumerate(VIEWS)
        ]
        times = [
            Key("space", "Play or pause; live: walk or stop", partial(self._time_key, "space")),
            Key("arrowright", "One instant forward", partial(self._time_key, "right")),
            Key("arrowleft", "One instant back", partial(self._time_key, "left")),
            Key("arrowright", "Ten forward", partial(self._time_key, "far right"), "shift"),
            Key("arrowleft", "Ten back", partial(self._time_key, "far left"), "shift"),
            Key("home", "To the start", partial(self._time_key, "home")),
            Key("end", "To the end", partial(self._time_key, "end")),
        ]
        return [*times, *self.walk.keys(), *views]

    def _time_key(self, name: str) -> None:
        from poise.studio.physics_panel import PhysicsPanel

        if isinstance(self.show, MotionShow | PhysicsPanel):
            self.show.key(name)
        elif name == "space":
            self.walk.order("Stop" if self.walk.live.walking else "Walk")

    # -- robots and motions ------------------------------------------------------------

    @property
    def spec(self) -> str:
        """The robot as the workshop finds it: its folder."""
        return str(self.robot.folder)

    @property
    def command_spec(self) -> str:
        """The robot as a command line names it."""
        guest = self.guest_name()
        return f"{guest}.urdf" if guest else self.robot.name

    def guest_name(self) -> str | None:
        """The name of a robot that this browser brought, if it stands on the stage."""
        return next((n for n, folder in self.guests.items() if folder == self.spec), None)

    def guest_home(self) -> str:
        """A folder for the robots that this browser brings."""
        if self._home is None:
            self._home = new_home()
        return str(self._home.name)

    @property
    def shelf(self) -> list[Kept]:
        """The motions that were made for this robot, the last one at the end."""
        return self._shelves.get(self.spec, [])

    def keep(self, kept: Kept, robot: Robot | None = None) -> Kept:
        """Put a motion on the shelf of its robot, for comparing and showing again."""
        with self.lock:
            spec = str((robot or self.robot).folder)
            others = [k for k in self._shelves.get(spec, []) if k.title != kept.title]
            self._shelves[spec] = [*others[-SHELF + 1 :], kept]
            if self.robots is not None:
                self.robots.fill_shelf()
        return kept

    def finish(self, robot: Robot, kept: Kept) -> Kept:
        """Keep what was made for a robot, and show it, if that robot still stands here.

        Work takes its time, and another robot may have come meanwhile.
        """
        with self.lock:
            taken = {one.title for one in self._shelves.get(str(robot.folder), [])}
            titles = (_numbered(kept.title, count) for count in range(1, SHELF + 2))
            kept = replace(kept, title=next(title for title in titles if title not in taken))
            self.keep(kept, robot)
            if str(robot.folder) == self.spec:
                self.open_motion(kept)
            else:
                where = f"It is for {robot.title}: choose that robot to see it."
                self.say(kept.title, where, "yellow", 12.0)
        return kept

    def open_motion(self, kept: Kept) -> MotionShow:
        """Show a finished motion."""
        with self.lock:
            figures = figures_of(self.robot, kept.motion)  # which refuses what does not fit
            self.show.leave()
            show = MotionShow(self, kept, figures)
            self.show = show
            return show

    def room(self) -> int:
        """Width of the view of the robot, between the panels [px]."""
        return int(self.client.camera.image_width)

    # -- hands -------------------------------------------------------------------------

    def grab(self, act: Callable[[Grabbed], None], joints: Collection[int] | None = None) -> None:
        """Let the mouse take hold of the robot; `act` is called in the session's own thread.

        Args:
            act: told what the mouse does.
            joints: whose shapes can be taken hold of; all when absent.
        """
        self._on_grab = act
        self.stage.robot.grab(self._grabs.append, joints)

    def release(self) -> None:
        """The mouse turns the camera again."""
        self._on_grab = None
        self.stage.robot.release()

    # -- looking -----------------------------------------------------------------------

    def look(self, view: str) -> None:
        """Put the camera at one of the VIEWS."""
        self.stage.look_from(view)

    def follow(self, follow: bool) -> None:
        """Keep the robot in the middle, or let it walk away."""
        self._follow = follow
        if not follow:
            self.stage.follow(None)

    def follow_to(self, place: Any) -> None:
        """The robot is there now [m]."""
        if self._follow:
            self.stage.follow(place)

    def screenshot(self, _: Any = None) -> None:
        """What the camera sees, as a picture file."""
        camera = self.client.camera
        image = self.client.get_render(camera.image_height, camera.image_width)
        buffer = io.BytesIO()
        Image.fromarray(image[..., :3]).save(buffer, "png")
        self.hand_out(Written("studio.png", buffer.getvalue(), ("what the camera sees",)))

    def change_robot(self, name: str) -> None:
        """Begin again with another robot."""
        with self.busy(f"{name} is coming"):
            robot = load_robot(self.guests.get(name, name))
            looks_of(robot)
            self.present(Nothing())
            wait_until_heard(self.client, PATIENCE)
        with self.lock:
            self._waiting = []
            self.later(TIDY, self._tidy)
            self.client.gui.reset()
            self.client.scene.reset()
            self._build(robot)
            self.look("Corner")

    def present(self, show: Show) -> None:
        """Put something else on the stage."""
        with self.lock:
            if show is not self.show:
                self.show.leave()
                self.show = show
                show.enter()

    # -- time --------------------------------------------------------------------------

    def later(self, seconds: float, act: Callable[[], Any]) -> None:
        """Do something in a while, in the session's own thread."""
        with self.lock:
            self._waiting.append((clock.monotonic() + seconds, act))

    def _run(self) -> None:
        """Live until the browser leaves; who has to stop before says so."""
        try:
            self._live()
        finally:
            if not self.closed.is_set():
                self.say("This page has stopped", STOPPED, "red", UNTIL_READ)

    def _live(self) -> None:
        before = due = clock.monotonic()
        hurried = -FRAME
        while not self.closed.is_set():
            now = clock.monotonic()
            with self.lock:
                if self.closed.is_set():
                    break
                while self._grabs:
                    grabbed = self._grabs.popleft()
                    if grabbed.phase == "update" and self._grabs:
                        continue  # it has moved on since
                    if self._on_grab is not None:
                        self.safely(self._on_grab)(grabbed)
                self.show.advance(now - before)
                self._draw()
                due_now = [act for when, act in self._waiting if when <= now]
                self._waiting = [entry for entry in self._waiting if entry[0] > now]
                for act in due_now:
                    act()
                self._furnish(now)
            self.frames += 1
            before = now
            due = max(due + FRAME, clock.monotonic() + 0.002)  # others want to run too
            while self._hurry.wait(max(due - clock.monotonic(), 0.0)):
                self._hurry.clear()
                if clock.monotonic() > hurried + FRAME:  # a drag hurries all the time
                    hurried = due = clock.monotonic()

    def _tidy(self) -> None:
        """Every now and then, what was freed goes back to the machine."""
        tidy(alone=False)
        self.later(TIDY, self._tidy)

    def hurry(self) -> None:
        """Something was asked for: show what came of it now, not when the next picture is due."""
        self._hurry.set()

    def _draw(self) -> None:
        """Draw the present, and send it at once: viser would wait for more for a while."""
        self.show.draw()
        self.client.flush()

    def close(self) -> None:
        """The browser left: end the loop, forget the robot."""
        self.closed.set()
        self.hurry()
        if self._home is not None:
            self._home.cleanup()

    # -- work --------------------------------------------------------------------------

    def work(self, job: Callable[..., T], *args: Any, patience: float = PATIENT_WORK) -> T:
        """Have something heavy done in the workshop, as long as this browser is there [s]."""
        return self.workshop.run(job, *args, patience=patience, left=self.closed)

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
            except Exception as error:  # whatever it is, the person is told; viser logs the rest
                self.say("This did not work", UNKNOWN.format(type(error).__name__), "red", 15.0)
                raise

        return run

    def in_turn(self, act: Callable[..., Any]) -> Callable[..., None]:
        """The same for what changes the work: one such callback at a time.

        Viser answers the messages of a drag side by side. Alone, the last to run reads what the
        page says now; else an earlier one may overtake it and have the last word.
        """

        def run(*args: Any) -> None:
            with self._turns:
                act(*args)

        return self.safely(run)

    @contextmanager
    def busy(self, title: str, body: str = "") -> Iterator[viser.NotificationHandle]:
        """Say that something takes a while, as long as it does; what is said may change."""
        notice = self.client.add_notification(title, body, loading=True, with_close_button=False)
        try:
            yield notice
        finally:
            notice.remove()

    def hand_out(self, written: Written) -> None:
        """Send a file to the browser, which saves it."""
        self.client.send_file_download(written.name, written.content, save_immediately=True)
        notes = "; ".join(written.notes) if written.notes else f"{len(written.content)} bytes"
        self.say(written.name, notes)


def _numbered(title: str, count: int) -> str:
    return title if count == 1 else f"{title} ({count})"


def _import_engines() -> None:
    """With all of MuJoCo and more: not needed to walk, and not quick to load."""
    import poise.studio.imitate_panel
    import poise.studio.physics_panel
    import poise.studio.plan_panel  # noqa: F401
