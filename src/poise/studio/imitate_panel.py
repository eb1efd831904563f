"""The imitate panel: a recorded person beside the robot, whose steps can be corrected by hand."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from poise.errors import PoiseError
from poise.studio import engine_jobs, words
from poise.studio.motion_show import Kept
from poise.studio.person import ASIDE, Person, PersonBeside, contact_bars
from poise.studio.trial_files import ALL, FORCES, RECORDINGS, SKELETON, TrialFiles, suffix_of
from poise.studio.uploads import clean
from poise.viewer.page import set_value

if TYPE_CHECKING:
    from poise.studio.session import Session

HINT = "A walk as C3D, TRC (then its forces, if any), BVH, or AMC (and its ASF)."
READOUT = 0.25  # [s], between two updates of the bars
WORDS = {"ic": "contact", "to": "toe-off"}
LOOK = 1.0  # [s], between two words about how long it takes
STEP = 0.005  # [s], of an event that is moved
Event = tuple[str, str, int]  # left or right, contact ("ic") or toe-off ("to"), and which of them


class ImitatePanel:
    """Upload a recording, look at the person, move the events, imitate.

    Args:
        session: the browser.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.person: Person | None = None
        self.contacts: dict[str, dict[str, list[float]]] = {}
        self._trial: TrialFiles | None = None  # whom `person` shows
        self._static: TrialFiles | None = None
        self._skeleton: viser.UploadedFile | None = None  # of AMC files
        self._waiting: TrialFiles | None = None  # for its skeleton
        self._beside: PersonBeside | None = None
        self._clock, self._due = 0.0, 0.0
        self._numbers: dict[Event, Any] = {}
        self.timelines: dict[str, Any] = {}  # of each foot: its events as thumbs to be dragged
        self._since: float | None = None
        gui, safely = session.client.gui, session.safely
        kinds = ",".join(ALL)
        self._state = gui.add_html(words.text(HINT, 12, quiet=True))
        static = gui.add_upload_button(
            "Upload a standing trial (if any)", mime_type=",".join(RECORDINGS), color="gray"
        )
        trial = gui.add_upload_button("Upload a walk", icon=viser.Icon.UPLOAD, mime_type=kinds)
        self._bars = gui.add_html("")
        self._timeline = gui.add_folder("Contacts and toe-offs [s]", visible=False)
        self._events = gui.add_folder("As numbers [s]", expand_by_default=False, visible=False)
        self.balance_by = gui.add_dropdown("balance", ("dynamic", "quasistatic"))
        start = gui.add_button("Imitate", icon=viser.Icon.WALK)
        static.on_upload(safely(lambda event: self._stand(event.target.value)))
        trial.on_upload(safely(lambda event: self.bring(event.target.value)))
        start.on_click(safely(lambda _: self.imitate()))

    # -- the person --------------------------------------------------------------------

    def _stand(self, file: viser.UploadedFile) -> None:
        static = TrialFiles(file, self._skeleton)
        if static.lacks_skeleton:
            raise PoiseError(f"{static.name} needs its skeleton: upload the .asf as a walk first.")
        self._static = static
        self.session.say(static.name, "is used as the standing trial")

    def bring(self, file: viser.UploadedFile) -> None:
        """Take a walk, or a file that belongs to one: a skeleton (ASF) or forces."""
        kind = suffix_of(file)
        if kind == SKELETON:
            self._skeleton = file
            waiting, self._waiting = self._waiting, None
            if waiting is None:
                self.session.say(clean(file.name), "is the skeleton of the AMC files to come.")
            else:
                self.look(replace(waiting, skeleton=file))
        elif kind in FORCES:
            if self._trial is None:
                raise PoiseError(f"Upload the walk first that {clean(file.name)} belongs to.")
            self.look(self._trial.with_forces(file))
        else:
            self.look(TrialFiles(file, self._skeleton if kind == ".amc" else None))

    def look(self, trial: TrialFiles) -> None:
        """Read a walk and show the person beside the robot."""
        self._waiting = trial if trial.lacks_skeleton else None
        with self._files(trial) as (walk, static), self.session.busy(f"Reading {trial.name}"):
            person = self.session.work(engine_jobs.person, walk, static)
        self._trial = trial
        self.take(person)

    def take(self, person: Person) -> None:
        """Show a person, with the events that were found."""
        self.session.present(self.session.walk)
        self.person = person
        self.contacts = {
            side: {kind: list(times) for kind, times in kinds.items()}
            for side, kinds in person.contacts.items()
        }
        self._clock = float(person.time[0])
        self._build()
        self.session.present(self)

    def _build(self) -> None:
        gui, person = self.session.client.gui, self.person
        assert person is not None
        for part in (*self._numbers.values(), *self.timelines.values()):
            part.remove()
        self._numbers, self.timelines = {}, {}
        self._events.visible = self._timeline.visible = True
        low, high = round(float(person.time[0]), 3), round(float(person.time[-1]), 3)
        with self._timeline:
            for side in self.contacts:
                if self._of(side):
                    self._add_timeline(side, low, high)
        with self._events:
            for time, side, kind, k in self._listed():
                number = gui.add_number(
                    f"{side} {WORDS[kind]} {k + 1}", round(time, 3), min=low, max=high, step=STEP
                )
                self._numbers[side, kind, k] = number

                def typed(event: Any, which: Event = (side, kind, k), number: Any = number) -> None:
                    if event.client is not None:
                        self._try({which: float(number.value)})

                number.on_update(self.session.in_turn(typed))
        self._say()

    def _add_timeline(self, side: str, low: float, high: float) -> None:
        """The events of one foot as thumbs on a line of time, in their order."""
        events = self._of(side)
        line = self.session.client.gui.add_multi_slider(
            f"{side} foot",
            min=low,
            max=high,
            step=STEP,
            initial_value=tuple(round(self._time(one), 3) for one in events),
            min_range=2.0 * STEP,
            hint="Drag a contact or a toe-off to where it is",
        )
        self.timelines[side] = line

        def dragged(event: Any) -> None:
            if event.client is None:
                return
            places = zip(events, line.value, strict=True)
            moved = {e: float(t) for e, t in places if abs(t - self._time(e)) > 0.5 * STEP}
            self._try(moved)

        line.on_update(self.session.in_turn(dragged))

    def _try(self, moved: Mapping[Event, float]) -> None:
        """Move events, and show where they are then, also when one may not go there."""
        try:
            for (side, kind, k), time in moved.items():
                self.move(side, kind, k, time)
        finally:
            self._show_events()

    def _show_events(self) -> None:
        """Put thumbs and numbers where the events are; one that is held is there already."""
        shown: dict[Any, Any] = {
            number: round(self._time(one), 3) for one, number in self._numbers.items()
        }
        for side, line in self.timelines.items():
            shown[line] = tuple(round(self._time(one), 3) for one in self._of(side))
        for part, value in shown.items():
            if part.value != value:
                set_value(part, value)

    def _time(self, event: Event) -> float:
        side, kind, k = event
        return self.contacts[side][kind][k]

    def _of(self, side: str) -> list[Event]:
        """The events of a foot, in order."""
        return [(s, kind, k) for _, s, kind, k in self._listed() if s == side]

    def _listed(self) -> list[tuple[float, str, str, int]]:
        return sorted(
            (time, side, kind, k)
            for side, kinds in self.contacts.items()
            for kind, times in kinds.items()
            for k, time in enumerate(times)
        )

    def move(self, side: str, kind: str, k: int, time: float) -> None:
        """Move an event [s]; it stays between its neighbours of the same foot."""
        times = self.contacts[side][kind]
        others = [
            t
            for _, s, other, j in self._listed()
            if s == side and (other, j) != (kind, k)
            for t in (self.contacts[s][other][j],)
        ]
        before = max((t for t in others if t < times[k]), default=-np.inf)
        after = min((t for t in others if t > times[k]), default=np.inf)
        if not before < time < after:
            raise PoiseError(
                f"The {side} {WORDS[kind]} {k + 1} must stay between {before:.3f} s and "
                f"{after:.3f} s, the events of the same foot before and after it."
            )
        times[k] = time
        self._say()

    def _say(self) -> None:
        person = self.person
        assert person is not None
        steps = sum(len(kinds["ic"]) for kinds in self.contacts.values())
        moved = " · events moved" if self.contacts != person.contacts else ""
        seconds = float(person.time[-1] - person.time[0])
        self._state.content = words.text(
            f"{seconds:.1f} s · {steps} contacts · {person.height:.2f} m tall{moved}"
        )
        self._bars.content = contact_bars(person, self.contacts, self._clock)

    # -- the show ----------------------------------------------------------------------

    def enter(self) -> None:
        """The person walks beside the robot."""
        assert self.person is not None
        session = self.session
        self._beside = PersonBeside(session.client, self.person, session.robot.height)

    def advance(self, passed: float) -> None:
        """Let the recording play, again and again [s]."""
        assert self.person is not None
        start, end = float(self.person.time[0]), float(self.person.time[-1])
        self._clock = start + (self._clock - start + passed) % max(end - start, 1e-3)

    def draw(self) -> None:
        """Show the person at this instant; the robot stands and waits."""
        session, now = self.session, clock.monotonic()
        session.stage.robot.update(session.robot.half_sitting)
        session.follow_to(np.array([0.0, 0.5 * ASIDE * session.robot.height, 0.0]))
        if self._beside is not None:
            self._beside.show(self._clock, np.zeros(3))
        if now >= self._due and self.person is not None:
            self._due = now + READOUT
            self._bars.content = contact_bars(self.person, self.contacts, self._clock)

    def leave(self) -> None:
        """Something else is shown."""
        if self._beside is not None:
            self._beside.remove()
        self._beside = None

    # -- imitating ---------------------------------------------------------------------

    def imitate(self) -> None:
        """Make the robot walk as the person does, with the events as they are now."""
        session, person, robot = self.session, self.person, self.session.robot
        if person is None or self._trial is None:
            raise PoiseError("Upload a walk first: C3D, TRC, BVH or AMC.")
        shown = self._trial.name
        events = None if self.contacts == person.contacts else self.contacts
        self._since = clock.monotonic()
        try:
            with (
                self._files(self._trial) as (trial, static),
                session.busy(f"The robot learns {shown}", "then judged") as notice,
            ):
                session.later(LOOK, lambda: self._wait(notice))
                made, likeness = session.work(
                    engine_jobs.imitate, session.spec, trial, static, self.balance_by.value, events
                )
        finally:
            self._since = None
        title = f"imitation of {Path(shown).stem}"
        one = Kept(title, made.motion, made.judged, person, likeness)
        title = session.finish(robot, one).title
        session.say(title, made.words, "green" if made.ok else "orange", 12.0)

    def _wait(self, notice: Any) -> None:
        """Say how long it has been at it, and how long such a walk usually takes."""
        if self._since is None or self.person is None:
            return
        passed = clock.monotonic() - self._since
        usual = engine_jobs.USUAL * float(self.person.time[-1] - self.person.time[0])
        left = f"about {usual - passed:.0f} s left" if passed < usual else "longer than usual"
        notice.body = f"{passed:.0f} s so far, {left}"
        self.session.later(LOOK, lambda: self._wait(notice))

    @contextmanager
    def _files(self, trial: TrialFiles) -> Iterator[tuple[str, str | None]]:
        """The uploaded recordings on the disk, for as long as they are needed."""
        with ExitStack() as stack:
            path = stack.enter_context(trial.on_disk())
            if self._static is None:
                yield str(path), None
            else:
                yield str(path), str(stack.enter_context(self._static.on_disk()))
