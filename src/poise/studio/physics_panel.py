"""Robots in physics on the page: push one that balances, take one by the hand and walk with it."""

from __future__ import annotations

import json
import time as clock
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from poise.contacts import Touch
from poise.engines.balance import BalanceOptions
from poise.engines.interact import knobs_for
from poise.motion import Mark
from poise.motion.knobs import knobs_of
from poise.studio import engine_jobs, words
from poise.studio.floor_marks import balance_marks, footprint
from poise.studio.jobs import Written
from poise.studio.live_physics import LivePhysics
from poise.studio.live_walk import AT_ONCE, LONGEST
from poise.studio.motion_show import Kept
from poise.studio.physics_plots import PhysicsPlots
from poise.studio.plants import Led, Standing, with_feedback
from poise.viewer import colours
from poise.viewer.figures import margin, support_polygon
from poise.viewer.scene import Grabbed

if TYPE_CHECKING:
    from poise.engines.interact.gait import Step
    from poise.studio.session import Session

READOUT, PLOT = 0.2, 0.25  # [s], between two updates of the words and of the plots
CARRYING = 0.02  # of the weight: a foot with less does not stand
ASKED, CLIPPED = (213, 94, 0), (0, 158, 115)
FOLLOW = 0.05  # of the way to the robot that the eye goes in a picture


