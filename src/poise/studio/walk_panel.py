"""The walk panel: presets, sliders, a live robot, and what to keep of it."""

from __future__ import annotations

import time as clock
from collections import deque
from collections.abc import Callable
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from poise.engines.expressive import GROUPS, find_style, knobs_for, preset_names
from poise.engines.expressive.resting import rest_joints
from poise.motion import Mark
from poise.studio import words
from poise.studio.arm_dragging import rest_with_hand, sides_of
from poise.studio.costs import whole_soles, worst_of
from poise.studio.design import WalkDesign
from poise.studio.dials import Dial, dial_of
from poise.studio.floor_marks import STEPS, Footprints, balance_marks, coming_marks
from poise.studio.history import History
from poise.studio.live_plots import LivePlots
from poise.studio.live_walk import AT_ONCE, LiveWalk
from poise.studio.slider_bars import SliderBars
from poise.viewer.keys import Key
from poise.viewer.page import set_value
from poise.viewer.scene import Grabbed
from poise.walking.swing_foot import Swing

if TYPE_CHECKING:
    from poise.studio.session import Session

READOUT = 0.2  # [s], between two updates of words and meters
PLOT = 0.25  # [s], between two updates of the plots
ANSWERED = 0.15  # [s], after which a slider is seen to have moved the robot
FOLLOW = 0.6  # [s], time constant of the eye that follows the robot
OPEN_AT_FIRST = ("geometry",)
HEAD = 138  # [px], of the words about the robot: a line, four bars, and two lines of doubt
COME_BACK = "↩ Back to it"
LIMBS = ("head", "left_arm", "right_arm")


