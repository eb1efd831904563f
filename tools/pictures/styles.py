"""The picture of the five styles in the docs: `python tools/pictures/styles.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import poise
from poise.engines.expressive import preset_names
from poise.simulation.render import frames
from poise.viewer.pictures import film_strip

ACROSS, SIZE = 7, (220, 280)


def main() -> None:
    """Walk in every style and put the middle of each walk in a row."""
    robot = poise.load_robot("nao")
    pictures, times, words = [], [], []
    for style in ("normal", *(name for name in preset_names() if name != "normal")):
        walk = poise.walk(robot, style, steps=8)
        landings = sorted(touch.start for touch in walk.contacts.touches)[2:]
        rows = np.searchsorted(walk.time, np.linspace(landings[2], landings[-2], ACROSS))
        pictures += list(frames(robot, walk.q[rows], SIZE))
        times += walk.time[rows].tolist()
        words += [style] + [""] * (ACROSS - 1)
    path = Path(__file__).parents[2] / "docs" / "pictures" / "styles.webp"
    film_strip(pictures, times, path, columns=ACROSS, captions=words, count=len(pictures))


if __name__ == "__main__":
    main()
