"""Looking at robots and motions: pages in the browser (viser), pictures and plots as files.

The names below are fetched when they are first used: a page that opens does not wait for films.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "ViserCanvas": "canvas",
    "view": "page",
    "film_strip": "pictures",
    "video": "pictures",
    "plot_balance": "plots",
    "plot_joints": "plots",
    "RobotScene": "scene",
    "Served": "server",
    "show_robot": "standing",
}

if TYPE_CHECKING:
    from poise.viewer.canvas import ViserCanvas as ViserCanvas
    from poise.viewer.page import view as view
    from poise.viewer.pictures import film_strip as film_strip
    from poise.viewer.pictures import video as video
    from poise.viewer.plots import plot_balance as plot_balance
    from poise.viewer.plots import plot_joints as plot_joints
    from poise.viewer.scene import RobotScene as RobotScene
    from poise.viewer.server import Served as Served
    from poise.viewer.standing import show_robot as show_robot


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"poise.viewer has no '{name}'; it offers {', '.join(_HOMES)}")
    return getattr(import_module(f"poise.viewer.{home}"), name)
