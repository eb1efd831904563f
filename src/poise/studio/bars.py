"""Bars under the sliders where the engine can predict them; none where it cannot."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Protocol

import viser

from poise.robot import Robot
from poise.studio.design import WalkDesign
from poise.studio.dials import Dial


class Bars(Protocol):
    """Tells beforehand what a slider would do."""

    why: str  # what is to be feared of the design of now

    def add(self, gui: viser.GuiApi, dial: Dial) -> None:
        """Put the bar of a slider where the page is being built now."""
        ...

    def show(self, design: WalkDesign) -> None:
        """Colour the bars for a design."""
        ...


class NoBars:
    """Says nothing beforehand."""

    why = ""

    def add(self, gui: viser.GuiApi, dial: Dial) -> None:
        """No bar."""

    def show(self, design: WalkDesign) -> None:
        """Nothing to colour."""


def bars_for(robot: Robot) -> Bars:
    """The bars of a robot's sliders."""
    if find_spec("poise.engines.expressive.predictor") is None:
        return NoBars()
    from poise.studio.slider_bars import SliderBars

    return SliderBars(robot)
