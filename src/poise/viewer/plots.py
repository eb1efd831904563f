"""Still figures of a motion, for papers and documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from poise.files import whole_path
from poise.motion import Motion
from poise.robot import Robot
from poise.viewer import colours
from poise.viewer.figures import Figures, figures_of
from poise.viewer.files import to_write

if TYPE_CHECKING:  # a second to import, for pages that draw no pictures
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILES = (".png", ".svg", ".pdf")


def plot_balance(robot: Robot, motion: Motion, path: Path | str) -> Path:
    """CoM and ZMP from above over the footprints, and over time; written as .png, .svg or .pdf.

    Args:
        robot: who moves.
        motion: how.
        path: where to write.
    """
    figures = figures_of(robot, motion)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.2), layout="constrained")
    above, forward, sideways = figure.subplots(3, 1, height_ratios=[1.25, 1.0, 1.0])
    _from_above(above, figures)
    for axes, axis, name in ((forward, 0, "x forward [m]"), (sideways, 1, "y left [m]")):
        _over_time(axes, figures, axis, name)
    sideways.set_xlabel("time [s]")
    forward.sharex(sideways)
    return _save(figure, path)


def plot_joints(
    robot: Robot, motion: Motion, path: Path | str, joints: Sequence[str] | None = None
) -> Path:
    """Joint angles over time between their limits, one small plot each.

    Args:
        robot: who moves.
        motion: how.
        path: where to write; .png, .svg or .pdf.
        joints: which ones (all).
    """
    motion = figures_of(robot, motion).motion
    names = list(joints or robot.joint_names)
    across = min(4, len(names))
    rows = -(-len(names) // across)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.6 * across, 1.5 * rows + 0.4), layout="constrained")
    grid = figure.subplots(rows, across, squeeze=False, sharex=True)
    for axes in grid.ravel()[len(names) :]:
        axes.set_visible(False)
    for name, axes in zip(names, grid.ravel(), strict=False):
        k = robot.index(name)
        low, high = np.degrees([robot.lower[k], robot.upper[k]])
        axes.axhspan(low, high, color=_rgb(colours.SUPPORT), alpha=0.12, lw=0)
        axes.plot(motion.time, np.degrees(motion.joints[:, k]), color=_rgb(colours.ZMP), lw=1.4)
        axes.set_title(f"{name} [deg]", fontsize=8, loc="left")
        _plain(axes)
    for axes in grid[-1]:
        axes.set_xlabel("time [s]", fontsize=8)
    return _save(figure, path)


def _from_above(axes: Axes, figures: Figures) -> None:
    from matplotlib.patches import Polygon

    for part, outline in figures.footprints:
        colour = _rgb(colours.side_of(part))
        axes.add_patch(Polygon(outline[:, :2], closed=True, fc=(*colour, 0.18), ec=colour, lw=1.0))
    axes.plot(*figures.com[:, :2].T, color=_rgb(colours.COM), lw=1.8, label="CoM")
    axes.plot(*figures.zmp[:, :2].T, color=_rgb(colours.ZMP), lw=1.0, label="ZMP")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x forward [m]")
    axes.set_ylabel("y left [m]")
    axes.legend(frameon=False, fontsize=8, loc="upper right", ncols=2)
    _plain(axes)


def _over_time(axes: Axes, figures: Figures, axis: int, name: str) -> None:
    time = figures.motion.time
    edges = np.array(
        [
            (p[:, axis].min(), p[:, axis].max()) if len(p) else (np.nan, np.nan)
            for p in (figures.support(float(t)) for t in time)
        ]
    )
    axes.fill_between(
        time, edges[:, 0], edges[:, 1], color=_rgb(colours.SUPPORT), alpha=0.15, lw=0, step="post"
    )
    axes.plot(time, figures.com[:, axis], color=_rgb(colours.COM), lw=1.8)
    axes.plot(time, figures.zmp[:, axis], color=_rgb(colours.ZMP), lw=1.0)
    axes.set_ylabel(name)
    axes.set_xlim(float(time[0]), float(time[-1]) if len(time) > 1 else float(time[0]) + 1.0)
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e8ec", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)


def _rgb(colour: colours.Rgb) -> tuple[float, float, float]:
    r, g, b = colour
    return (r / 255.0, g / 255.0, b / 255.0)


def _save(figure: Figure, path: Path | str) -> Path:
    path = to_write(path, FILES)
    with whole_path(path) as temporary:
        figure.savefig(temporary, dpi=150)
    return path
