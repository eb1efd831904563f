"""Where a foot may be put, drawn from above: a set, and how likely steps are to go well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.files import whole_path


@dataclass(frozen=True, eq=False)
class FootprintMap:
    """One panel; places are of the right foot, seen from the left one [m]."""

    title: str
    x: np.ndarray  # forward, (n,)
    y: np.ndarray  # to the left, (m,)
    chance: np.ndarray  # of a good step, 0 to 1, (n, m)
    polygon: np.ndarray  # the set, (k, 2)
    good: np.ndarray  # footprints tried that went well, (a, 2)
    failed: np.ndarray  # that did not, (b, 2)


def plot_footprints(maps: Sequence[FootprintMap], columns: int, path: Path | str) -> Path:
    """Draw maps side by side; forward is up, the standing left foot is at the origin.

    Args:
        maps: row by row.
        columns: how many are in a row.
        path: picture to write.
    """
    from matplotlib.figure import Figure

    rows = -(-len(maps) // columns)
    figure = Figure(figsize=(2.6 * columns + 1.0, 3.4 * rows), layout="constrained")
    axes = np.atleast_2d(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False))
    picture = None
    for ax, one in zip(axes.ravel(), maps, strict=False):
        picture = ax.pcolormesh(
            one.y, one.x, one.chance, vmin=0.0, vmax=1.0, cmap="RdYlGn", shading="nearest"
        )
        ring = np.vstack([one.polygon, one.polygon[:1]])
        ax.plot(ring[:, 1], ring[:, 0], color="black", lw=1.6)
        ax.plot(one.good[:, 1], one.good[:, 0], ".", color="black", ms=2.5)
        ax.plot(one.failed[:, 1], one.failed[:, 0], "x", color="black", ms=3.5, mew=0.8)
        ax.set_xlim(one.y[-1], one.y[0])  # the left is on the left
        ax.set_ylim(one.x[0], one.x[-1])
        ax.set_aspect("equal")
        ax.set_title(one.title, fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("y [m]")
    for ax in axes[:, 0]:
        ax.set_ylabel("x [m]")
    if picture is not None:
        figure.colorbar(picture, ax=axes, label="probability of a good step", shrink=0.7)
    with whole_path(path) as whole:
        figure.savefig(whole, dpi=110, format=Path(path).suffix.lstrip(".") or "png")
    return Path(path)
