"""Pictures of a robot that balances: loads and pressure of its feet, joints, what it survives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadInput
from poise.motion import Motion

NEEDED = ("loads", "pressure_left", "pressure_right")
SIDES = ("left", "right")
COLOURS = ("#2563eb", "#d97706", "#16a34a", "#64748b", "#dc2626")


def draw_balance(motion: Motion, folder: str | Path) -> list[Path]:
    """Draw loads and centres of pressure of both feet, and all joints, over time.

    Args:
        motion: a recording of the balance engine.
        folder: where `feet.png` and `joints.png` are written.
    """
    missing = [name for name in NEEDED if name not in motion.signals]
    if missing:
        raise BadInput("figures", "the motion", f"without {missing[0]}", "a run of poise balance")
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [
        _feet(motion, Path(folder) / "feet.png"),
        _joints(motion, Path(folder) / "joints.png"),
    ]


def draw_survived(
    impulses: Mapping[str, tuple[Sequence[float], Sequence[float]]], path: str | Path, title: str
) -> Path:
    """Draw the greatest impulse survived from each direction as a polar chart.

    Args:
        impulses: feedback -> directions [deg], impulses [N s].
        path: of the picture.
        title: above it.
    """
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(6.0, 6.0), subplot_kw={"projection": "polar"})
    for (name, (directions, values)), colour in zip(impulses.items(), COLOURS, strict=False):
        order = np.argsort(directions)
        angle = np.deg2rad(np.asarray(directions, dtype=float)[order])
        reach = np.asarray(values, dtype=float)[order]
        axes.plot(np.r_[angle, angle[:1]], np.r_[reach, reach[:1]], "o-", color=colour, label=name)
    axes.set_theta_zero_location("N")
    axes.set_rmin(0.0)
    axes.set_title(f"{title} [N s]")
    axes.legend(loc="lower left", bbox_to_anchor=(-0.1, -0.12), ncols=4, frameon=False)
    return _saved(figure, Path(path))


def _feet(motion: Motion, path: Path) -> Path:
    plt = _pyplot()
    figure, axes = plt.subplots(3, 1, figsize=(9.0, 7.0), sharex=True)
    for k, side in enumerate(SIDES):
        axes[0].plot(motion.time, motion.signals["loads"][:, k], color=COLOURS[k], label=side)
        pressure = 1e3 * motion.signals[f"pressure_{side}"]
        axes[1].plot(motion.time, pressure[:, 0], color=COLOURS[k])
        axes[2].plot(motion.time, pressure[:, 1], color=COLOURS[k])
    for axis, label in zip(axes, ("load [N]", "pressure x [mm]", "pressure y [mm]"), strict=True):
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
    axes[0].legend(frameon=False, ncols=2)
    axes[2].set_xlabel("time [s]")
    return _saved(figure, path)


def _joints(motion: Motion, path: Path) -> Path:
    plt = _pyplot()
    names = motion.joint_names
    columns = 4
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(11.0, 1.35 * rows), sharex=True, squeeze=False
    )
    for k, name in enumerate(names):
        axis = axes[k // columns, k % columns]
        axis.plot(motion.time, np.rad2deg(motion.joints[:, k]), color=COLOURS[0], linewidth=0.9)
        low, high = axis.get_ylim()
        if high - low < 2.0:  # [deg], a joint that rests should look like one
            axis.set_ylim(0.5 * (low + high) - 1.0, 0.5 * (low + high) + 1.0)
        axis.set_title(f"{name} [deg]", fontsize=7, pad=2)
        axis.tick_params(labelsize=6)
        axis.grid(alpha=0.3)
    for k in range(len(names), rows * columns):
        axes[k // columns, k % columns].axis("off")
    return _saved(figure, path)


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _saved(figure: Any, path: Path) -> Path:
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    _pyplot().close(figure)
    return path
