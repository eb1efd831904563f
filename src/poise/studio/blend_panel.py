"""A style between two others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poise.engines.expressive import blend, find_style, preset_names
from poise.studio.design import WalkDesign

if TYPE_CHECKING:
    from poise.studio.session import Session
    from poise.studio.walk_panel import WalkPanel

MINE = "as it is now"


class BlendPanel:
    """Two styles and a slider between them.

    Args:
        session: the browser.
        walk: what takes the blend on.
    """

    def __init__(self, session: Session, walk: WalkPanel) -> None:
        self.session, self.walk = session, walk
        gui = session.client.gui
        with gui.add_folder("Blend", expand_by_default=False):
            names = preset_names()
            self.a = gui.add_dropdown("from", (MINE, *names), initial_value=names[0])
            self.b = gui.add_dropdown("to", names, initial_value=names[-1])
            self.share = gui.add_slider("share [%]", min=0, max=100, step=1, initial_value=0)
        self._mine = walk.design
        self.a.on_update(session.in_turn(self._choose))
        self.share.on_update(session.in_turn(self._turn))

    def _choose(self, _: Any) -> None:
        if self.a.value == MINE:
            self._mine = self.walk.design

    def _turn(self, event: Any) -> None:
        if event.client is None:
            return
        robot = self.session.robot
        start = self._mine.style(robot) if self.a.value == MINE else find_style(self.a.value)
        between = blend(start, find_style(self.b.value), 1e-2 * int(self.share.value), robot)
        self.walk.change(WalkDesign(between), "blend")
        self.walk.refresh()