class PhysicsPanel:
    """A robot in physics that the mouse can take hold of.

    Args:
        session: the browser.
    """

    kind = ""
    hint = ""

    def __init__(self, session: Session) -> None:
        self.session, self.robot = session, session.robot
        self.live: LivePhysics | None = None
        self.paused = False
        self._held: tuple[str, tuple[float, float, float]] | None = None
        self._due = {"readout": 0.0, "plot": 0.0}
        self._eye: np.ndarray | None = None
        self._pace: deque[tuple[float, int]] = deque(maxlen=50)
        gui, safely = session.client.gui, session.safely
        self._state = gui.add_html(words.text(self.hint, 12, quiet=True))
        self._orders = gui.add_button_group("robot", ("▶ Begin", "↑ Stand up", "✕ Leave"))
        self._orders.on_click(safely(lambda event: self.press(event.target.value)))
        self._build(gui)
        self.record_button = gui.add_button("Record", icon=viser.Icon.PLAYER_RECORD)
        self.record_button.on_click(safely(self.record))
        recipe = gui.add_button("Recipe since it stood up", icon=viser.Icon.LIST_DETAILS)
        recipe.on_click(safely(self.hand_out_recipe))
        with session.plots_tab:
            self._folder = gui.add_folder("In physics")
        self._folder.visible = False
        self.plots: PhysicsPlots | None = None

    # -- what differs ------------------------------------------------------------------

    def _build(self, gui: viser.GuiApi) -> None:
        """Controls of this plant."""

    def settings(self) -> dict[str, Any]:
        """Knobs as the panel says."""
        return {}

    def joints(self) -> set[int] | None:
        """Whose shapes the mouse can take hold of; None: all."""
        return None

    def _grip(self, grabbed: Grabbed) -> tuple[str, tuple[float, float, float]]:
        """What is held: the joint, and the point in its frame."""
        assert self.live is not None
        name = self.robot.model.names[grabbed.joint]
        T = self.robot.at(self.live.plant.seen.q).pose(name)
        x, y, z = (float(v) for v in T.actInv(self.session.stage.in_world(grabbed.held)))
        return name, (x, y, z)

    def _more_marks(self) -> list[Mark]:
        return []

    def _more_words(self) -> str:
        return ""

    # -- the show ----------------------------------------------------------------------

    def press(self, said: str) -> None:
        """Begin, pause, stand up, or leave."""
        if "Leave" in said:
            self.session.present(self.session.walk)
        elif self.session.show is not self or self.live is None:
            self.begin()
        elif "Stand" in said:
            self.stand_up()
        else:
            self.pause(not self.paused)

    def begin(self) -> None:
        """Put the robot into physics, where the mouse can reach it."""
        if self.live is None:
            with self.session.busy("The world is being built"):
                self.live = LivePhysics(self.kind, self.robot, self.settings())
        self.session.present(self)

    def stand_up(self) -> None:
        """On its feet again, with what the panel says."""
        if self.live is not None:
            self.live.stand_up(self.settings())
            self._eye, self._held = None, None
            self.pause(False)

    def pause(self, paused: bool) -> None:
        """Stop the time of this world, or let it go on."""
        self.paused = paused
        self._pace.clear()
        self._orders.options = ("▶ Go on" if paused else "❚❚ Pause", "↑ Stand up", "✕ Leave")

    def key(self, name: str) -> None:
        """The space bar stops the time."""
        if name == "space":
            self.pause(not self.paused)

    def enter(self) -> None:
        """It is shown from now on."""
        if self.plots is None:
            with self._folder:
                robot = self.robot
                self.plots = PhysicsPlots(self.session.client.gui, robot.height, robot.weight)
        self._folder.visible = True
        self.pause(False)
        self.session.grab(self.grabbed, self.joints())

    def leave(self) -> None:
        """Something else is shown; the world waits."""
        self._let_go()
        self.session.release()
        self._folder.visible = False
        self._eye = None
        self._orders.options = ("▶ Begin", "↑ Stand up", "✕ Leave")
        self._state.content = words.text(self.hint, 12, quiet=True)
        self.session.stage.canvas.show([])

    def advance(self, passed: float) -> None:
        """Let time pass in the world [s]."""
        if self.live is not None and not self.paused:
            self.live.advance(passed, max(AT_ONCE, passed))

    def draw(self) -> None:
        """Show the robot, what it feels, and the hand that pulls."""
        live, stage, now = self.live, self.session.stage, clock.monotonic()
        if live is None:
            return
        q, touches = live.plant.seen.q, self._touches()
        stage.robot.update(q)
        stage.canvas.show([*self._marks(touches), *self._more_marks()], live.plant.felt.time)
        place = np.array([live.plant.felt.com[0], live.plant.felt.com[1], 0.0])
        self._eye = place if self._eye is None else self._eye + FOLLOW * (place - self._eye)
        self.session.follow_to(self._eye)
        if now >= self._due["readout"]:
            self._due["readout"] = now + READOUT
            self._pace.append((now, live.ticks))
            self._state.content = self._words(touches)
        if now >= self._due["plot"] and self.plots is not None:
            self._due["plot"] = now + PLOT
            self.plots.show(live.recent(), touches)

    def real_time(self) -> float:
        """The share of real time that was kept over the last ten seconds, at most 1."""
        if len(self._pace) < 2 or self.live is None:
            return 1.0
        (began, first), (now, last) = self._pace[0], self._pace[-1]
        return min((last - first) * self.live.dt / max(now - began, 1e-9), 1.0)

    # -- the mouse ---------------------------------------------------------------------

    def grabbed(self, what: Grabbed) -> None:
        """The mouse takes hold, pulls, or lets go."""
        if self.live is None:
            return
        if what.phase == "start" or (self._held is None and what.phase == "update"):
            self._held = self._grip(what)
        if what.phase == "end" or self._held is None:
            self._let_go()
            return
        joint, point = self._held
        target = [float(x) for x in self.session.stage.in_world(what.mouse)]
        self.live.order("hold", {"joint": joint, "point": list(point), "target": target})

    def _let_go(self) -> None:
        if self._held is not None and self.live is not None:
            self.live.order("let_go")
        self._held = None

    # -- what is seen ------------------------------------------------------------------

    def _touches(self) -> tuple[Touch, ...]:
        assert self.live is not None
        plant, robot = self.live.plant, self.robot
        at = robot.at(plant.seen.q)
        return tuple(
            Touch(part, 0.0, 1.0, at.pose(part), robot.soles[part].points)
            for part, load in zip(robot.feet, plant.felt.loads, strict=False)
            if load > CARRYING * robot.weight
        )

    def _marks(self, touches: tuple[Touch, ...]) -> list[Mark]:
        assert self.live is not None
        felt, robot = self.live.plant.felt, self.robot
        marks = balance_marks(robot, felt.com, np.array(felt.zmp), touches)
        at = robot.at(self.live.plant.seen.q)
        for part, load in zip(robot.feet, felt.loads, strict=False):
            if load > CARRYING * robot.weight:
                p = at.position(part)
                tip = p + np.array([0.0, 0.0, 0.3 * robot.height * load / robot.weight])
                marks.append(Mark(f"load {part}", np.array([p, tip]), colours.FORCE, arrow=True))
        if felt.held is not None and felt.target is not None:
            pull = np.array([felt.held, felt.target])
            marks.append(Mark("pull", pull, colours.NOW, arrow=True))
        return marks

    def _words(self, touches: tuple[Touch, ...]) -> str:
        assert self.live is not None
        live, felt = self.live, self.live.plant.felt
        if live.plant.fell:
            return words.banner("It fell", f"{live.plant.fell}. Press Stand up.", words.BAD)
        inside = 1e3 * margin(np.array(felt.zmp), support_polygon(touches))
        edge = "in the air" if np.isnan(inside) else f"ZMP {inside:.0f} mm from the edge"
        pull = f" · pulled with {felt.force:.1f} N" if felt.force > 0.0 else ""
        time = f"{1e2 * self.real_time():.0f} % of real time" if not self.paused else "paused"
        line = f"{felt.time:.1f} s · {edge}{pull} · {time}"
        return words.text(line) + words.text(self.hint, 12, quiet=True) + self._more_words()

    # -- keeping -----------------------------------------------------------------------

    def record(self, _: Any = None) -> None:
        """Begin to record what happens, or end it, have it judged and show it."""
        session = self.session
        if self.live is None or session.show is not self:
            self.begin()
        live = self.live
        assert live is not None
        if not live.recording:
            live.record()
            self.record_button.label = f"Stop recording (at most {LONGEST:.0f} s)"
            self.record_button.color = "red"
            return
        self.record_button.label, self.record_button.color = "Record", None
        fell = live.plant.fell
        motion = live.stop_recording()
        with session.busy("The judge looks at the recording"):
            spec = str(self.robot.folder)
            judged = session.work(engine_jobs.judge_live, spec, motion, fell)
        session.finish(self.robot, Kept(f"{self.kind} of {self.robot.name}, live", motion, judged))

    def hand_out_recipe(self, _: Any = None) -> None:
        """Everything that was done since it stood up, as a file that `poise studio` replays."""
        if self.live is None:
            self.begin()
        assert self.live is not None
        content = json.dumps(self.live.recipe(), indent=1).encode()
        written = Written(f"{self.kind}-recipe.json", content, ("every pull, period by period",))
        self.session.hand_out(written)


