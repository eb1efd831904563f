"""Whole runs of balance and interact, from a few choices to a motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import viser

from poise.studio import engine_jobs
from poise.studio.motion_show import Kept

if TYPE_CHECKING:
    from poise.studio.jobs import Made
    from poise.studio.session import Session


class EnginesPanel:
    """Scenarios of balance, leaders of interact.

    Args:
        session: the browser.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    def build_balance(self) -> None:
        """A whole scenario in physics, where the page is being built now."""
        with self.session.client.gui.add_folder("A whole scenario", expand_by_default=False):
            self._build_balance()

    def build_lead(self) -> None:
        """A whole walk with a partner who has a plan, where the page is being built now."""
        with self.session.client.gui.add_folder("A partner with a plan", expand_by_default=False):
            self._build_lead()

    def _make(self, doing: str, title: str, job: Callable[..., Made], *args: Any) -> None:
        session, robot = self.session, self.session.robot
        with session.busy(doing, "then judged"):
            made = session.work(job, session.spec, *args)
        session.finish(robot, Kept(title, made.motion, made.judged))
        if made.words:
            session.say(title, made.words, "green" if made.ok else "orange", 12.0)

    # -- balance -----------------------------------------------------------------------

    def _build_balance(self) -> None:
        from poise.engines.balance import BalanceOptions, scenario_names
        from poise.motion.knobs import knobs_of

        gui, weight = self.session.client.gui, self.session.robot.weight
        feedbacks = knobs_of(BalanceOptions)["feedback"]
        self.scenario = gui.add_dropdown("scenario", scenario_names(), initial_value="stand")
        self.feedback = gui.add_dropdown(
            "feedback", feedbacks.choices, initial_value=feedbacks.default, hint=feedbacks.doc
        )
        self.push = gui.add_slider(
            "push [N]",
            min=0.0,
            max=round(0.5 * weight, 1),
            step=0.1,
            initial_value=round(0.05 * weight, 1),
            hint=f"on the chest; it weighs {weight:.0f} N; 0: no push",
        )
        self.direction = gui.add_slider(
            "direction [°]", min=-180, max=180, step=5, initial_value=0, hint="0 forward, 90 left"
        )
        self.length = gui.add_slider("for [s]", min=0.05, max=2.0, step=0.05, initial_value=0.5)
        start = gui.add_button("Let it balance", icon=viser.Icon.SCALE)
        start.on_click(self.session.safely(lambda _: self.balance()))

    def balance(self) -> None:
        """Run the scenario with the push, and show what happened."""
        from poise.engines.balance import find_scenario
        from poise.studio.plants import with_feedback

        push = {}
        if self.push.value > 0.0:
            push = {
                "force": float(self.push.value),
                "direction": float(self.direction.value),
                "duration": float(self.length.value),
                "start": 1.0,
            }
        title = f"balance, {self.scenario.value}" + (f", {self.push.value:g} N" if push else "")
        options = find_scenario(self.scenario.value).options
        settings = with_feedback(self.session.robot, self.feedback.value, options)
        job = engine_jobs.balance
        self._make("The robot balances in physics", title, job, self.scenario.value, settings, push)

    # -- interact ----------------------------------------------------------------------

    def _build_lead(self) -> None:
        from poise.engines.interact import leader_names

        gui = self.session.client.gui
        self.leader = gui.add_dropdown("leader", leader_names())
        start = gui.add_button("Walk with it", icon=viser.Icon.HEART_HANDSHAKE)
        start.on_click(
            self.session.safely(
                lambda _: self._make(
                    "The robot is led by the hand",
                    f"led {self.leader.value}",
                    engine_jobs.lead,
                    self.leader.value,
                )
            )
        )