class WalkPanel:
    """The sliders of a walk and the robot that obeys them.

    Args:
        session: the browser it belongs to.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.robot = session.robot
        self.history = History(WalkDesign.of("normal"))
        self.live = LiveWalk(self.robot, self.design.style(self.robot))
        self.live.order("start")
        self._sliders: dict[str, tuple[viser.GuiSliderHandle, Dial]] = {}
        self._joints: dict[str, viser.GuiSliderHandle] = {}
        self._words: dict[str, viser.GuiDropdownHandle] = {}
        self._due, self._plotted = {"readout": 0.0, "plot": 0.0}, 0.0
        self._eye: np.ndarray | None = None
        self._drawn = 0.0
        self._pace: deque[tuple[float, int]] = deque(maxlen=50)
        self.bars = SliderBars(self.robot)
        self._prints = Footprints(self.robot)
        self._sides = sides_of(self.robot)
        self._coming: list[tuple[str, Swing]] = []
        self._coming_marks: list[Mark] = []
        self._state: viser.GuiHtmlHandle | None = None
        self.plots: LivePlots | None = None

    @property
    def design(self) -> WalkDesign:
        """The walk as it is designed now."""
        return self.history.now

    # -- the show ----------------------------------------------------------------------

    def enter(self) -> None:
        """The live robot walks on; its hands can be dragged to where they shall rest."""
        self.session.live_plots.visible = True
        self._orders.options = _orders(self.live.walking)
        self.session.stage.still.show(self._prints.marks)
        self.session.grab(self.drag_hand, self._sides)

    def advance(self, passed: float) -> None:
        """Let the robot walk on for a while [s]."""
        self.live.advance(passed, max(AT_ONCE, passed))

    def draw(self) -> None:
        """Show where the robot is; words and plots follow a little more slowly."""
        tick = self.live.last
        if tick is None:
            return
        stage, now = self.session.stage, clock.monotonic()
        stage.robot.update(tick.q)
        touches = whole_soles(self.robot, tick.contacts)
        marks = balance_marks(self.robot, tick.com, tick.zmp, touches)
        coming = self.live.coming(STEPS)
        if coming != self._coming:  # mostly they are the same as in the last picture
            self._coming, self._coming_marks = coming, coming_marks(self.robot, coming)
        stage.canvas.show([*marks, *self._coming_marks], tick.time)
        if self._prints.take(tick.contacts):
            stage.still.show(self._prints.marks)
        place = np.array([tick.com[0], tick.com[1], 0.0])
        if self._eye is None or np.hypot(*(place - self._eye)[:2]) > self.robot.height:
            self._eye = place
        else:
            self._eye += (1.0 - exp(-(now - self._drawn) / FOLLOW)) * (place - self._eye)
        self._drawn = now
        self.session.follow_to(self._eye)
        if now >= self._due["readout"] and self._state is not None:
            self._due["readout"] = now + READOUT
            self._pace.append((now, self.live.ticks))
            self._read_out()
        if now >= self._due["plot"] and self.plots is not None:
            self._due["plot"], self._plotted = now + PLOT, now
            self.plots.show(self.live.recent(), touches)

    def leave(self) -> None:
        """Another show takes the stage; the robot waits where it is."""
        self._pace.clear()
        self._eye = None
        self.session.live_plots.visible = False
        self._orders.options = (COME_BACK,)
        self.session.release()
        if self._state is not None:
            self._state.content = words.text("The live robot waits until you come back to it.", 12)
        self.session.stage.canvas.show([])
        self.session.stage.still.show([])

    def real_time(self) -> float:
        """The share of real time that was kept over the last ten seconds, at most 1."""
        if len(self._pace) < 2:
            return 1.0
        (began, first), (now, last) = self._pace[0], self._pace[-1]
        return min((last - first) * self.live.dt / max(now - began, 1e-9), 1.0)

    # -- building ----------------------------------------------------------------------

    def build(self) -> None:
        """Put the sliders where the page is being built now."""
        session, gui = self.session, self.session.client.gui
        self._presets = gui.add_button_group("style", preset_names())
        self._presets.on_click(session.in_turn(lambda event: self.take_preset(event.target.value)))
        steps = gui.add_button_group("changes", ("↶ Undo", "↷ Redo"))
        steps.on_click(session.in_turn(self._step))
        knobs = knobs_for(self.robot)
        for group in GROUPS:
            with gui.add_folder(group.capitalize(), expand_by_default=group in OPEN_AT_FIRST):
                for name, one in knobs.items():
                    if one.group == group and one.choices:
                        self._add_choice(name, one)
                    elif one.group == group:
                        self._add_slider(dial_of(one))

    def finish(self) -> None:
        """Put what can wait where the page is being built now."""
        self._build_pose()
        self.bars.show(self.design)

    def build_head(self) -> None:
        """What the robot does, in words, and the buttons that tell it what to do."""
        session, gui = self.session, self.session.client.gui
        self._state = gui.add_html("")
        self._orders = gui.add_button_group("robot", _orders(True))
        self._orders.on_click(session.safely(lambda event: self.order(event.target.value)))

    def build_plots(self) -> None:
        """The plots of the last seconds."""
        with self.session.live_plots:
            self.plots = LivePlots(self.session.client.gui, self.robot.height)

    def _build_pose(self) -> None:
        """Sliders of the joints of arms and head: where they rest."""
        robot, gui = self.robot, self.session.client.gui
        followers = {c.joint for c in robot.couplings}
        with gui.add_folder("Rest pose of arms and head [°]", expand_by_default=False):
            gui.add_html(words.text("Or drag an arm of the robot with the mouse.", 12, quiet=True))
            for limb in LIMBS:
                for joint in robot.groups.get(limb, ()):
                    if joint not in followers:
                        self._add_joint(joint)

    def _add_joint(self, joint: str) -> None:
        k = self.robot.index(joint)
        low, high = np.degrees([self.robot.lower[k], self.robot.upper[k]])
        low, high = float(np.ceil(10.0 * low) / 10.0), float(np.floor(10.0 * high) / 10.0)
        slider = self.session.client.gui.add_slider(
            joint, min=low, max=high, step=0.1, initial_value=self._joint_shown(joint, low, high)
        )
        self._joints[joint] = slider

        def turned(event: viser.GuiEvent) -> None:
            if event.client is not None:
                self.change(self.design.with_joint(joint, float(np.radians(slider.value))), joint)

        slider.on_update(self.session.in_turn(turned))

    def _joint_shown(self, joint: str, low: float, high: float) -> float:
        angle = rest_joints(self.robot, self.design.style(self.robot))[self.robot.index(joint)]
        return float(np.clip(round(float(np.degrees(angle)), 1), low, high))

    def _add_slider(self, dial: Dial) -> None:
        name = dial.knob.name
        slider = self.session.client.gui.add_slider(
            dial.label,
            min=dial.low,
            max=dial.high,
            step=dial.step,
            initial_value=dial.shown(self.design.value(self.robot, name)),
            hint=dial.knob.doc,
        )
        self._sliders[name] = (slider, dial)
        self.bars.add(self.session.client.gui, dial)

        def turned(event: viser.GuiEvent) -> None:
            if event.client is not None:  # moved by hand, not by the page
                self.turn(name, dial.told(float(slider.value)))

        slider.on_update(self.session.in_turn(turned))

    def _add_choice(self, name: str, one: Any) -> None:
        box = self.session.client.gui.add_dropdown(
            name.replace("_", " "),
            one.choices,
            initial_value=self.design.value(self.robot, name),
            hint=one.doc,
        )
        self._words[name] = box

        def chosen(event: viser.GuiEvent) -> None:
            if event.client is not None:
                self.turn(name, box.value)

        box.on_update(self.session.in_turn(chosen))

    # -- orders ------------------------------------------------------------------------

    def order(self, said: str) -> None:
        """Walk, stop or stand up; from whatever is shown instead, come back to the live robot."""
        self.session.present(self)
        if said == COME_BACK:
            return
        if "Stand" in said or self.live.controller.fallen:
            self.live.order("stand_up")
            self._eye = None
            self._prints.forget()
            if "Stand" not in said:
                self.live.order("start")
        elif "Walk" in said:
            self.live.order("start")
        else:
            self.live.order("stop")
        self._read_out()

    def turn(self, name: str, value: Any) -> None:
        """Set one knob, in SI units."""
        self.change(self.design.with_setting(name, value), name)

    def take_preset(self, name: str) -> None:
        """Take one of the styles that come with poise."""
        self.change(WalkDesign(find_style(name)), f"preset {name}")
        self.refresh()

    def change(self, design: WalkDesign, what: str) -> None:
        """Go on with another design; one step of undo for each drag."""
        style = design.style(self.robot)  # before anything is kept: it may be refused
        self.history.change(design, what)
        self.live.set_style(style)
        if self.session.show is self:
            self.live.hurry()
            self.session.hurry()
        # the browser draws the robot first; while a hand goes on and on, plots are only slower
        later = min(clock.monotonic() + ANSWERED, self._plotted + 2.0 * PLOT)
        self._due["plot"] = max(self._due["plot"], later)
        self.bars.show(design)

    def drag_hand(self, grabbed: Grabbed) -> None:
        """An arm is dragged: its hand rests from now on where the mouse leads it."""
        tick = self.live.last
        if grabbed.phase == "start":
            self.history.press()
        if grabbed.phase != "update" or tick is None:
            return
        side, stage = self._sides[grabbed.joint], self.session.stage
        at = self.robot.at(tick.q)
        pulled = stage.in_world(grabbed.mouse) - stage.in_world(grabbed.held)
        place = at.pose("chest").actInv(at.position(f"{side}_hand") + pulled)
        angles = rest_with_hand(self.robot, self.design.style(self.robot), side, place)
        if angles:
            self.change(self.design.with_joints(angles), f"{side} hand")
            self.refresh()

    def _step(self, event: viser.GuiEvent) -> None:
        (self.history.undo if "Undo" in event.target.value else self.history.redo)()
        self.back()

    def back(self) -> None:
        """Show and walk the design that undo or redo led to."""
        self.live.set_style(self.design.style(self.robot))
        self.refresh()
        self.bars.show(self.design)

    def refresh(self) -> None:
        """Put every slider where the design says."""
        for name, (slider, dial) in self._sliders.items():
            set_value(slider, dial.shown(self.design.value(self.robot, name)))
        for name, box in self._words.items():
            set_value(box, self.design.value(self.robot, name))
        for joint, slider in self._joints.items():
            set_value(slider, self._joint_shown(joint, slider.min, slider.max))

    def keys(self) -> list[Key]:
        """The keys of this panel."""

        def step(way: Callable[[], Any]) -> Callable[[], None]:
            def act() -> None:
                way()
                self.back()

            return self.session.in_turn(act)

        return [
            Key("Z", "Undo", step(self.history.undo), modifier="cmd/ctrl"),
            Key("Y", "Redo", step(self.history.redo), modifier="cmd/ctrl"),
        ]

    # -- words -------------------------------------------------------------------------

    def _read_out(self) -> None:
        live = self.live
        if self._state is None:
            return
        fallen = live.controller.fallen
        rows = live.recent()
        self._orders.options = _orders(live.walking)
        if fallen:
            advice = "Press Stand up, or undo what you changed last and stand up."
            reason = live.controller.reason
            content = words.banner(
                "It fell", f"{reason[:1].upper()}{reason[1:]}. {advice}", words.BAD
            )
        else:
            pace = f"{1e2 * self.real_time():.0f} % real time"
            content = words.both_ends(self._summary(), pace) + words.meters(
                worst_of([row.costs for row in rows[-100:]])
            )
            if self.bars.why:
                content += words.text(f"Expected to be {self.bars.why}", 12)
        self._state.content = words.steady(content, HEAD)

    def _summary(self) -> str:
        gait, live = self.live.controller.gait, self.live
        state = live.last.state if live.last is not None else "standing"
        speed = gait.stride.length / gait.half_cycle if live.walking else 0.0
        name = self.design.base.name + (", changed" if self.design.settings else "")
        return f"{state} · {name} · {speed:.2f} m/s"


def _orders(walking: bool) -> tuple[str, ...]:
    return ("❚❚ Stop" if walking else "▶ Walk", "↑ Stand up")