class BalancePanel(PhysicsPanel):
    """Stand in physics and be pushed."""

    kind = "balance"
    hint = "Drag any part of the robot with the mouse: it is pulled there, and keeps its balance."

    def _build(self, gui: viser.GuiApi) -> None:
        safely, weight = self.session.safely, self.robot.weight
        feedbacks = knobs_of(BalanceOptions)["feedback"]
        self.feedback = gui.add_dropdown(
            "feedback", feedbacks.choices, initial_value=feedbacks.default, hint=feedbacks.doc
        )
        with gui.add_folder("Push"):
            self.force = gui.add_slider(
                "push [N]",
                min=0.0,
                max=round(0.5 * weight, 1),
                step=0.1,
                initial_value=round(0.05 * weight, 1),
                hint=f"at the height of the CoM; it weighs {weight:.0f} N",
            )
            self.direction = gui.add_slider(
                "direction [°]", min=-180, max=180, step=5, initial_value=0, hint="90: to its left"
            )
            self.length = gui.add_slider("for [s]", min=0.05, max=2.0, step=0.05, initial_value=0.3)
            push = gui.add_button("Push", icon=viser.Icon.HAND_FINGER)
        with gui.add_folder("Squat"):
            self.depth = gui.add_slider(
                "depth [%]", min=1, max=15, step=1, initial_value=7, hint="of the CoM's height"
            )
            self.squat_time = gui.add_slider(
                "lasts [s]", min=1.0, max=8.0, step=0.5, initial_value=3.0
            )
            squat = gui.add_button("Squat", icon=viser.Icon.STRETCHING)
        self.feedback.on_update(safely(self._choose))
        push.on_click(safely(self.push))
        squat.on_click(safely(self.squat))

    def settings(self) -> dict[str, Any]:
        """The feedback that is chosen."""
        return with_feedback(self.robot, self.feedback.value)

    def _choose(self, event: Any) -> None:
        if event.client is None:
            return
        self.stand_up()
        longer = self.settings().get("zmp_filter")
        if longer is not None:
            why = f"with a ZMP filter of {longer:g} s: with a shorter one this robot would rock."
            self.session.say(self.feedback.value, why)

    def push(self, _: Any = None) -> None:
        """Push it now, as the sliders say."""
        self._tell(
            "push",
            {
                "force": float(self.force.value),
                "direction": float(self.direction.value),
                "duration": float(self.length.value),
            },
        )

    def squat(self, _: Any = None) -> None:
        """Let it squat once."""
        lasts, depth = float(self.squat_time.value), 1e-2 * float(self.depth.value)
        self._tell("squat", {"relative_depth": depth, "period": lasts, "cycles": 1.0})

    def _tell(self, what: str, value: Mapping[str, Any]) -> None:
        if self.live is None or self.session.show is not self:
            self.begin()
        assert self.live is not None
        self.live.order(what, dict(value))

    def _more_words(self) -> str:
        assert self.live is not None and isinstance(self.live.plant, Standing)
        left, right = self.live.plant.felt.loads
        return words.text(f"loads: left {left:.1f} N, right {right:.1f} N", 12)


