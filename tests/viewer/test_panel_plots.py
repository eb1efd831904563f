"""Panels as small drawings: what is where in the SVG."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from poise.motion.panels import Line, Panel
from poise.viewer.panel_plots import WIDTH, _ticks, panel_drawing, subject_of

T = np.linspace(0.0, 4.0, 401)
WAVE = Panel("left knee (LKneePitch)", "time [s]", "deg", (Line(T, np.sin(T), "robot"),))


class Drawing(HTMLParser):
    """The shapes of a drawing: tag -> the attributes of each."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.shapes: dict[str, list[dict[str, str]]] = {}
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.shapes.setdefault(tag, []).append(dict(attrs))

    def handle_data(self, data):
        self.texts.append(data)


def points(shape: dict[str, str]) -> np.ndarray:
    return np.array([[float(c) for c in one.split(",")] for one in shape["points"].split()])


def thick(drawing: Drawing) -> list[dict[str, str]]:
    return [line for line in drawing.shapes["line"] if float(line["stroke-width"]) > 1.0]


def test_the_present_is_marked_where_it_is_on_the_axis():
    drawing = Drawing(panel_drawing(WAVE, 1.0))
    [now] = thick(drawing)
    [curve] = drawing.shapes["polyline"]
    path = points(curve)
    at = np.interp(1.0, np.linspace(0.0, 4.0, len(path)), path[:, 0])
    assert float(now["x1"]) == pytest.approx(at, abs=0.5)
    assert now["x1"] == now["x2"]
    assert thick(Drawing(panel_drawing(WAVE, 9.0))) == []
    assert thick(Drawing(panel_drawing(WAVE))) == []


def test_what_is_not_known_is_a_gap():
    holed = np.where((T > 1.0) & (T < 2.0), np.nan, np.sin(T))
    panel = Panel("a", "time [s]", "deg", (Line(T, holed, "robot"),))
    first, second = (points(one) for one in Drawing(panel_drawing(panel)).shapes["polyline"])
    assert second[0, 0] - first[-1, 0] > 0.15 * WIDTH
    nothing = Panel("a", "time [s]", "", (Line(T, np.full(len(T), np.nan)),))
    assert "polyline" not in Drawing(panel_drawing(nothing, 1.0)).shapes


@pytest.mark.parametrize("turned", [False, True])
def test_a_map_keeps_its_proportions_and_marks_no_time(turned):
    corners = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [0.0, 1.0]])
    x, y = corners[:, ::-1].T if turned else corners.T
    panel = Panel("map", "x [m]", "y [m]", (Line(x, y, filled=True),), equal=True)
    drawing = Drawing(panel_drawing(panel, 1.0))
    seen = np.ptp(points(drawing.shapes["polygon"][0]), axis=0)
    wide, high = seen[::-1] if turned else seen
    assert wide / high == pytest.approx(3.0, rel=0.02)
    assert thick(drawing) == []
    box = [float(v) for v in drawing.shapes["svg"][0]["viewbox"].split()]
    assert seen[0] < box[2] and seen[1] < box[3]


@pytest.mark.parametrize(("low", "high"), [(-0.1, 23.9), (-3e-4, 2e-4), (-41.0, 12.0), (5.0, 5e5)])
def test_ticks_are_few_round_numbers_inside(low, high):
    ticks = _ticks(low, high)
    assert 2 <= len(ticks) <= 7
    assert low <= ticks[0] and ticks[-1] <= high
    leading = re.sub(r"[-0.]|e.*", "", f"{ticks[1] - ticks[0]:.6g}")
    assert leading in ("1", "2", "5")


def test_titles_are_escaped_and_sides_belong_together():
    odd = Panel("<b>left", "time [s]", "N & m", WAVE.lines)
    assert "<b>left [N & m]" in Drawing(panel_drawing(odd)).texts
    assert subject_of(WAVE) == subject_of(Panel("right knee (R)", "", "", ())) == "knee"
