import numpy as np
import pytest

from poise.motion import Mark
from poise.viewer.canvas import ViserCanvas, kind_of
from poise.viewer.server import Served, open_server

SQUARE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])


@pytest.fixture(scope="module")
def server():
    with Served(open_server("127.0.0.1", 0, "test"), "127.0.0.1") as served:
        yield served.server


@pytest.mark.parametrize(
    ("mark", "kind"),
    [
        (Mark("a", SQUARE[:1]), "dot"),
        (Mark("a", SQUARE[:2], arrow=True), "arrow"),
        (Mark("a", SQUARE[:2]), "line"),
        (Mark("a", SQUARE), "line"),
        (Mark("a", SQUARE, closed=True), "area"),
        (Mark("a", np.zeros((0, 3))), "nothing"),
        (Mark("a", SQUARE * np.nan), "nothing"),
    ],
)
def test_points_say_how_a_mark_is_drawn(server, mark, kind):
    assert kind_of(mark) == kind
    ViserCanvas(server, f"/{kind}{len(mark.points)}").show([mark], 0.0)


def test_a_mark_that_moves_is_moved_and_not_made_again(server):
    canvas = ViserCanvas(server, "/moves")
    canvas.show([Mark("dot", SQUARE[:1]), Mark("area", SQUARE, closed=True)], 0.0)
    dot, area = (server.scene.get_handle_by_name(f"/moves/{n}") for n in ("dot", "area"))
    canvas.show([Mark("dot", SQUARE[1:2]), Mark("area", SQUARE[:3] + 1.0, closed=True)], 0.1)
    assert server.scene.get_handle_by_name("/moves/dot") is dot
    assert np.allclose(dot.position, SQUARE[1])
    assert area.points.shape == (3, 2, 3)
    fill = server.scene.get_handle_by_name("/moves/area/fill")
    assert np.allclose(fill.vertices, SQUARE[:3] + 1.0)
    assert fill.faces.shape == (1, 3)


def test_a_mark_that_is_gone_is_hidden_and_comes_back(server):
    canvas = ViserCanvas(server, "/gone")
    canvas.show([Mark("dot", SQUARE[:1])], 0.0)
    dot = server.scene.get_handle_by_name("/gone/dot")
    canvas.show([], 0.1)
    assert not dot.visible
    canvas.show([Mark("dot", SQUARE[:1])], 0.2)
    assert dot.visible


def test_a_mark_may_change_its_kind(server):
    canvas = ViserCanvas(server, "/change")
    canvas.show([Mark("it", SQUARE[:1])], 0.0)
    canvas.show([Mark("it", SQUARE, closed=True)], 0.1)
    assert server.scene.get_handle_by_name("/change/it").points.shape == (4, 2, 3)