class LeadPanel(PhysicsPanel):
    """Take the robot by the hand and walk with it."""

    kind = "interact"
    hint = "Drag its hand with the mouse, and it walks after you."

    def _build(self, gui: viser.GuiApi) -> None:
        hands = knobs_for(self.robot)["hands"]
        self.hands = gui.add_dropdown(
            "hand", hands.choices, initial_value=hands.default, hint=hands.doc
        )
        self.hands.on_update(
            self.session.safely(lambda event: self._choose() if event.client is not None else None)
        )
        gui.add_html(
            words.text(
                "On the floor: where the hand asked for a step (orange), where it may go (green).",
                12,
                quiet=True,
            )
        )

    def _choose(self) -> None:
        self.stand_up()
        if self.session.show is self:
            self.session.grab(self.grabbed, self.joints())

    def settings(self) -> dict[str, Any]:
        """The hand that is chosen."""
        return {"hands": self.hands.value}

    def _hands(self) -> dict[int, str]:
        """Joints that carry the hands that are held, and the hands."""
        if self.live is None or not isinstance(self.live.plant, Led):
            return {}
        frames = self.robot.model.frames
        hands = self.live.plant.controller.hands
        return {frames[self.robot.frame_id(hand)].parentJoint: hand for hand in hands}

    def joints(self) -> set[int] | None:
        """The hands and the forearms behind them."""
        parents = self.robot.model.parents
        hands = set(self._hands())
        return hands | {parents[joint] for joint in hands}

    def _grip(self, grabbed: Grabbed) -> tuple[str, tuple[float, float, float]]:
        """The hand, wherever it is taken hold of."""
        hands, parents = self._hands(), self.robot.model.parents
        near = [joint for joint in hands if grabbed.joint in (joint, parents[joint])]
        frame = self.robot.model.frames[self.robot.frame_id(hands[near[0]])]
        x, y, z = (float(v) for v in frame.placement.translation)
        return self.robot.model.names[near[0]], (x, y, z)

    def _steps(self) -> list[Step]:
        assert self.live is not None and isinstance(self.live.plant, Led)
        return self.live.plant.steps[-6:]

    def _more_marks(self) -> list[Mark]:
        marks = []
        for k, step in enumerate(self._steps()):
            part = self.robot.feet[0 if step.left_swings else 1]
            for name, place, colour in (
                ("asked", step.wish, ASKED),
                ("clipped", step.replan.landing, CLIPPED),
            ):
                marks.append(
                    Mark(f"{name} {k}", footprint(self.robot, part, place), colour, closed=False)
                )
        return marks

    def _more_words(self) -> str:
        steps = self._steps()
        assert self.live is not None and isinstance(self.live.plant, Led)
        stopped = self.live.plant.controller.watch.reason
        if stopped:
            return words.banner("It stops", f"{stopped}. Press Stand up.", words.DOUBTFUL)
        if not steps:
            return words.text("no step was asked for yet", 12)
        last = steps[-1]
        cut = float(np.hypot(*np.subtract(last.wish[:2], last.replan.landing[:2])))
        said = f"last step: {1e3 * cut:.0f} mm short of the hand, {1e3 * last.replan.shift:+.0f} ms"
        return words.text(said + (f" · {last.replan.refused}" if last.replan.refused else ""), 12)
