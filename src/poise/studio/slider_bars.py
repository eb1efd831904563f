"""Coloured bars under the sliders: where a walk is safe, where doubtful, where it will fall."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Mapping, Sequence
from html import escape

import viser

from poise.engines.expressive.predictor import DOUBTFUL, FALLS, SAFE, Predictor, Stretch
from poise.robot import Robot
from poise.studio import words
from poise.studio.design import WalkDesign
from poise.studio.dials import Dial
from poise.viewer import colours

PAUSE = 0.12  # [s], before the bars are worked out: the robot itself comes first
COLOURS = {SAFE: words.GOOD, DOUBTFUL: words.DOUBTFUL, FALLS: words.BAD}


class SliderBars:
    """One bar under each slider, redrawn when the others move.

    Args:
        robot: who walks.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._predictor = Predictor(robot)
        self._bars: dict[str, tuple[viser.GuiHtmlHandle, Dial]] = {}
        self._lock = threading.Lock()
        self._waiting: WalkDesign | None = None
        self._working = False
        self.why = ""  # what is to be feared of the design of now

    def add(self, gui: viser.GuiApi, dial: Dial) -> None:
        """Put the bar of a slider where the page is being built now."""
        self._bars[dial.knob.name] = (gui.add_html(""), dial)

    def show(self, design: WalkDesign) -> None:
        """Colour the bars for a design, in a moment; of many in a row only the last one counts."""
        with self._lock:
            self._waiting = design
            if self._working:
                return  # whoever works will see it
            self._working = True
        threading.Thread(target=self._work, name="slider bars", daemon=True).start()

    def _work(self) -> None:
        while True:
            clock.sleep(PAUSE)
            with self._lock:
                wanted, self._waiting = self._waiting, None
                if wanted is None:
                    self._working = False
                    return
            self._draw(wanted)

    def _draw(self, design: WalkDesign) -> None:
        style = design.style(self.robot)
        found = self._predictor.predict(style)
        self.why = "" if found.verdict == SAFE else f"{found.verdict}: {found.why}"
        ranges: Mapping[str, Sequence[Stretch]] = self._predictor.ranges(style)
        for name, (handle, dial) in self._bars.items():
            now = float(design.value(self.robot, name))
            handle.content = bar(dial, ranges.get(name, ()), now)


def bar(dial: Dial, stretches: Sequence[Stretch], now: float) -> str:
    """A thin bar in the colours of the verdicts, with a mark where the slider stands."""
    span = max(dial.high - dial.low, 1e-12)

    def share(value: float) -> float:
        return min(max((dial.shown(value) - dial.low) / span, 0.0), 1.0)

    parts = "".join(
        f'<span title="{escape(f"{one.verdict}: {one.why}" if one.why else one.verdict)}" '
        f'style="position:absolute;height:100%;left:{1e2 * share(one.low):.1f}%;'
        f"width:{1e2 * (share(one.high) - share(one.low)):.1f}%;"
        f'background:{colours.css(COLOURS[one.verdict], 0.75)}"></span>'
        for one in stretches
    )
    return (
        '<div class="poise-bar" style="position:relative;height:5px;border-radius:3px;'
        'overflow:hidden;margin:-3px 66px 3px 128px;background:rgba(128,128,128,.15)">'
        f'{parts}<span style="position:absolute;width:2px;height:100%;background:#222;'
        f'left:calc({1e2 * share(now):.1f}% - 1px)"></span></div>'
    )
